package fastpath

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// testSender sends a byte a second from its first second to its last one.
type testSender struct {
	begun       time.Time
	first, last time.Duration
	closedAt    time.Duration // 0: it was not closed
}

func (s *testSender) sentBytes() int64 {
	return int64((min(time.Since(s.begun), s.last) - min(time.Since(s.begun), s.first)) / time.Second)
}

func (s *testSender) forceClose() { s.closedAt = time.Since(s.begun) }

// TestDownloads: after the end of a drain, connections go on that send, until they stop or nobody else serves.
func TestDownloads(t *testing.T) {
	const s = time.Second
	for name, c := range map[string]struct {
		first, last time.Duration
		served      time.Duration // by another process, from the start
		ends        time.Duration // of itself; 0: never
		closed      time.Duration
		isCut       bool
	}{
		"silent":                         {0, 0, time.Hour, 0, 10 * s, true},
		"sent before the drain alone":    {-20 * s, 0, time.Hour, 0, 10 * s, true},
		"nobody else serves":             {0, time.Hour, 0, 0, 10 * s, true},
		"the other process ends":         {0, time.Hour, 32 * s, 0, 35 * s, true},
		"a download that ends":           {0, 40 * s, time.Hour, 41 * s, 0, false},
		"one that ends within the drain": {0, 5 * s, time.Hour, 5 * s, 0, false},
		"one that stands still":          {0, 21 * s, time.Hour, 0, 30 * s, true},
		"one that begins late":           {8 * s, 100 * s, time.Hour, 101 * s, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				sender := &testSender{begun: begun, first: c.first, last: c.last}
				done := make(chan struct{})
				if c.ends > 0 {
					time.AfterFunc(c.ends, func() { close(done) })
				}
				open := func() []*testSender {
					if sender.closedAt > 0 || c.ends > 0 && time.Since(begun) >= c.ends {
						return nil
					}
					return []*testSender{sender}
				}
				ctx, cancel := context.WithTimeout(t.Context(), 10*s)
				defer cancel()
				w := stopping[*testSender]{done: done, open: open}
				err := w.await(ctx, func() bool { return time.Since(begun) < c.served })
				if sender.closedAt != c.closed || errors.Is(err, context.DeadlineExceeded) != c.isCut {
					t.Errorf("closed after %s, want %s; %v after %s", sender.closedAt, c.closed, err, time.Since(begun))
				}
			})
		})
	}
}
