package netlimit

import (
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// script is a listener with scripted results of Accept.
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
		l := NewListener(newScript(failing, failing, failing, func() (net.Conn, error) { return conn, nil }),
			Limits{MaxConns: 1, OnAcceptError: func(err error) { told = append(told, err) }})
		start := time.Now()
		got, err := l.Accept()
		if err != nil || got.(*countedConn).NetConn() != conn {
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
		l := NewListener(newScript(failing), Limits{MaxConns: 1, OnAcceptError: func(error) {}})
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

// ReturnRefused returns refused connections to the caller.
func TestListenerReturnsRefused(t *testing.T) {
	first, _ := net.Pipe()
	refused, _ := net.Pipe()
	served, _ := net.Pipe()
	var let net.Conn
	count := 0
	l := NewListener(newScript(
		func() (net.Conn, error) { return first, nil },
		func() (net.Conn, error) { return refused, nil },
		func() (net.Conn, error) { return served, errors.Join(let.Close(), let.Close()) },
	), Limits{MaxConns: 1, Response: []byte("no"), ReturnRefused: true, OnAcceptError: func(error) {}, OnRefused: func() { count++ }})
	let, _ = l.Accept()
	conn, err := l.Accept()
	if r, ok := conn.(*Refused); err != nil || !ok || r.Conn != refused || string(r.Response) != "no" || count != 1 {
		t.Fatalf("the second is %v, %v; %d are refused", conn, err, count)
	}
	if got, err := l.Accept(); err != nil || got.(*countedConn).NetConn() != served {
		t.Fatalf("Accept: %v, %v", got, err)
	}
}

// A refused connection gets the response.
func TestListenerRefuses(t *testing.T) {
	first, _ := net.Pipe()
	refused, peer := net.Pipe()
	served, _ := net.Pipe()
	var let net.Conn
	l := NewListener(newScript(
		func() (net.Conn, error) { return first, nil },
		func() (net.Conn, error) { return refused, nil },
		func() (net.Conn, error) { return served, let.Close() },
	), Limits{MaxConns: 1, Response: []byte("no"), OnAcceptError: func(error) {}})
	let, _ = l.Accept()
	heard := make(chan string, 1)
	go func() {
		b, _ := io.ReadAll(peer)
		heard <- string(b)
	}()
	if got, err := l.Accept(); err != nil || got.(*countedConn).NetConn() != served {
		t.Fatalf("Accept: %v, %v", got, err)
	}
	if got := <-heard; got != "no" {
		t.Errorf("the refused client heard %q", got)
	}
}
