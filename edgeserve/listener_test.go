package edgeserve

import (
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// script is a listener whose Accept does what it is told.
type script struct {
	net.Listener
	steps  chan func() (net.Conn, error)
	closed chan struct{}
}

func newScript(steps ...func() (net.Conn, error)) *script {
	s := &script{steps: make(chan func() (net.Conn, error), len(steps)), closed: make(chan struct{})}
	for _, step := range steps {
		s.steps <- step
	}
	return s
}

func (s *script) Accept() (net.Conn, error) {
	select {
	case step := <-s.steps:
		return step()
	case <-s.closed:
		return nil, net.ErrClosed
	}
}

func (s *script) Close() error {
	close(s.closed)
	return nil
}

func failing() (net.Conn, error) { return nil, syscall.EMFILE }

func TestListenerOutlivesErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, _ := net.Pipe()
		var told []error
		l := newListener(newScript(failing, failing, failing, func() (net.Conn, error) { return conn, nil }),
			1, nil, func(err error) { told = append(told, err) })
		start := time.Now()
		got, err := l.Accept()
		if err != nil || got.(*admitted).NetConn() != conn {
			t.Fatalf("Accept: %v, %v", got, err)
		}
		if paused := time.Since(start); paused != 7*acceptPauseMin {
			t.Errorf("paused %s for three errors", paused)
		}
		if len(told) != 1 || !errors.Is(told[0], syscall.EMFILE) {
			t.Errorf("told of %v", told)
		}
	})
}

func TestListenerCloseEndsAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newListener(newScript(failing), 1, nil, func(error) {})
		done := make(chan error, 1)
		go func() {
			_, err := l.Accept()
			done <- err
		}()
		synctest.Wait()
		start := time.Now()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-done; !errors.Is(err, net.ErrClosed) || time.Since(start) != 0 {
			t.Errorf("Accept returned %v after %s", err, time.Since(start))
		}
		if err := l.Close(); err != nil {
			t.Errorf("closing twice: %v", err)
		}
	})
}

func TestListenerTurnsAway(t *testing.T) {
	first, _ := net.Pipe()
	refused, peer := net.Pipe()
	served, _ := net.Pipe()
	var let net.Conn
	l := newListener(newScript(
		func() (net.Conn, error) { return first, nil },
		func() (net.Conn, error) { return refused, nil },
		func() (net.Conn, error) { return served, errors.Join(let.Close(), let.Close()) },
	), 1, []byte("no"), func(error) {})
	let, _ = l.Accept()
	heard := make(chan string, 1)
	go func() {
		b, _ := io.ReadAll(peer)
		heard <- string(b)
	}()
	if got, err := l.Accept(); err != nil || got.(*admitted).NetConn() != served {
		t.Fatalf("Accept: %v, %v", got, err)
	}
	if got := <-heard; got != "no" {
		t.Errorf("the refused client heard %q", got)
	}
}

func TestConnectionLimit(t *testing.T) {
	_, addr := startServer(t, func(c *Config) { c.MaxConns = 1 })
	first, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	const probe = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"
	if _, err := io.WriteString(first, probe); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	answers, closed := exchange(t, addr, probe)
	if len(answers) != 1 || answers[0].StatusCode != 503 || answers[0].Header.Get("Retry-After") == "" || !closed {
		t.Fatalf("the second connection got %v, closed %v", statuses(answers), closed)
	}
	if date := answers[0].Header.Get("Date"); date != "" {
		t.Errorf("the answer, which was made when the server was, is of %s", date)
	}
}

// One address may have so many connections at a time, whatever it does with them.
func TestConnectionsOfOneAddress(t *testing.T) {
	_, addr := startServer(t, func(c *Config) { c.MaxConnsPerIP = 2 })
	const probe = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"
	var held []net.Conn
	for range 2 {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, probe); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		held = append(held, conn)
	}
	if answers, closed := exchange(t, addr, probe); len(answers) != 1 || answers[0].StatusCode != 503 || !closed {
		t.Errorf("the third connection got %v, closed %v", statuses(answers), closed)
	}
	_ = held[0].Close()
	waitFor(t, "another connection is let in", func() bool {
		answers, _ := exchange(t, addr, "GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
		return len(answers) == 1 && answers[0].StatusCode == 200
	})
}
