package bodies

import (
	"net/netip"
	"testing"

	"contentedge/edgeserve/serve/clientnet"
)

// TestBodies: the more clients hold memory, the less each of them may hold, and some is always left.
func TestBodies(t *testing.T) {
	for clients := 1; clients <= 8; clients++ {
		m := Budget{left: 720}
		for taking := true; taking; {
			taking = false
			for i := range clients {
				if m.ResizeFor(clientnet.Of(netip.AddrFrom4([4]byte{127, 0, 0, byte(i)})), 0, 1) {
					taking = true
				}
			}
		}
		if want := int64(720 / (clients + 1)); m.left < want || m.left > want+int64(clients) {
			t.Errorf("%d clients leave %d bytes, want %d", clients, m.left, want)
		}
		fresh := clientnet.Of(netip.AddrFrom4([4]byte{192, 0, 2, 1}))
		if !m.ResizeFor(fresh, 0, m.left) || m.ResizeFor(fresh, 0, 1) {
			t.Errorf("beside %d clients, one that holds nothing cannot have exactly what is left", clients)
		}
	}
}

// Requests of one client that hold the same body count once; so do those of several clients
// for the memory that is taken, but each of them has it in its share.
func TestBudgetHolds(t *testing.T) {
	m, held := NewBudget(100), new(Holders)
	a, b := clientnet.Of(netip.MustParseAddr("192.0.2.1")), clientnet.Of(netip.MustParseAddr("192.0.2.2"))
	for _, client := range []clientnet.Client{a, a, b} {
		if !m.Hold(held, 40, client) {
			t.Fatal("a shared body is refused")
		}
	}
	if m.Left() != 60 || m.clients[a.Widest()] != 40 || m.clients[b.Widest()] != 40 {
		t.Fatalf("%d bytes are left, of clients %v", m.Left(), m.clients)
	}
	if m.Hold(new(Holders), 30, a) {
		t.Error("a client holds more than is left for others")
	}
	for _, client := range []clientnet.Client{a, b, a} {
		m.Release(held, 40, client)
	}
	if m.Left() != 100 || len(m.clients) != 0 || len(held.requests) != 0 {
		t.Errorf("then %d bytes are left, of clients %v", m.Left(), m.clients)
	}
}

// All clients of a /48 have the share of one, also of a body that they share.
func TestANetworkHasOneShare(t *testing.T) {
	inside := func(i int) clientnet.Client {
		return clientnet.Of(netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, 0, 1, byte(i >> 8), byte(i)}))
	}
	m := NewBudget(1000)
	for i := range 1000 {
		m.ResizeFor(inside(i), 0, 1)
	}
	if m.Left() != 500 {
		t.Errorf("%d bytes are left", m.Left())
	}
	if m.ResizeFor(inside(2000), 0, 400) {
		t.Error("a new address of the network has all that is left")
	}
	if !m.ResizeFor(clientnet.Of(netip.MustParseAddr("2001:db8:2::1")), 0, 400) {
		t.Error("another network has not")
	}
	m, held := NewBudget(100), new(Holders)
	for i := range 40 {
		if !m.Hold(held, 40, inside(i)) {
			t.Fatal("a shared body is refused")
		}
	}
	for i := range 40 {
		m.Release(held, 40, inside(i))
	}
	if m.Left() != 100 || len(m.clients) != 0 {
		t.Errorf("%d bytes are left, %v are held", m.Left(), m.clients)
	}
}
