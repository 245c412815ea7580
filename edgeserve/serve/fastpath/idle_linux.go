// This file closes idle connections of the event loops for new ones.

package fastpath

import "time"

// CloseIdle closes the connection that has been idle the longest. It returns false if none is idle, or while
// draining. Only the goroutine that accepts connections may call it.
func (l *Listener) CloseIdle() bool {
	return !l.draining.Load() && l.idle.closeOne(func(visit func(idler)) {
		for _, loop := range l.loops {
			for _, c := range loop.openConns() {
				visit(c)
			}
		}
	})
}

// idleSince does not wait: a connection whose lock is taken is not idle.
func (c *conn) idleSince() (since time.Time, idle bool) {
	if !c.mu.TryLock() {
		return since, false
	}
	defer c.mu.Unlock()
	return c.lastUse()
}

func (c *conn) closeIdle(since time.Time) bool {
	if !c.mu.TryLock() {
		return false
	}
	defer c.mu.Unlock()
	last, idle := c.lastUse()
	if !idle || len(c.in) > 0 || !last.Equal(since) {
		return false
	}
	c.teardown()
	return true
}

// lastUse returns when the connection was accepted or had its last response, and reports whether it waits for the first
// byte of a request. c.mu is held.
func (c *conn) lastUse() (last time.Time, idle bool) {
	timeout := c.l.cfg.Idle
	switch {
	case c.state == detached:
		idle = c.handoff.idle
	case c.state == active:
		idle = c.requestSize == 0 && !c.unsent()
		if !c.responded {
			timeout = c.l.cfg.First
		}
	}
	if !idle || len(c.in) > 0 || c.eof || c.readDeadline.IsZero() || c.hasArrived() {
		return last, false
	}
	return c.readDeadline.Add(-timeout), true
}
