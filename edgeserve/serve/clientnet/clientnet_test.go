package clientnet

import (
	"net/netip"
	"testing"
)

func of(text string) Client { return Of(netip.MustParseAddr(text)) }

// TestClientNet shows which addresses are one client, and which share a /56 or a /48.
func TestClientNet(t *testing.T) {
	const none = Levels // the addresses share nothing
	for _, c := range []struct {
		a, b string
		from int // the first level at which both have one network
	}{
		{"192.0.2.1", "192.0.2.1", 0}, {"192.0.2.1", "192.0.2.2", none}, {"192.0.2.1", "::ffff:192.0.2.1", 0},
		{"2001:db8::1", "2001:db8::ffff:0:0:2", 0}, {"fe80::1%eth0", "fe80::2", 0},
		{"2001:db8::1", "2001:db8:0:1::1", 1}, {"2001:db8:0:100::1", "2001:db8:0:1ff::1", 1},
		{"2001:db8::1", "2001:db8:0:100::1", 2}, {"2001:db8::1", "2001:db8:0:ffff::1", 2}, {"2001:db8::1", "2001:db8:1::1", none},
		{"2002:c000:201::1", "192.0.2.1", 0}, {"2002:c000:201:ffff::9", "192.0.2.1", 0}, {"2002:c000:202::1", "192.0.2.1", none},
		{"64:ff9b::192.0.2.1", "192.0.2.1", 0}, {"64:ff9b::192.0.2.1", "64:ff9b::192.0.2.2", none}, {"64:ff9b::1:c000:201", "192.0.2.1", none},
		{"64:ff9b:1::192.0.2.1", "192.0.2.1", none},
		{"2001:0:1234:5678::3fff:fdfe", "192.0.2.1", 0}, {"2001:0:9999:9999:1:2:3fff:fdfe", "192.0.2.1", 0}, {"2001:0:1::1", "2001:0:1::2", none},
		{"2001:1::3fff:fdfe", "192.0.2.1", none},
		{"::1", "::", 0}, {"::1", "0.0.0.0", none}, {"::1", "0.0.0.1", none}, {"::192.0.2.1", "192.0.2.1", none}, {"0:1:c000:201::", "192.0.2.1", none},
		{"255.255.255.255", "::1", none}, {"::1", "0:2:1::", none},
	} {
		for level := range Levels {
			if a, b := of(c.a).Network(level), of(c.b).Network(level); (a == b) != (level >= c.from) {
				t.Errorf("%s and %s: %v and %v at level %d", c.a, c.b, a, b, level)
			}
		}
	}
	if c := Of(netip.Addr{}); c != 0 || c.Levels() != 1 || c == of("::1") || c == of("0.0.0.0") {
		t.Errorf("no address is client %d", c)
	}
}

// A network has more than one of its clients, and a client that has nothing costs no memory.
func TestCounts(t *testing.T) {
	var c Counts
	home, other, far, four := of("2001:db8::1"), of("2001:db8:0:1::1"), of("2001:db8:0:100::1"), of("192.0.2.1")
	for _, client := range []Client{home, other, far, far, four, four, 0} {
		c.Add(client, 1)
	}
	for _, w := range []struct {
		network      Network
		want, weight int
	}{
		{home.Network(0), 1, 1}, {home.Network(1), 2, 4}, {far.Network(1), 2, 4}, {home.Network(2), 4, 16}, {four.Network(0), 2, 1}, {four.Network(2), 2, 1}, {Client(0).Widest(), 1, 1},
	} {
		if got := c.Of(w.network); got != w.want || w.network.Weight() != w.weight {
			t.Errorf("%v has %d, weight %d, want %d, %d", w.network, got, w.network.Weight(), w.want, w.weight)
		}
	}
	for _, w := range []struct {
		a, b Client
		want int
	}{
		{home, home, 0}, {home, other, 0}, {home, far, 0}, {far, home, 0}, {home, four, 2}, {four, far, -2}, {0, four, -1},
	} {
		if got := c.Compare(w.a, w.b); got != w.want {
			t.Errorf("%d against %d: %d, want %d", w.a, w.b, got, w.want)
		}
	}
	for _, client := range []Client{home, other, far, far, four, four, 0} {
		c.Add(client, -1)
	}
	if c.Len() != 0 {
		t.Errorf("%v remain", c.of)
	}
}

func TestOfAllocatesNothing(t *testing.T) {
	addrs := []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("2001:0:1::1"), netip.MustParseAddr("2002:c000:201::1")}
	sum := 0
	if n := testing.AllocsPerRun(100, func() {
		for _, a := range addrs {
			sum += Of(a).Widest().Weight()
		}
	}); n > 0 || sum == 0 {
		t.Errorf("%g allocations", n)
	}
}

// Whoever waits is next before any other sender has a second turn, and the clients of a sender take turns too.
func TestTurns(t *testing.T) {
	home, other, far, four := of("2001:db8::1"), of("2001:db8:0:1::1"), of("2001:db8:0:100::1"), of("192.0.2.1")
	for _, c := range []struct {
		name    string
		holders []Client // at the beginning
		waiting []Client // in order of arrival
		want    []int    // the order of turns, each of which ends before the next one
	}{
		{"one client", nil, []Client{home, home, home}, []int{0, 1, 2}},
		{"two senders", nil, []Client{home, home, home, four, four}, []int{0, 3, 1, 4, 2}},
		{"networks of one sender", nil, []Client{home, home, other, far, four, four}, []int{0, 4, 3, 5, 2, 1}},
		{"one that has something is last", []Client{four}, []Client{four, home, other, far}, []int{1, 3, 2, 0}},
		{"a neighbour that has something", []Client{home}, []Client{home, other, far, four}, []int{3, 2, 1, 0}},
		{"clients without an address", nil, []Client{0, 0, four}, []int{0, 2, 1}},
	} {
		var turns Turns
		var line []*Place
		waiting := func(yield func(*Place) bool) {
			for _, p := range line {
				if p != nil && !yield(p) {
					return
				}
			}
		}
		for _, holder := range c.holders {
			turns.Add(holder, 1)
		}
		for _, client := range c.waiting {
			p := turns.Arrive(client)
			line = append(line, &p)
		}
		for i, want := range c.want {
			next := -1
			for k, p := range line {
				if p != nil && (next < 0 || turns.IsBefore(p, line[next])) {
					next = k
				}
			}
			if next != want {
				t.Errorf("%s: turn %d is of %d, want %d", c.name, i, next, want)
			}
			client := line[next].Client
			line[next] = nil
			turns.Add(client, 1)
			turns.Return(client, waiting)
		}
	}
}
