// This file decides which node a request asks, and which requests wait.

package clusternodes

import (
	"context"
	"errors"
	"slices"

	"contentedge/edgeserve/serve/clientnet"
)

// clientShare is how many times the free slots a client may have: three quarters of all, and less with others. So the
// searches of one client, however long they take, leave slots to other clients. The largest network of clientnet counts
// as one client.
const clientShare = 3

// waiter is a request that waits for a slot.
type waiter struct {
	clientnet.Place // of the client that the request is for
	tried           uint64
	ready           chan *node // gets the node with the slot, or nil if no further node may be asked
}

var (
	errOpen  = errors.New("no node may be asked: all those not yet tried are marked as failed")
	errQueue = errors.New("too many requests wait for the cluster")
	errBusy  = errors.New("no node has a slot now")
)

// acquire takes a slot of a node that is not in tried, and counts a goroutine. finish gives the slot back. Without
// wait, it fails without a free slot.
func (n *Nodes) acquire(ctx context.Context, client clientnet.Client, tried uint64, wait bool) (*node, error) {
	n.mu.Lock()
	nd, possible := n.pick(client, tried)
	switch {
	case nd != nil:
		n.take(nd, client)
		n.mu.Unlock()
		return nd, nil
	case !possible:
		n.mu.Unlock()
		return nil, errOpen
	case !wait:
		n.mu.Unlock()
		return nil, errBusy
	case !n.mayQueue(client):
		n.mu.Unlock()
		return nil, errQueue
	}
	w := &waiter{Place: n.ofClient.Arrive(client), tried: tried, ready: make(chan *node, 1)}
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
		n.giveBack(nd, w.Client)
		n.running.Done()
		n.dispatch()
	}
}

// take counts a request to a node. mu is held.
func (n *Nodes) take(nd *node, client clientnet.Client) {
	nd.inFlight++
	n.inFlight++
	if client != 0 {
		n.ofClient.Add(client, 1)
	}
	n.running.Add(1)
}

func (n *Nodes) places(yield func(*clientnet.Place) bool) {
	for _, w := range n.waiting {
		if !yield(&w.Place) {
			return
		}
	}
}

// giveBack is the opposite of take, except for the goroutine. mu is held.
func (n *Nodes) giveBack(nd *node, client clientnet.Client) {
	nd.inFlight--
	n.inFlight--
	if client != 0 {
		n.ofClient.Return(client, n.places)
	}
}

// mayQueue reports whether one more request of a client may wait: a client may have as many places of the queue as are
// left. mu is held.
func (n *Nodes) mayQueue(client clientnet.Client) bool {
	left := n.queue - len(n.waiting)
	if left <= 0 || client == 0 {
		return left > 0
	}
	own := 0
	for _, w := range n.waiting {
		if w.Client.Widest() == client.Widest() {
			own++
		}
	}
	return own < left
}

// pick returns the node with the fewest requests that has a slot for a client and is not in tried. One that is
// suspected comes after all others. possible reports whether waiting makes sense. mu is held.
func (n *Nodes) pick(client clientnet.Client, tried uint64) (best *node, possible bool) {
	if n.closed {
		return nil, false
	}
	free := 0
	for i := range n.nodes {
		nd := n.nodes[(n.next+i)%len(n.nodes)]
		if nd.circuit == open {
			continue
		}
		free += max(nd.limit-nd.inFlight, 0)
		if tried&(1<<nd.at) != 0 {
			continue
		}
		possible = true
		if nd.inFlight < nd.limit && (best == nil || nd.before(best)) {
			best = nd
		}
	}
	free = min(free, n.inAll-n.inFlight)
	if best == nil || free <= 0 || n.ofClient.Of(client.Widest()) >= clientShare*free {
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

// dispatch gives slots to requests that wait: first to clients with few. mu is held.
func (n *Nodes) dispatch() {
	for from := 0; from < len(n.waiting); {
		at := from + n.leastServed(n.waiting[from:])
		w := n.waiting[at]
		nd, possible := n.pick(w.Client, w.tried)
		if nd == nil && possible && w.tried == 0 {
			return // a request that may ask any node gets no slot, so none does after it
		}
		n.waiting = slices.Delete(n.waiting, at, at+1)
		if nd == nil && possible {
			n.waiting = slices.Insert(n.waiting, from, w)
			from++
			continue
		}
		if nd != nil {
			n.take(nd, w.Client)
		}
		w.ready <- nd
	}
}

// leastServed returns the index of the first waiter of the client with the fewest requests. mu is held.
func (n *Nodes) leastServed(waiting []*waiter) (least int) {
	for i, w := range waiting {
		if n.ofClient.IsBefore(&w.Place, &waiting[least].Place) {
			least = i
		}
	}
	return least
}
