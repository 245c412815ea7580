package edgeserve

import (
	"io"
	"net"
	"strings"
	"testing"
)

const liveRequest = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"

// openConn opens a connection that has been answered and stays open.
func openConn(t *testing.T, addr string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, liveRequest); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	return conn
}

func TestConnectionLimit(t *testing.T) {
	_, addr := startServer(t, func(c *ServerConfig) { c.MaxConns = 1 })
	defer openConn(t, addr).Close()
	answers, closed := exchange(t, addr, liveRequest)
	if len(answers) != 1 || answers[0].StatusCode != 503 || answers[0].Header.Get("Retry-After") == "" || !closed {
		t.Fatalf("the second connection got %v, closed %v", statuses(answers), closed)
	}
	if date := answers[0].Header.Get("Date"); date != "" {
		t.Errorf("the answer, which was made when the server was, is of %s", date)
	}
}

// One address may have so many connections at a time, whatever it does with them.
func TestConnectionsOfOneAddress(t *testing.T) {
	_, addr := startServer(t, func(c *ServerConfig) { c.MaxConnsPerIP = 2 })
	held := []net.Conn{openConn(t, addr), openConn(t, addr)}
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
	defer openConn(t, addr).Close()
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
