package edgeserve

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"
)

const liveRequest = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"

// openConn opens a connection that has been answered and stays open.
func openConn(t *testing.T, addr string, rest string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, liveRequest+rest); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// openAdmitted is openConn for a server at its limit: just after a response, its connection may not count as idle yet, and
// a new one is refused.
func openAdmitted(t *testing.T, addr, rest string) (conn net.Conn) {
	t.Helper()
	waitFor(t, "a new connection is admitted", func() bool {
		conn = openConn(t, addr, rest)
		status := make([]byte, len("TTP/1.1 200"))
		if _, err := io.ReadFull(conn, status); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(string(status), "200") {
			_ = conn.Close()
			return false
		}
		return true
	})
	return conn
}

func TestConnectionLimit(t *testing.T) {
	_, addr := startServer(t, func(c *ServerConfig) { c.MaxConns = 1 })
	defer openConn(t, addr, "G").Close()
	answers, closed := exchange(t, addr, liveRequest)
	if len(answers) != 1 || answers[0].StatusCode != 503 || answers[0].Header.Get("Retry-After") == "" || !closed {
		t.Fatalf("the second connection got %v, closed %v", statuses(answers), closed)
	}
	if date := answers[0].Header.Get("Date"); date != "" {
		t.Errorf("the answer, which was made when the server was, is of %s", date)
	}
}

// At the limit, an idle connection is closed for a new one. Those with a request stay.
func TestIdleConnectionMakesRoom(t *testing.T) {
	for _, fast := range []string{FastPathAuto, FastPathOff} {
		t.Run(fast, func(t *testing.T) {
			_, addr := startServer(t, func(c *ServerConfig) { c.MaxConns, c.FastPath = 3, fast })
			busy := openConn(t, addr, "G")
			defer busy.Close()
			for i, idle := range []net.Conn{openConn(t, addr, ""), openConn(t, addr, "G")} {
				if i == 1 {
					makeIdle(t, idle)
				}
				defer openAdmitted(t, addr, "G").Close()
				_ = idle.SetReadDeadline(time.Now().Add(10 * time.Second))
				if _, err := io.Copy(io.Discard, idle); err != nil && !errors.Is(err, syscall.ECONNRESET) {
					t.Errorf("%d: the idle connection is open: %v", i, err)
				}
			}
			if answers, _ := exchange(t, addr, liveRequest); len(answers) != 1 || answers[0].StatusCode != 503 {
				t.Errorf("while none is idle, a new one got %v", statuses(answers))
			}
			makeIdle(t, busy)
		})
	}
}

// makeIdle sends the rest of the second request of openConn, and reads its response.
func makeIdle(t *testing.T, conn net.Conn) {
	t.Helper()
	if _, err := io.WriteString(conn, strings.TrimPrefix(liveRequest, "G")); err != nil {
		t.Fatal(err)
	}
	var got []byte
	for b := make([]byte, 1<<10); bytes.Count(got, []byte("\r\n\r\n")) < 2; {
		n, err := conn.Read(b)
		if err != nil {
			t.Fatalf("a connection with a request got %q, %v", got, err)
		}
		got = append(got, b[:n]...)
	}
}

// One address may have so many connections at a time, whatever it does with them.
func TestConnectionsOfOneAddress(t *testing.T) {
	_, addr := startServer(t, func(c *ServerConfig) { c.MaxConnsPerIP = 2 })
	held := []net.Conn{openConn(t, addr, "G"), openConn(t, addr, "G")}
	defer held[1].Close()
	if answers, closed := exchange(t, addr, liveRequest); len(answers) != 1 || answers[0].StatusCode != 503 || !closed {
		t.Errorf("the third connection got %v, closed %v", statuses(answers), closed)
	}
	_ = held[0].Close()
	waitFor(t, "another connection is let in", func() bool {
		answers, _ := exchange(t, addr, "GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
		return len(answers) == 1 && answers[0].StatusCode == 200
	})
}

// A refused client gets the response although it sent more than anybody reads.
func TestRefusedGetsResponse(t *testing.T) {
	_, addr := startServer(t, func(c *ServerConfig) { c.MaxConns = 1 })
	defer openConn(t, addr, "G").Close()
	for range 20 {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, strings.Repeat(liveRequest, 10_000)); err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(conn)
		if err != nil || !strings.HasPrefix(string(b), "HTTP/1.1 503 ") || strings.Count(string(b), "HTTP/1.1") != 1 {
			t.Fatalf("%q, %v", b, err)
		}
		conn.Close()
	}
}
