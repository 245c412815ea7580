// This file lets downloads continue after a drain has ended for all other connections.

package fastpath

import (
	"context"
	"time"
)

// progressTime is how long a download may send nothing until it is cut.
const progressTime = 5 * time.Second

// sender is a connection that may have a response under way.
type sender interface {
	comparable
	sentBytes() int64
	forceClose()
}

// stopping waits for the connections of a listener that no longer accepts.
type stopping[C sender] struct {
	done <-chan struct{} // closed when no connection is left
	open func() []C
	sent map[C]int64 // bytes at the last look
}

// await returns when no connection is left. When ctx ends, it closes the connections that have sent nothing since await
// was called, and the rest once they stop sending, or more returns false. It returns ctx's error if it has closed any.
func (s *stopping[C]) await(ctx context.Context, more func() bool) error {
	s.look()
	select {
	case <-s.done:
		return nil
	case <-ctx.Done():
	}
	cut, left := s.look()
	for left > 0 && more() {
		timer := time.NewTimer(progressTime)
		select {
		case <-s.done:
			timer.Stop()
			if cut > 0 {
				return ctx.Err()
			}
			return nil
		case <-timer.C:
		}
		var n int
		n, left = s.look()
		cut += n
	}
	for _, c := range s.open() {
		c.forceClose()
	}
	return ctx.Err()
}

// look closes the connections that have sent nothing since the last look, but none at the first one. It returns how many
// it has closed, and how many are left.
func (s *stopping[C]) look() (cut, left int) {
	now := map[C]int64{}
	for _, c := range s.open() {
		sent := c.sentBytes()
		if s.sent != nil && sent == s.sent[c] {
			c.forceClose()
			cut++
			continue
		}
		now[c] = sent
	}
	s.sent = now
	return cut, len(now)
}
