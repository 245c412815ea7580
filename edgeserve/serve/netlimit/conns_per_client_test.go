package netlimit

import (
	"net"
	"net/netip"
	"testing"
)

// All spellings of an IPv4 address are one client, and so is an IPv6 /64.
func TestClient(t *testing.T) {
	for _, c := range []struct{ a, b string }{
		{"192.0.2.1:1", "[::ffff:192.0.2.1]:2"},
		{"[2001:db8::1]:1", "[2001:db8::ffff:2]:1"},
	} {
		a, b := Client(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(c.a))), Client(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(c.b)))
		if a != b || !a.IsValid() {
			t.Errorf("%s is %s, %s is %s", c.a, a, c.b, b)
		}
	}
	if Client(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 1)}) == Client(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 2)}) {
		t.Error("two addresses are one client")
	}
}

// TestNetLimit: each client has a limit of connections. Addresses of one IPv6 network are one client.
func TestNetLimit(t *testing.T) {
	limit := connsPerClient{max: 1}
	from := func(addr string) net.Addr { return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(addr)) }
	release, ok := limit.admit(from("[2001:db8::1]:1"))
	t.Run("a client may have as many connections as the limit", func(t *testing.T) {
		if !ok {
			t.Error("the first one is refused")
		}
	})
	t.Run("another address of its network is the same client", func(t *testing.T) {
		if _, again := limit.admit(from("[2001:db8::2]:1")); again {
			t.Error("a second one is admitted")
		}
	})
	t.Run("another network is another client", func(t *testing.T) {
		if _, other := limit.admit(from("[2001:db8:0:1::1]:1")); !other {
			t.Error("it is refused")
		}
	})
	t.Run("a client without connections costs no memory", func(t *testing.T) {
		if release(); len(limit.open) != 1 {
			t.Errorf("%v remain", limit.open)
		}
	})
}
