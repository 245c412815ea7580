// These tests let slow clients loose on a listener and look at what it gets.

package servebench

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// receives reads from a connection until all of want has come.
func receives(t *testing.T, conn net.Conn, want string) {
	t.Helper()
	_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
	got := make([]byte, 0, len(want))
	for len(got) < len(want) {
		n, err := conn.Read(got[len(got):cap(got)])
		if err != nil {
			t.Fatalf("after %q: %v", got, err)
		}
		got = got[:len(got)+n]
	}
	if string(got) != want {
		t.Fatalf("got %q, want %q", got, want)
	}
}

func TestSlowClients(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	accept := func() net.Conn {
		conn, err := ln.Accept()
		if err != nil {
			t.Fatal(err)
		}
		return conn
	}
	clients, err := attack{opening: "open", drip: "ab"}.begin(ln.Addr().String(), 1)
	if err != nil {
		t.Fatal(err)
	}
	first := accept()
	receives(t, first, "openab") // two touches
	first.Close()
	again := accept() // one that is ended comes back
	defer again.Close()
	receives(t, again, "open")
	if n, err := clients.finish(); n != 1 || err != nil {
		t.Errorf("%d opened again, %v", n, err)
	}
}

func TestBusyClients(t *testing.T) {
	var asked sync.Map // searches by connection
	several := make(chan struct{}, costlyClients)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if before, again := asked.Swap(r.RemoteAddr, string(body)); again && before != string(body) {
			select {
			case several <- struct{}{}:
			default:
			}
		}
	}))
	defer server.Close()
	clients, err := attack{searches: costly()}.begin(server.Listener.Addr().String(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for range costlyClients { // as many other searches, on connections that had one
		<-several
	}
	if n, err := clients.finish(); n != 0 || err != nil {
		t.Errorf("%d opened again, %v", n, err)
	}
}

func TestSlowRefuses(t *testing.T) {
	if _, err := parseSlow([]string{"-clients", "0"}); err == nil {
		t.Error("no clients were taken")
	}
}
