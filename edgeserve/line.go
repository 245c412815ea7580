// This file is a line that clients wait in by turns, so that one with many requests keeps
// another waiting no longer than one request does.

package edgeserve

import (
	"net/netip"
	"slices"
)

// line admits so many at a time. Of those that wait, the next is the first of the client
// that has fewest admitted: one client may have all there is while no other wants it.
// Behind a proxy all clients are one, and come in the order of their arrival.
type line struct {
	size, places int // that may be admitted; that may wait

	taken int
	has   map[netip.Addr]int // admitted; those with none are not in it
	queue []*waiter          // by arrival
}

// waiter is one that waits.
type waiter struct {
	client   netip.Addr
	called   chan struct{} // closed when it is out of the queue
	admitted bool
}

// take admits one if there is room.
func (l *line) take(client netip.Addr) bool {
	if l.taken >= l.size {
		return false
	}
	l.admit(client)
	return true
}

func (l *line) admit(client netip.Addr) {
	if l.has == nil {
		l.has = map[netip.Addr]int{}
	}
	l.taken++
	l.has[client]++
}

// release ends what was admitted, and calls the next.
func (l *line) release(client netip.Addr) {
	l.taken--
	if l.has[client]--; l.has[client] == 0 {
		delete(l.has, client)
	}
	if len(l.queue) == 0 {
		return
	}
	next := l.queue[0]
	for _, w := range l.queue {
		if l.has[w.client] < l.has[next.client] {
			next = w
		}
	}
	next.admitted = true
	l.admit(next.client)
	l.quit(next)
}

// join waits. If all places are taken, it takes that of the last of the client that has most
// of them; nil means that this is its own client.
func (l *line) join(client netip.Addr) *waiter {
	if len(l.queue) >= l.places {
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
		l.quit(last)
	}
	w := &waiter{client: client, called: make(chan struct{})}
	l.queue = append(l.queue, w)
	return w
}

// quit takes one out of the queue, if it is there, and calls it.
func (l *line) quit(w *waiter) bool {
	i := slices.Index(l.queue, w)
	if i < 0 {
		return false
	}
	l.queue = slices.Delete(l.queue, i, i+1)
	close(w.called)
	return true
}

// counts is how many of each client wait.
func (l *line) counts() map[netip.Addr]int {
	count := map[netip.Addr]int{}
	for _, w := range l.queue {
		count[w.client]++
	}
	return count
}

// ahead is how many would be admitted up to one more of a client, itself included: of any
// other client at most as many as of its own.
func (l *line) ahead(client netip.Addr) (n int) {
	count := l.counts()
	count[client]++
	for _, k := range count {
		n += min(k, count[client])
	}
	return n
}
