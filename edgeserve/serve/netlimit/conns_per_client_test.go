package netlimit

import (
	"fmt"
	"net"
	"net/netip"
	"testing"
)

func from(addr string) net.Addr { return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(addr)) }

// TestNetLimit: clients and the networks around them have limits, whatever addresses they use.
func TestNetLimit(t *testing.T) {
	for _, c := range []struct {
		name, format string // of the addresses of connections
		want         int    // that are admitted of 1,000
	}{
		{"one address", "192.0.2.1:%[2]d", 2},
		{"an address each", "192.0.2.%[1]d:80", 512},
		{"mapped addresses", "[::ffff:192.0.2.1]:%[2]d", 2},
		{"a /64", "[2001:db8::%[1]x]:80", 2},
		{"a /64 each of one /56", "[2001:db8:0:%[1]x::1]:80", 8},
		{"a /56 each of one /48", "[2001:db8:0:%[1]x00::1]:80", 32},
		{"a /48 each", "[2001:db8:%[1]x::1]:80", 512},
		{"6to4 of one address", "[2002:c000:201:%[1]x::1]:80", 2},
		{"NAT64 of one address", "[64:ff9b::c000:201]:%[2]d", 2},
		{"loopback", "[::1]:%[2]d", 2},
	} {
		limit := connsPerClient{max: 2}
		var open []func()
		for i := range 1000 {
			if release, ok := limit.admit(from(fmt.Sprintf(c.format, i%256, i+1))); ok {
				open = append(open, release)
			}
		}
		if len(open) != c.want {
			t.Errorf("%s: %d are admitted, want %d", c.name, len(open), c.want)
		}
		for _, release := range open {
			release()
		}
		if limit.open.Len() != 0 {
			t.Errorf("%s: %v remain", c.name, limit.open)
		}
		if _, ok := limit.admit(from(fmt.Sprintf(c.format, 0, 1))); !ok {
			t.Errorf("%s: once its connections have ended, the client gets no other one", c.name)
		}
	}
	if _, ok := (&connsPerClient{max: 1}).admit(&net.UnixAddr{Name: "s"}); !ok {
		t.Error("a Unix socket is limited")
	}
}
