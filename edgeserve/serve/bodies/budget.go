// This file bounds the memory of bodies on their way, which slow clients hold for long.

package bodies

import (
	"net/netip"
	"sync"
)

// Large is the length from which the body of a response counts, in bytes. Shorter ones are copied
// into buffers, which the number of connections bounds.
const Large = 32 << 10

// Budget is bytes that requests take and give back. A body that several responses share
// counts once. Clients share by dynamic thresholds (Choudhury and Hahne, 1998): each may hold as
// much as is left, so one client takes half, two a third each. A client that holds nothing may take
// all that is left, so that a response longer than a share can be sent.
type Budget struct {
	mu      sync.Mutex
	left    int64
	low     int64                // IsLow below this
	clients map[netip.Addr]int64 // bytes that each client holds; zero is not stored; guarded by mu
}

// NewBudget returns a budget of so many bytes.
func NewBudget(bytes int64) *Budget { return &Budget{left: bytes, low: bytes / 4} }

// Left is the number of bytes that are not taken.
func (m *Budget) Left() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.left
}

// Resize changes taken bytes that count for no client. False: too few are left, from stays taken.
func (m *Budget) Resize(from, to int64) bool {
	if from == to {
		return true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if to-from > m.left {
		return false
	}
	m.left -= to - from
	return true
}

// ResizeFor is Resize for bytes that count for a client.
func (m *Budget) ResizeFor(client netip.Addr, from, to int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	grow := to - from
	if grow > 0 && !m.allows(client, from, grow, grow) {
		return false
	}
	m.left -= grow
	m.count(client, grow)
	return true
}

// allows reports whether a client may hold grow bytes more, of which take are to be taken. own is
// what it holds of this response: the first has no threshold.
func (m *Budget) allows(client netip.Addr, own, grow, take int64) bool {
	held := m.clients[client]
	return take <= m.left && (held == own || held+grow <= m.left-take)
}

func (m *Budget) count(client netip.Addr, n int64) {
	if m.clients == nil {
		m.clients = map[netip.Addr]int64{}
	}
	if m.clients[client] += n; m.clients[client] == 0 {
		delete(m.clients, client)
	}
}

// IsLow reports whether less than a quarter is left.
func (m *Budget) IsLow() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.left < m.low
}

// Holders are the requests of each client that hold a body in memory. Its Budget guards them.
type Holders struct{ requests map[netip.Addr]int }

// Add counts one more request of a client, whose memory is taken already. It is for the maker of a
// body, before another request sees it.
func (h *Holders) Add(client netip.Addr) {
	if h.requests == nil {
		h.requests = map[netip.Addr]int{}
	}
	h.requests[client]++
}

// Hold takes a body of n bytes for one more request of a client. False: there is no memory.
func (m *Budget) Hold(h *Holders, n int, client netip.Addr) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	size := int64(n)
	take := size
	if len(h.requests) > 0 {
		take = 0
	}
	if h.requests[client] == 0 {
		if !m.allows(client, 0, size, take) {
			return false
		}
		m.left -= take
		m.count(client, size)
	}
	h.Add(client)
	return true
}

// Release ends a Hold of a body of n bytes.
func (m *Budget) Release(h *Holders, n int, client netip.Addr) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if h.requests[client]--; h.requests[client] > 0 {
		return
	}
	delete(h.requests, client)
	m.count(client, -int64(n))
	if len(h.requests) == 0 {
		m.left += int64(n)
	}
}
