// This file decides which node a request asks, and which requests wait.

package clusternodes

import (
	"context"
	"errors"
)

// waiter is a request that waits for a slot.
type waiter struct {
	tried uint64
	ready chan *node // gets the node with the slot, or nil if no node may be asked any more
}

var (
	errOpen  = errors.New("no node may be asked: those that are left have failed")
	errQueue = errors.New("too many requests wait for the cluster")
	errBusy  = errors.New("no node has a slot now")
)

// acquire takes a slot of a node that is not in tried, and counts a goroutine. finish gives the slot
// back. Without wait, it fails if there is no slot now.
func (n *Nodes) acquire(ctx context.Context, tried uint64, wait bool) (*node, error) {
	n.mu.Lock()
	nd, possible := n.pick(tried)
	switch {
	case nd != nil:
		n.take(nd)
		n.mu.Unlock()
		return nd, nil
	case !possible:
		n.mu.Unlock()
		return nil, errOpen
	case !wait:
		n.mu.Unlock()
		return nil, errBusy
	case len(n.waiting) >= n.queue:
		n.mu.Unlock()
		return nil, errQueue
	}
	w := &waiter{tried: tried, ready: make(chan *node, 1)}
	n.waiting = append(n.waiting, w)
	n.mu.Unlock()
	select {
	case nd := <-w.ready:
		if nd == nil {
			return nil, errOpen
		}
		return nd, nil
	case <-ctx.Done():
		n.leave(w)
		return nil, context.Cause(ctx)
	}
}

// leave takes a request out of the queue. Its slot, if it has just got one, goes to the next.
func (n *Nodes) leave(w *waiter) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i, other := range n.waiting {
		if other == w {
			n.waiting = append(n.waiting[:i], n.waiting[i+1:]...)
			return
		}
	}
	if nd := <-w.ready; nd != nil {
		n.giveBack(nd)
		n.running.Done()
		n.dispatch()
	}
}

// take counts a request to a node. mu is held.
func (n *Nodes) take(nd *node) {
	nd.inFlight++
	n.inFlight++
	n.running.Add(1)
}

// giveBack is the opposite of take, but for the goroutine. mu is held.
func (n *Nodes) giveBack(nd *node) {
	nd.inFlight--
	n.inFlight--
}

// pick returns the node with the fewest requests that has a slot and is not in tried. One that is
// suspected comes after all others. possible reports whether waiting makes sense. mu is held.
func (n *Nodes) pick(tried uint64) (best *node, possible bool) {
	if n.closed {
		return nil, false
	}
	for i := range n.nodes {
		nd := n.nodes[(n.next+i)%len(n.nodes)]
		if tried&(1<<nd.at) != 0 || nd.circuit == open {
			continue
		}
		possible = true
		if nd.inFlight < nd.limit && (best == nil || nd.before(best)) {
			best = nd
		}
	}
	if best == nil || n.inFlight >= n.inAll {
		return nil, possible
	}
	n.next = (best.at + 1) % len(n.nodes)
	return best, possible
}

// before reports whether a node is asked rather than another one.
func (nd *node) before(other *node) bool {
	if nd.circuit != other.circuit {
		return nd.circuit == closed
	}
	return nd.inFlight < other.inFlight
}

// dispatch gives slots to requests that wait. mu is held.
func (n *Nodes) dispatch() {
	kept := n.waiting[:0]
	full := false // a request that may ask any node gets no slot, so none does
	for _, w := range n.waiting {
		if full {
			kept = append(kept, w)
			continue
		}
		nd, possible := n.pick(w.tried)
		switch {
		case nd != nil:
			n.take(nd)
			w.ready <- nd
		case !possible:
			w.ready <- nil
		default:
			full = w.tried == 0
			kept = append(kept, w)
		}
	}
	clear(n.waiting[len(kept):])
	n.waiting = kept
}
