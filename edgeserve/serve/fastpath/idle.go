// This file finds the connection that has been idle the longest, to be closed for a new one.

package fastpath

import (
	"slices"
	"time"
)

const (
	// idleParts divides the idle connections: a scan remembers the first part, and the next scan begins when these
	// connections are closed. So each new connection costs as much as a look at idleParts others.
	idleParts = 16
	// idlePause is the time until the next scan after one that found nothing: a flood of connections would
	// otherwise have all others scanned for each.
	idlePause = 100 * time.Millisecond
)

// idler is a connection that may be between two requests.
type idler interface {
	// idleSince reports whether the connection is idle, and since when.
	idleSince() (since time.Time, idle bool)
	// closeIdle closes the connection if it has been idle since that time, and reports whether it did.
	closeIdle(since time.Time) bool
}

type idleConn struct {
	idler
	since time.Time
}

// idleQueue has the connections that were idle the longest at the last scan. One goroutine may use it.
type idleQueue struct {
	longest   []idleConn // in order
	scanAfter time.Time
}

// closeOne closes the open connection that has been idle the longest. It returns false if none is idle.
func (q *idleQueue) closeOne(open func(visit func(idler))) bool {
	if q.closeFirst() {
		return true
	}
	now := time.Now()
	if now.Before(q.scanAfter) {
		return false
	}
	open(func(c idler) {
		if since, idle := c.idleSince(); idle {
			q.longest = append(q.longest, idleConn{c, since})
		}
	})
	slices.SortFunc(q.longest, func(a, b idleConn) int { return a.since.Compare(b.since) })
	q.longest = slices.Clone(q.longest[:(len(q.longest)+idleParts-1)/idleParts])
	if q.closeFirst() {
		return true
	}
	q.scanAfter = now.Add(idlePause)
	return false
}

// closeFirst closes the first connection that is still idle.
func (q *idleQueue) closeFirst() bool {
	for len(q.longest) > 0 {
		first := q.longest[0]
		q.longest[0] = idleConn{}
		q.longest = q.longest[1:]
		if first.closeIdle(first.since) {
			return true
		}
	}
	return false
}

// CloseIdle closes the connection that has been idle the longest. It returns false if none is idle, or while
// draining. Only the goroutine that accepts connections may call it.
func (l *FiberListener) CloseIdle() bool {
	return !l.drain.on.Load() && l.idle.closeOne(func(visit func(idler)) {
		for _, c := range l.drain.open() {
			visit(c)
		}
	})
}

func (c *lingeringConn) idleSince() (since time.Time, idle bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lastUse, !c.busy
}

func (c *lingeringConn) closeIdle(since time.Time) bool {
	now, idle := c.idleSince()
	return idle && now.Equal(since) && c.closeAtOnce() == nil
}
