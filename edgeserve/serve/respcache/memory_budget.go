// This file bounds the memory of responses being sent, which slow clients hold for long.

package respcache

import (
	"net/netip"
	"sync"
)

// LargeBody is the length from which a body counts, in bytes. Shorter ones are copied into buffers,
// which the number of connections bounds.
const LargeBody = 32 << 10

// MemoryBudget is bytes that requests take and give back. A body that several responses share
// counts once. Clients share by dynamic thresholds (Choudhury and Hahne, 1998): each may hold as
// much as is left, so one client takes half, two a third each. A client that holds nothing may take
// all that is left, so that a response longer than a share can be sent.
type MemoryBudget struct {
	mu      sync.Mutex
	left    int64
	low     int64                // IsLow below this
	clients map[netip.Addr]int64 // bytes that each client holds; zero is not stored; guarded by mu
}

// NewMemoryBudget returns a budget of so many bytes.
func NewMemoryBudget(bytes int64) *MemoryBudget { return &MemoryBudget{left: bytes, low: bytes / 4} }

// Left is the number of bytes that are not taken.
func (m *MemoryBudget) Left() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.left
}

// Resize changes taken bytes that count for no client. False: too few are left, from stays taken.
func (m *MemoryBudget) Resize(from, to int64) bool {
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
func (m *MemoryBudget) ResizeFor(client netip.Addr, from, to int64) bool {
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
func (m *MemoryBudget) allows(client netip.Addr, own, grow, take int64) bool {
	held := m.clients[client]
	return take <= m.left && (held == own || held+grow <= m.left-take)
}

func (m *MemoryBudget) count(client netip.Addr, n int64) {
	if m.clients == nil {
		m.clients = map[netip.Addr]int64{}
	}
	if m.clients[client] += n; m.clients[client] == 0 {
		delete(m.clients, client)
	}
}

// IsLow reports whether less than a quarter is left.
func (m *MemoryBudget) IsLow() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.left < m.low
}

// Hold takes the body of a response for one more request of a client.
func (m *MemoryBudget) Hold(response *Response, client netip.Addr) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := int64(len(response.Body))
	take := n
	if len(response.holders) > 0 {
		take = 0
	}
	if response.holders[client] == 0 {
		if !m.allows(client, 0, n, take) {
			return false
		}
		m.left -= take
		m.count(client, n)
	}
	response.HoldFor(client)
	return true
}

// Release ends a Hold.
func (m *MemoryBudget) Release(response *Response, client netip.Addr) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if response.holders[client]--; response.holders[client] > 0 {
		return
	}
	delete(response.holders, client)
	n := int64(len(response.Body))
	m.count(client, -n)
	if len(response.holders) == 0 {
		m.left += n
	}
}
