package clientip

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
)

// finder trusts 10.0.0.0/8, 192.0.2.1 and 2001:db8::/32.
func finder(t testing.TB, field string) *Finder {
	t.Helper()
	trusted, err := ParseNetworks([]string{"10.0.0.0/8", "192.0.2.1", "2001:db8::/32"})
	if err != nil {
		t.Fatal(err)
	}
	return NewFinder(trusted, field)
}

func head(lines ...string) []byte { return []byte(strings.Join(lines, "\r\n") + "\r\n\r\n") }

// TestClientIP shows who the client of a request is: the first address from the right that is no trusted
// proxy's. Only trusted peers are believed, and nothing of what a client has written to the left.
func TestClientIP(t *testing.T) {
	const proxy = "10.0.0.1"
	for _, c := range []struct {
		name, peer, field string
		lines             []string
		want              string
	}{
		{"a peer that is no proxy is the client, whatever it says", "203.0.113.5", "X-Forwarded-For", []string{"X-Forwarded-For: 198.51.100.7"}, "203.0.113.5"},
		{"a proxy that says nothing is the client", proxy, "X-Forwarded-For", []string{"Host: a"}, proxy},
		{"an address of a proxy", proxy, "X-Forwarded-For", []string{"Host: a", "x-forwarded-for:198.51.100.7"}, "198.51.100.7"},
		{"what a client claims stands left of it", proxy, "X-Forwarded-For", []string{"X-Forwarded-For: 1.1.1.1, 198.51.100.7"}, "198.51.100.7"},
		{"a client claims in a line of its own", proxy, "X-Forwarded-For", []string{"X-Forwarded-For: 1.1.1.1", "X-Forwarded-For: 198.51.100.7"}, "198.51.100.7"},
		{"trusted proxies are passed", proxy, "X-Forwarded-For", []string{"X-Forwarded-For: 1.1.1.1, 198.51.100.7 ,\t192.0.2.1", "X-Forwarded-For: 10.9.9.9"}, "198.51.100.7"},
		{"all are proxies: the farthest one", proxy, "X-Forwarded-For", []string{"X-Forwarded-For: 10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		{"empty elements do not count", proxy, "X-Forwarded-For", []string{"X-Forwarded-For: 198.51.100.7,, ,", "X-Forwarded-For:"}, "198.51.100.7"},
		{"ports", proxy, "X-Forwarded-For", []string{"X-Forwarded-For: 198.51.100.7:4711"}, "198.51.100.7"},
		{"IPv6 with brackets and a port", proxy, "X-Forwarded-For", []string{"X-Forwarded-For: [2001:DB9::7]:4711"}, "2001:db9::7"},
		{"IPv6 alone", proxy, "X-Forwarded-For", []string{"X-Forwarded-For: 2001:db9::7"}, "2001:db9::7"},
		{"IPv4 in IPv6", "::ffff:10.0.0.1", "X-Forwarded-For", []string{"X-Forwarded-For: ::ffff:198.51.100.7"}, "198.51.100.7"},
		{"a zone is not part of the address", "fe80::1%eth0", "X-Forwarded-For", nil, "fe80::1"},
		{"a zone in the field", proxy, "X-Forwarded-For", []string{"X-Forwarded-For: fe80::9%eth0"}, "fe80::9"},
		{"no address: the proxy that passed it on", proxy, "X-Forwarded-For", []string{"X-Forwarded-For: 1.1.1.1, nobody"}, proxy},
		{"no address behind a second proxy: that proxy", proxy, "X-Forwarded-For", []string{"X-Forwarded-For: 1.1.1.1, 1.2.3, 192.0.2.1"}, "192.0.2.1"},
		{"leading zeros are no address", proxy, "X-Forwarded-For", []string{"X-Forwarded-For: 198.051.100.7"}, proxy},
		{"a name as port is none outside of Forwarded's form", proxy, "X-Forwarded-For", []string{"X-Forwarded-For: 198.51.100.7:http"}, proxy},
		{"another field is not read", proxy, "X-Real-IP", []string{"X-Forwarded-For: 198.51.100.7"}, proxy},
		{"a field with one address", proxy, "cf-connecting-ip", []string{"CF-Connecting-IP: 2001:db9::7"}, "2001:db9::7"},
		{"CloudFront's field has a port", proxy, "CloudFront-Viewer-Address", []string{"CloudFront-Viewer-Address: 198.51.100.7:46532"}, "198.51.100.7"},
		{"CloudFront writes no brackets", proxy, "CloudFront-Viewer-Address", []string{"CloudFront-Viewer-Address: 2001:db9::7:46532"}, "2001:db9::7"},
		{"CloudFront's field without a port", proxy, "CloudFront-Viewer-Address", []string{"CloudFront-Viewer-Address: 198.51.100.7"}, proxy},

		{"Forwarded", proxy, "Forwarded", []string{"Forwarded: for=198.51.100.7"}, "198.51.100.7"},
		{"Forwarded in full", proxy, "forwarded", []string{`Forwarded: For="[2001:db9::7]:4711";proto=http;by=203.0.113.43`}, "2001:db9::7"},
		{"Forwarded by two proxies", proxy, "Forwarded", []string{"Forwarded: for=1.1.1.1, for=198.51.100.7;by=_x", "Forwarded: for=192.0.2.1"}, "198.51.100.7"},
		{"Forwarded: unknown", proxy, "Forwarded", []string{"Forwarded: for=1.1.1.1, for=unknown"}, proxy},
		{"Forwarded: obfuscated", proxy, "Forwarded", []string{"Forwarded: for=1.1.1.1, for=_hidden, for=192.0.2.1"}, "192.0.2.1"},
		{"Forwarded: an obfuscated port", proxy, "Forwarded", []string{`Forwarded: for="198.51.100.7:_p"`}, "198.51.100.7"},
		{"Forwarded: a comma in quotes", proxy, "Forwarded", []string{`Forwarded: for=198.51.100.7;secret="a,\"b\\", for=10.0.0.9`}, "198.51.100.7"},
		{"Forwarded: no for", proxy, "Forwarded", []string{"Forwarded: for=1.1.1.1, by=10.0.0.9"}, proxy},
		{"Forwarded: two for", proxy, "Forwarded", []string{"Forwarded: for=1.1.1.1;for=198.51.100.7"}, proxy},
		{"Forwarded: empty pairs", proxy, "Forwarded", []string{"Forwarded: ;; for=198.51.100.7 ; "}, "198.51.100.7"},
		{"Forwarded: a client's open quote hides nothing", proxy, "Forwarded", []string{`Forwarded: for=1.1.1.1;x=", for=198.51.100.7;host="h"`}, "198.51.100.7"},
		{"Forwarded: nor does its backslash", proxy, "Forwarded", []string{`Forwarded: for="\, for="[2001:db9::7]:1"`}, "2001:db9::7"},
		{"Forwarded: nor a quote in a line of its own", proxy, "Forwarded", []string{`Forwarded: for="`, `Forwarded: for="198.51.100.7:1"`}, "198.51.100.7"},
		{"Forwarded: X-Forwarded-For's form", proxy, "Forwarded", []string{"Forwarded: 198.51.100.7"}, proxy},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := finder(t, c.field).Find(netip.MustParseAddr(c.peer), head(c.lines...)); got.String() != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
	t.Run("without proxies every peer is the client", func(t *testing.T) {
		if f := NewFinder(Networks{}, "X-Forwarded-For"); f.Find(netip.MustParseAddr(proxy), head("X-Forwarded-For: 198.51.100.7")).String() != proxy {
			t.Error("a field is read")
		}
	})
}

// The twin splits the whole list and looks at it from the right. For lists of addresses alone, in any
// number of lines, both agree.
func TestFindAgreesWithATwin(t *testing.T) {
	f := finder(t, "X-Forwarded-For")
	rnd := rand.New(rand.NewPCG(1, 2))
	pool := []string{"10.0.0.1", "10.255.255.255", "11.0.0.0", "9.255.255.255", "192.0.2.1", "192.0.2.2", "2001:db8::", "2001:db8:ffff::1", "2001:db9::", "x", "", "1.2.3.4:80", "[2001:db8::1]:9"}
	for range 20000 {
		var lines, all []string
		for range rnd.IntN(4) {
			var elements []string
			for range rnd.IntN(5) {
				elements = append(elements, pool[rnd.IntN(len(pool))])
			}
			lines = append(lines, "X-Forwarded-For: "+strings.Join(elements, ", "))
			all = append(all, elements...)
		}
		peer := pool[rnd.IntN(9)]
		if got, want := f.Find(netip.MustParseAddr(peer), head(lines...)).String(), twin(peer, all); got != want {
			t.Fatalf("peer %s, %q: %s, the twin says %s", peer, lines, got, want)
		}
	}
}

func twin(peer string, all []string) string {
	trusted := func(s string) bool {
		return strings.HasPrefix(s, "10.") || s == "192.0.2.1" || strings.HasPrefix(s, "2001:db8:")
	}
	client := peer
	for _, element := range slices.Backward(all) {
		if !trusted(client) || element == "x" {
			break
		}
		if element != "" {
			client = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(element, ":80"), "["), "]:9")
		}
	}
	return client
}

// A head full of commas, quotes or proxies costs no more than a look at its bytes.
func TestHostileHeads(t *testing.T) {
	const size = 16 << 10
	for _, c := range []struct{ field, value string }{
		{"X-Forwarded-For", strings.Repeat(",", size)},
		{"X-Forwarded-For", strings.Repeat("10.0.0.1,", size/9)},
		{"X-Forwarded-For", strings.Repeat("[", size)},
		{"Forwarded", strings.Repeat(`"`, size)},
		{"Forwarded", strings.Repeat(`\`, size)},
		{"Forwarded", strings.Repeat(`\"`, size/2)},
		{"Forwarded", `for="` + strings.Repeat(`\`, size) + `"`},
		{"Forwarded", strings.Repeat("for=10.0.0.1,", size/13)},
		{"Forwarded", strings.Repeat("a=b;", size/4) + "for=198.51.100.7"},
	} {
		f, lines := finder(t, c.field), head(c.field+": "+c.value)
		peer := netip.MustParseAddr("10.0.0.1")
		const runs = 20
		begun := time.Now()
		for range runs {
			f.Find(peer, lines)
		}
		if took := time.Since(begun) / runs; took > 20*time.Millisecond { // quadratic work takes longer
			t.Errorf("%s: %.20s…: %s", c.field, c.value, took)
		}
	}
	many := slices.Repeat([]string{"X-Forwarded-For: 10.0.0.1"}, maxHops+9)
	many[0] = "X-Forwarded-For: 198.51.100.7"
	if got := finder(t, "X-Forwarded-For").Find(netip.MustParseAddr("10.0.0.2"), head(many...)); got.String() != "10.0.0.1" {
		t.Errorf("behind too many lines: %s", got)
	}
}

// Nobody behind a proxy that appends may choose an address, and reading never fails.
func FuzzFind(f *testing.F) {
	for _, seed := range []string{"", "1.1.1.1", `for="`, `for=1.1.1.1;x="`, "a, b", `\`, `for="\", for=2.2.2.2`, "1.1.1.1\r\nX-Forwarded-For: 2.2.2.2", ",,,,"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, claimed string) {
		peer := netip.MustParseAddr("10.0.0.1")
		for field, appended := range map[string]string{
			"X-Forwarded-For": "198.51.100.7", "Forwarded": `for="198.51.100.7:4711";by="_p";host="a,b"`,
		} {
			if strings.ContainsAny(claimed, "\n") {
				continue // not one line
			}
			for _, lines := range [][]string{{field + ": " + claimed + ", " + appended}, {field + ": " + claimed, field + ": " + appended}} {
				if got := finder(t, field).Find(peer, head(lines...)); got.String() != "198.51.100.7" {
					t.Errorf("%q: %s", lines, got)
				}
			}
			finder(t, field).Find(peer, []byte(claimed))
			finder(t, field).Find(peer, head(field+": "+claimed))
		}
	})
}

// Neither the peer alone nor IPv4 addresses take memory.
func TestFindAllocatesNothing(t *testing.T) {
	peer := netip.MustParseAddr("10.0.0.1")
	f, forwarded := finder(t, "X-Forwarded-For"), finder(t, "Forwarded")
	lines := head("Host: a", "X-Forwarded-For: 1.1.1.1, 198.51.100.7, 10.0.0.2", "Forwarded: for=198.51.100.7")
	if n := testing.AllocsPerRun(100, func() { f.Find(peer, lines); forwarded.Find(peer, lines); (*Finder)(nil).Find(peer, lines) }); n > 0 {
		t.Errorf("%g allocations", n)
	}
}

func TestParseNetworks(t *testing.T) {
	for _, c := range []struct {
		text, want string
	}{
		{"10.1.0.0/16", ""}, {"2001:db8::/32", ""}, {"192.0.2.1", ""}, {"::1", ""}, {"private", ""}, {"Loopback", ""}, {"unix", ""}, {"::ffff:10.0.0.0/104", ""},
		{"10.0.0.1/8", "write 10.0.0.0/8"}, {"0.0.0.0/0", "has every address"}, {"::/0", "has every address"}, {"proxy", "is not a network"},
		{"fe80::1%eth0", "is not a network"}, {"10.0.0.0/33", "is not a network"}, {"", "is not a network"}, {"10.0.0.0-10.0.0.9", "is not a network"},
	} {
		_, err := ParseNetworks([]string{c.text})
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
	n, _ := ParseNetworks([]string{"private", "10.0.0.0/8", "::ffff:203.0.113.0/120", "10.0.0.0/9", "2001:db8::/127"})
	for addr, want := range map[string]bool{
		"10.0.0.0": true, "10.255.255.255": true, "9.255.255.255": false, "11.0.0.0": false, "172.31.255.255": true, "172.32.0.0": false,
		"203.0.113.255": true, "203.0.114.0": false, "::ffff:10.0.0.1": true, "2001:db8::1": true, "2001:db8::2": false, "fd00::1%eth0": true, "fe00::": false, "127.0.0.1": false,
	} {
		if got := n.Contains(netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s: %t", addr, got)
		}
	}
	if n.Contains(netip.Addr{}) {
		t.Error("no address is in the set")
	}
}

func BenchmarkFind(b *testing.B) {
	peer := netip.MustParseAddr("10.0.0.1")
	lines := head("Host: www.example.com", "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "Accept: */*",
		"Accept-Encoding: gzip, br", "X-Forwarded-For: 198.51.100.7, 10.0.0.2", "Forwarded: for=198.51.100.7, for=10.0.0.2", "X-Request-Id: 1234567890", "Accept-Language: en")
	for _, field := range []string{"", "X-Forwarded-For", "Forwarded"} {
		b.Run(fmt.Sprintf("field=%q", field), func(b *testing.B) {
			var f *Finder
			if field != "" {
				f = finder(b, field)
			}
			for b.Loop() {
				f.Find(peer, lines)
			}
		})
	}
}

// Peers of Unix sockets have no address. They are believed only if unix is trusted, and nothing in a field
// is one of them.
func TestUnixPeers(t *testing.T) {
	var unix netip.Addr
	lines := head("X-Forwarded-For: 1.1.1.1, 198.51.100.7, 10.0.0.9")
	if got := finder(t, "X-Forwarded-For").Find(unix, lines); got.IsValid() {
		t.Errorf("%s without trust", got)
	}
	alone, err := ParseNetworks([]string{"Unix"})
	if err != nil {
		t.Fatal(err)
	}
	both, err := ParseNetworks([]string{"10.0.0.0/8", "unix"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		trusted Networks
		lines   []byte
		want    string
	}{
		{both, lines, "198.51.100.7"},
		{alone, lines, "10.0.0.9"},
		{alone, head("X-Forwarded-For: 198.51.100.7, unix:"), "invalid IP"},
		{alone, nil, "invalid IP"},
	} {
		if got := NewFinder(c.trusted, "X-Forwarded-For").Find(unix, c.lines).String(); got != c.want {
			t.Errorf("%q: %s, want %s", c.lines, got, c.want)
		}
	}
	if got := NewFinder(alone, "X-Forwarded-For").Find(netip.MustParseAddr("203.0.113.5"), lines).String(); got != "203.0.113.5" {
		t.Errorf("a peer with an address is believed: %s", got)
	}
}
