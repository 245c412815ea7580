// This file lets clients take turns: one with many requests delays others by one at most.

package admission

import (
	"net/netip"
	"slices"
)

// line admits a bounded number at a time; next is the first waiter of the client with fewest
// admitted. One client may have all places while no other wants one. Clients behind a proxy are
// one, served in order of arrival.
type line struct {
	capacity, maxWaiting int

	admitted  int
	perClient map[netip.Addr]int // admitted of each client; zero is not stored
	queue     []*waiter          // in order of arrival
}

type waiter struct {
	client   netip.Addr
	ready    chan struct{} // closed when it leaves the queue
	admitted bool
}

func (l *line) tryAdmit(client netip.Addr) bool {
	if l.admitted >= l.capacity {
		return false
	}
	l.admit(client)
	return true
}

func (l *line) admit(client netip.Addr) {
	if l.perClient == nil {
		l.perClient = map[netip.Addr]int{}
	}
	l.admitted++
	l.perClient[client]++
}

func (l *line) release(client netip.Addr) {
	l.admitted--
	if l.perClient[client]--; l.perClient[client] == 0 {
		delete(l.perClient, client)
	}
	if len(l.queue) == 0 {
		return
	}
	next := l.queue[0]
	for _, w := range l.queue {
		if l.perClient[w.client] < l.perClient[next.client] {
			next = w
		}
	}
	next.admitted = true
	l.admit(next.client)
	l.dequeue(next)
}

// enqueue adds a waiter. If the queue is full, it removes the last waiter of the client that has
// most; it returns nil if that is the client itself.
func (l *line) enqueue(client netip.Addr) *waiter {
	if len(l.queue) >= l.maxWaiting {
		count := l.counts()
		last := l.queue[len(l.queue)-1]
		for _, w := range slices.Backward(l.queue) {
			if count[w.client] > count[last.client] {
				last = w
			}
		}
		if count[last.client] <= count[client]+1 {
			return nil
		}
		l.dequeue(last)
	}
	w := &waiter{client: client, ready: make(chan struct{})}
	l.queue = append(l.queue, w)
	return w
}

func (l *line) dequeue(w *waiter) {
	if i := slices.Index(l.queue, w); i >= 0 {
		l.queue = slices.Delete(l.queue, i, i+1)
		close(w.ready)
	}
}

func (l *line) counts() map[netip.Addr]int {
	count := map[netip.Addr]int{}
	for _, w := range l.queue {
		count[w.client]++
	}
	return count
}

// ahead is the position of one more waiter of a client: of each other client at most as many are
// admitted before it as of its own.
func (l *line) ahead(client netip.Addr) (n int) {
	count := l.counts()
	count[client]++
	for _, k := range count {
		n += min(k, count[client])
	}
	return n
}
