// This file limits the memory of bodies that are being received or sent. Slow clients hold it for long.

package bodies

import (
	"sync"

	"contentedge/edgeserve/serve/clientnet"
)

// Large is the length, in bytes, from which on the body of a response counts in the budget. Shorter
// bodies are copied into buffers, whose number the number of connections limits.
const Large = 32 << 10

// Budget is an amount of memory that requests take from and give back to. A body that several responses
// share counts once. Clients share the budget by dynamic thresholds (Choudhury and Hahne, 1998). Each may
// hold as much as is left: one client takes half, two clients a third each. A client that holds nothing
// may take all that is left, so that a response longer than a share can be sent. All clients of the largest network of
// clientnet share like one: a multiple of a share would leave nothing to others.
type Budget struct {
	total   int64
	mu      sync.Mutex
	left    int64
	low     int64                       // below it IsLow is true
	clients map[clientnet.Network]int64 // bytes that the largest network of each client holds; zero is not stored; guarded by mu
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
func (m *Budget) ResizeFor(client clientnet.Client, from, to int64) bool {
	holder := client.Widest()
	m.mu.Lock()
	defer m.mu.Unlock()
	grow := to - from
	if grow > 0 && !m.allows(holder, from, grow, grow) {
		return false
	}
	m.left -= grow
	m.count(holder, grow)
	return true
}

// allows reports whether a holder may hold grow bytes more. take is how many are not yet taken. own is what it holds of
// this response: a holder of nothing else has no threshold.
func (m *Budget) allows(holder clientnet.Network, own, grow, take int64) bool {
	held := m.clients[holder]
	return take <= m.left && (held == own || held+grow <= m.left-take)
}

func (m *Budget) count(holder clientnet.Network, n int64) {
	if m.clients == nil {
		m.clients = map[clientnet.Network]int64{}
	}
	if m.clients[holder] += n; m.clients[holder] == 0 {
		delete(m.clients, holder)
	}
}

// IsLow reports whether less than a quarter is left.
func (m *Budget) IsLow() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.left < m.low
}

// Holders counts, by the largest network of clients, the requests that hold a body in memory. The lock of its Budget guards it.
type Holders struct{ requests map[clientnet.Network]int }

// Add counts one more request of a client, whose memory is taken already. The maker of a body calls it,
// before another request sees the body.
func (h *Holders) Add(client clientnet.Client) {
	if h.requests == nil {
		h.requests = map[clientnet.Network]int{}
	}
	h.requests[client.Widest()]++
}

// Hold holds a body of n bytes for one more request of a client. It returns false if memory is short.
func (m *Budget) Hold(h *Holders, n int, client clientnet.Client) bool {
	holder := client.Widest()
	m.mu.Lock()
	defer m.mu.Unlock()
	size := int64(n)
	take := size
	if len(h.requests) > 0 {
		take = 0
	}
	if h.requests[holder] == 0 {
		if !m.allows(holder, 0, size, take) {
			return false
		}
		m.left -= take
		m.count(holder, size)
	}
	h.Add(client)
	return true
}

// Release ends a Hold of a body of n bytes.
func (m *Budget) Release(h *Holders, n int, client clientnet.Client) {
	holder := client.Widest()
	m.mu.Lock()
	defer m.mu.Unlock()
	if h.requests[holder]--; h.requests[holder] > 0 {
		return
	}
	delete(h.requests, holder)
	m.count(holder, -int64(n))
	if len(h.requests) == 0 {
		m.left += int64(n)
	}
}
