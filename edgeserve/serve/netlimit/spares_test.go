package netlimit

import (
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// TestSpares accepts at once while spare descriptors are left, and pauses otherwise. A closed connection brings the
// spare ones back.
func TestSpares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		accept := func() (net.Conn, error) {
			conn, _ := net.Pipe()
			return conn, nil
		}
		failures := 0
		other := func() (net.Conn, error) { return nil, errors.New("another error") }
		l := NewListener(newScript(failing, failing, accept, failing, accept, failing, accept, other, accept),
			Limits{MaxConns: 9, Spares: 2, OnAcceptError: func(error) { failures++ }})
		for i, want := range []struct {
			failures int
			pause    time.Duration
			left     int // pairs
		}{{0, 0, 0}, {1, acceptPauseMin, 0}, {1, 0, 1}, {2, acceptPauseMin, 2}} {
			start := time.Now()
			conn, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			if pause := time.Since(start); failures != want.failures || pause != want.pause || len(l.spares.pairs) != want.left {
				t.Errorf("%d: %d failures, a pause of %s, %d pairs are left", i, failures, pause, len(l.spares.pairs))
			}
			if i > 0 {
				_ = conn.Close()
			}
		}
		if err := l.Close(); err != nil || len(l.spares.pairs) > 0 {
			t.Errorf("after the end %d pairs, %v", len(l.spares.pairs), err)
		}
		if l.spares.refill(); len(l.spares.pairs) > 0 {
			t.Error("spare descriptors of a closed listener")
		}
	})
}
