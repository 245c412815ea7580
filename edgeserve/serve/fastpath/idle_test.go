package fastpath

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// stub is a connection that is idle since a time; zero: it is busy.
type stub struct {
	since  time.Time
	closed *[]time.Time
}

func (s *stub) idleSince() (time.Time, bool) { return s.since, !s.since.IsZero() }

func (s *stub) closeIdle(since time.Time) bool {
	if s.since != since {
		return false
	}
	*s.closed = append(*s.closed, since)
	s.since = time.Time{}
	return true
}

// TestIdleQueue closes idle connections in order, with one scan for many of them, and does not scan at once again when
// none is idle.
func TestIdleQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 10 * idleParts
		var closed []time.Time
		var conns []*stub
		begin := time.Now()
		for i := range n {
			conns = append(conns, &stub{begin.Add(time.Duration(1+i*7%n) * time.Second), &closed})
		}
		conns[3].since = time.Time{}
		scans := 0
		var q idleQueue
		open := func(visit func(idler)) {
			scans++
			for _, c := range conns {
				visit(c)
			}
		}
		if !q.closeOne(open) {
			t.Fatal("none was closed")
		}
		conns[slices.IndexFunc(conns, func(c *stub) bool { return c.since.Equal(begin.Add(2 * time.Second)) })].since = begin.Add(n * time.Minute) // it is used again
		for q.closeOne(open) {
		}
		if len(closed) != n-1 || !closed[0].Equal(begin.Add(time.Second)) || !closed[n-2].Equal(begin.Add(n*time.Minute)) || !slices.IsSortedFunc(closed, time.Time.Compare) {
			t.Errorf("%d closed: %v", len(closed), closed)
		}
		if scans > n/2 {
			t.Errorf("%d scans for %d connections", scans, n)
		}
		before := scans
		for range 100 {
			q.closeOne(open)
		}
		if scans != before {
			t.Errorf("%d scans although none was idle", scans-before)
		}
		conns[0].since = begin
		time.Sleep(idlePause)
		if !q.closeOne(open) {
			t.Error("none is closed after the pause")
		}
	})
}
