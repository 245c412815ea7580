package bodies

import (
	"net/netip"
	"testing"
)

// TestBodies: the more clients hold memory, the less each of them may hold, and some is always left.
func TestBodies(t *testing.T) {
	for clients := 1; clients <= 8; clients++ {
		m := Budget{left: 720}
		for taking := true; taking; {
			taking = false
			for i := range clients {
				if m.ResizeFor(netip.AddrFrom4([4]byte{127, 0, 0, byte(i)}), 0, 1) {
					taking = true
				}
			}
		}
		if want := int64(720 / (clients + 1)); m.left < want || m.left > want+int64(clients) {
			t.Errorf("%d clients leave %d bytes, want %d", clients, m.left, want)
		}
		fresh := netip.AddrFrom4([4]byte{192, 0, 2, 1})
		if !m.ResizeFor(fresh, 0, m.left) || m.ResizeFor(fresh, 0, 1) {
			t.Errorf("beside %d clients, one that holds nothing cannot have exactly what is left", clients)
		}
	}
}

// Requests of one client that hold the same body count once; so do those of several clients
// for the memory that is taken, but each of them has it in its share.
func TestBudgetHolds(t *testing.T) {
	m, held := NewBudget(100), new(Holders)
	a, b := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	for _, client := range []netip.Addr{a, a, b} {
		if !m.Hold(held, 40, client) {
			t.Fatal("a shared body is refused")
		}
	}
	if m.Left() != 60 || m.clients[a] != 40 || m.clients[b] != 40 {
		t.Fatalf("%d bytes are left, of clients %v", m.Left(), m.clients)
	}
	if m.Hold(new(Holders), 30, a) {
		t.Error("a client holds more than is left for others")
	}
	for _, client := range []netip.Addr{a, b, a} {
		m.Release(held, 40, client)
	}
	if m.Left() != 100 || len(m.clients) != 0 || len(held.requests) != 0 {
		t.Errorf("then %d bytes are left, of clients %v", m.Left(), m.clients)
	}
}
