// This file limits the memory of bodies that are being received or sent. Slow clients hold it for long.

package bodies

import (
	"net/netip"
	"sync"
)

// Large is the length, in bytes, from which on the body of a response counts in the budget. Shorter
// bodies are copied into buffers, whose number the number of connections limits.
const Large = 32 << 10

// Budget is an amount of memory that requests take from and give back to. A body that several responses
// share counts once. Clients share the budget by dynamic thresholds (Choudhury and Hahne, 1998). Each may
// hold as much as is left: one client takes half, two clients a third each. A client that holds nothing
// may take all that is left, so that a response longer than a share can be sent.
type Budget struct {
	total   int64
	mu      sync.Mutex
	left    int64
	low     int64                // below it IsLow is true
	clients map[netip.Addr]int64 // bytes that each client holds; zero is not stored; guarded by mu
}

// NewBudget returns a budget of a number of bytes.
func NewBudget(bytes int64) *Budget { return &Budget{total: bytes, left: bytes, low: bytes / 4} }

// Total is the number of bytes of the budget.
func (m *Budget) Total() int64 { return m.total }

// Left is the number of bytes that are not taken.
func (m *Budget) Left() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.left
}

// Resize takes to bytes in the place of from taken bytes. They count for no client. If too few bytes are left, it returns
// false and changes nothing.
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

// ResizeFor is Resize for bytes that count for a client. It also returns false if the client would exceed its share.
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

// allows reports whether a client may hold grow bytes more. take of them are not taken yet. own is what
// the client holds of this response: a client that holds nothing else has no threshold.
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

// Holders counts, by client, the requests that hold a body in memory. The lock of its Budget guards it.
type Holders struct{ requests map[netip.Addr]int }

// Add counts one more request of a client, whose memory is taken already. The maker of a body calls it,
// before another request sees the body.
func (h *Holders) Add(client netip.Addr) {
	if h.requests == nil {
		h.requests = map[netip.Addr]int{}
	}
	h.requests[client]++
}

// Hold holds a body of n bytes for one more request of a client. It returns false if there is no memory.
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
