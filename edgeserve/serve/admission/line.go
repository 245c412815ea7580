// This file lets clients take turns: one with many requests delays others by one at most. Turns go round the largest
// networks of clientnet first, then round the networks and clients in each.

package admission

import (
	"slices"

	"contentedge/edgeserve/serve/clientnet"
)

// line admits a bounded number at a time; next is the first waiter of the client with fewest admitted, and among equals
// the client that has waited longest since it arrived or its last search ended. One client may have all places while no
// other wants one. Clients behind a proxy count as one, served in order of arrival.
type line struct {
	capacity, maxWaiting int

	admitted int
	turns    clientnet.Turns // admitted of each client
	queue    []*waiter       // in order of arrival
}

type waiter struct {
	clientnet.Place
	ready    chan struct{} // closed when it leaves the queue
	admitted bool
}

func (l *line) tryAdmit(client clientnet.Client) bool {
	if l.admitted >= l.capacity {
		return false
	}
	l.admit(client)
	return true
}

func (l *line) admit(client clientnet.Client) {
	l.admitted++
	l.turns.Add(client, 1)
}

func (l *line) places(yield func(*clientnet.Place) bool) {
	for _, w := range l.queue {
		if !yield(&w.Place) {
			return
		}
	}
}

func (l *line) release(client clientnet.Client) {
	l.admitted--
	l.turns.Return(client, l.places)
	if len(l.queue) == 0 {
		return
	}
	next := l.queue[0]
	for _, w := range l.queue {
		if l.turns.IsBefore(&w.Place, &next.Place) {
			next = w
		}
	}
	next.admitted = true
	l.dequeue(next)
	l.admit(next.Client)
}

// enqueue adds a waiter. If the queue is full, a waiter of a client or network that has more gives way. It returns nil
// if no client has more.
func (l *line) enqueue(client clientnet.Client) *waiter {
	if len(l.queue) >= l.maxWaiting {
		last := l.givesWay(client)
		if last == nil {
			return nil
		}
		l.dequeue(last)
	}
	w := &waiter{Place: l.turns.Arrive(client), ready: make(chan struct{})}
	l.queue = append(l.queue, w)
	return w
}

// givesWay returns the last waiter of the client that has most, in the largest network of the new client in which
// another one would still have as many places as the new one then has.
func (l *line) givesWay(client clientnet.Client) *waiter {
	waiting := l.waiting()
	for level := clientnet.Levels - 1; level >= 0; level-- {
		var last *waiter
		for _, w := range slices.Backward(l.queue) {
			if isInside(w.Client, client, level) && (last == nil || waiting.Compare(w.Client, last.Client) > 0) {
				last = w
			}
		}
		if last != nil && waiting.Of(last.Network(level)) > waiting.Of(client.Network(level))+1 {
			return last
		}
	}
	return nil
}

// isInside reports whether two clients share the network above a level.
func isInside(a, b clientnet.Client, level int) bool {
	return level == clientnet.Levels-1 || a.Network(level+1) == b.Network(level+1)
}

func (l *line) dequeue(w *waiter) {
	if i := slices.Index(l.queue, w); i >= 0 {
		l.queue = slices.Delete(l.queue, i, i+1)
		close(w.ready)
	}
}

func (l *line) waiting() (count clientnet.Counts) {
	for _, w := range l.queue {
		count.Add(w.Client, 1)
	}
	return count
}

// ahead is the position of one more waiter of a client: of each other client in its network at most as many are
// admitted before it as of its own, then of each other network as many as of its own.
func (l *line) ahead(client clientnet.Client) (n int) {
	count := l.waiting()
	count.Add(client, 1)
	n = count.Of(client.Network(0))
	for level := range clientnet.Levels {
		seen := map[clientnet.Network]bool{client.Network(level): true}
		before := min(count.Of(client.Network(level)), n)
		for _, w := range l.queue {
			if other := w.Network(level); !seen[other] && isInside(w.Client, client, level) {
				seen[other] = true
				before += min(count.Of(other), n)
			}
		}
		n = before
	}
	return n
}
