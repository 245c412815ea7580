package ratelimit

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/prometheus/prometheustest"
	"contentedge/edgeserve/serve/clientip"
	"contentedge/edgeserve/serve/clientnet"
)

func rate(t testing.TB, text string) (r Rate) {
	t.Helper()
	if err := r.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return r
}

func work(t testing.TB, text string) (r WorkRate) {
	t.Helper()
	if err := r.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return r
}

// limiter returns a Limiter with a clock that tests move.
func limiter(c Config) (*Limiter, *time.Duration) {
	l, now := New(c), new(time.Duration)
	*now = time.Hour
	l.now = func() time.Duration { return *now }
	return l, now
}

var (
	ann = clientnet.Of(netip.MustParseAddr("203.0.113.1"))
	bob = clientnet.Of(netip.MustParseAddr("2001:db8::"))
)

const second = int(time.Second / stepTime) // steps of a second of work

// TestRateLimit shows what a client may have.
func TestRateLimit(t *testing.T) {
	take := func(l *Limiter, client clientnet.Client, n int) (ok int) {
		for range n {
			if _, taken := l.TakeRequest(client); taken {
				ok++
			}
		}
		return ok
	}
	t.Run("requests: a burst, then the rate, for each client", func(t *testing.T) {
		l, now := limiter(Config{Requests: rate(t, "10/s"), Burst: 5})
		if n := take(l, ann, 9); n != 5 {
			t.Errorf("%d at once", n)
		}
		if n := take(l, bob, 9); n != 5 {
			t.Errorf("%d of another client", n)
		}
		if wait, ok := l.TakeRequest(ann); ok || wait != 100*time.Millisecond {
			t.Errorf("the next one in %s", wait)
		}
		*now += 250 * time.Millisecond
		if n := take(l, ann, 9); n != 2 {
			t.Errorf("%d after a quarter of a second", n)
		}
		*now += time.Hour
		if n := take(l, ann, 9); n != 5 {
			t.Errorf("%d after long", n)
		}
	})
	t.Run("without a burst: the requests of ten seconds, one at least", func(t *testing.T) {
		l, _ := limiter(Config{Requests: rate(t, "3/s")})
		slow, _ := limiter(Config{Requests: rate(t, "1/h")})
		if n, m := take(l, ann, 99), take(slow, ann, 9); n != 30 || m != 1 {
			t.Errorf("%d and %d at once", n, m)
		}
	})
	t.Run("work: a search begins while there is some left, and its cost is earned back", func(t *testing.T) {
		l, now := limiter(Config{Work: work(t, "100ms/s"), WorkBurst: time.Second})
		if _, ok := l.MaySearch(ann); !ok {
			t.Error("the first search is refused")
		}
		l.Charge(ann, second*9/10)
		if _, ok := l.MaySearch(ann); !ok {
			t.Error("a search is refused although a tenth is left")
		}
		l.Charge(ann, second) // beyond what is left
		if wait, ok := l.MaySearch(ann); ok || wait != 9*time.Second+1 {
			t.Errorf("the next search in %s, %t", wait, ok)
		}
		if _, ok := l.MaySearch(bob); !ok {
			t.Error("another client pays")
		}
		*now += 9*time.Second + 1
		if _, ok := l.MaySearch(ann); !ok {
			t.Error("what is earned back is refused")
		}
	})
	t.Run("no debt lasts for more than ten minutes", func(t *testing.T) {
		l, _ := limiter(Config{Work: work(t, "1ms/s")})
		for range 100 {
			l.Charge(ann, second)
		}
		if wait, ok := l.MaySearch(ann); ok || wait != maxDebt+1 {
			t.Errorf("the next search in %s", wait)
		}
	})
	t.Run("one limit does not count for the other", func(t *testing.T) {
		l, _ := limiter(Config{Requests: rate(t, "1/s"), Burst: 1, Work: work(t, "1ms/s")})
		l.Charge(ann, second)
		if _, ok := l.TakeRequest(ann); !ok {
			t.Error("a request pays for a search")
		}
	})
	t.Run("exempt addresses", func(t *testing.T) {
		exempt, _ := clientip.ParseNetworks([]string{"203.0.113.1"})
		l := New(Config{Requests: rate(t, "1/s"), Exempt: exempt})
		if !l.IsExempt(netip.MustParseAddr("203.0.113.1")) || l.IsExempt(netip.MustParseAddr("203.0.113.2")) || !(*Limiter)(nil).IsExempt(netip.Addr{}) {
			t.Error("the wrong ones")
		}
	})
	t.Run("off", func(t *testing.T) {
		l := New(Config{})
		l.Charge(ann, second)
		if n := take(l, ann, 1000); l != nil || n != 1000 {
			t.Error("something is limited")
		}
	})
}

// Over any sequence of requests and pauses, GCRA admits what a bucket of tokens admits.
func TestAgreesWithABucket(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		n, burst := 1+rnd.IntN(50), 1+rnd.IntN(20)
		l, now := limiter(Config{Requests: rate(t, fmt.Sprintf("%d/s", n)), Burst: burst})
		interval := l.interval
		left, last := time.Duration(burst)*interval, *now // a bucket that holds time
		for range 300 {
			*now += time.Duration(rnd.Int64N(int64(2 * interval)))
			left = min(left+*now-last, time.Duration(burst)*interval)
			last = *now
			want := left >= interval
			if want {
				left -= interval
			}
			if _, ok := l.TakeRequest(ann); ok != want {
				t.Fatalf("%d/s, burst %d: %t, the bucket says %t", n, burst, ok, want)
			}
		}
	}
}

// With more clients than places the table stays as it is, and those that owe most stay limited.
func TestFullTable(t *testing.T) {
	l, _ := limiter(Config{Requests: rate(t, "1/s"), Burst: 1, Work: work(t, "1ms/s"), WorkBurst: time.Millisecond})
	l.Charge(ann, second)
	for i := range 3 * maxClients {
		if _, ok := l.TakeRequest(clientnet.Of(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}))); !ok {
			t.Fatal("a new client is refused")
		}
	}
	if _, ok := l.MaySearch(ann); ok {
		t.Error("the client that owes most is forgotten")
	}
	var text prometheus.Text
	l.Write(&text)
	got := prometheustest.Parse(t, text.Bytes())
	here, forgotten := got["contentedge_rate_limit_clients"], got["contentedge_rate_limit_forgotten_total"]
	if here > maxClients || here < maxClients*9/10 || here+forgotten != 3*maxClients+1 || len(l.table) != sets {
		t.Errorf("%g clients are in the table, %g are forgotten", here, forgotten)
	}
}

// A place of a client that owes nothing is free.
func TestFreePlaces(t *testing.T) {
	l, now := limiter(Config{Requests: rate(t, "1000/s"), Burst: 1})
	for i := range 2 * maxClients {
		l.TakeRequest(clientnet.Of(netip.AddrFrom4([4]byte{1, byte(i >> 16), byte(i >> 8), byte(i)})))
		*now += 2 * time.Millisecond
	}
	if n := l.forgotten.Value(); n != 0 {
		t.Errorf("%d clients are forgotten", n)
	}
}

// Many goroutines of many clients get what each may have, together.
func TestConcurrentClients(t *testing.T) {
	l, _ := limiter(Config{Requests: rate(t, "1/s"), Burst: 100})
	var admitted atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 10 * 50 {
				if _, ok := l.TakeRequest(clientnet.Of(netip.AddrFrom4([4]byte{10, 0, 0, byte(i % 10)}))); ok {
					admitted.Add(1)
				}
				l.Charge(ann, 1)
			}
		})
	}
	wg.Wait()
	if n := admitted.Load(); n != 10*100 {
		t.Errorf("%d requests of 10 clients are admitted", n)
	}
}

func TestRates(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"50/s", ""}, {"600/m", ""}, {"1/h", ""}, {"0", ""}, {"1000000/s", ""},
		{"50", "not a rate"}, {"/s", "not a rate"}, {"0/s", "not a rate"}, {"-1/s", "not a rate"}, {"50/d", "not a rate"}, {"1.5/s", "not a rate"}, {"1000001/s", "not a rate"}, {"99999999999999999999/s", "not a rate"}, {"", "not a rate"}, {"50 /s", "not a rate"},
	} {
		var r Rate
		err := r.UnmarshalText([]byte(c.text))
		if back, _ := r.MarshalText(); (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) || err == nil && string(back) != c.text {
			t.Errorf("%q: %v, %s", c.text, err, back)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"100ms/s", ""}, {"6s/m", ""}, {"1m0s/h", ""}, {"0", ""}, {"2s/s", ""},
		{"100/s", "not a rate"}, {"100ms", "not a rate"}, {"1us/s", "not a rate"}, {"-1s/s", "not a rate"}, {"2000s/s", "not a rate"}, {"", "not a rate"}, {"1s/d", "not a rate"},
	} {
		var r WorkRate
		err := r.UnmarshalText([]byte(c.text))
		if back, _ := r.MarshalText(); (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) || err == nil && string(back) != c.text {
			t.Errorf("%q: %v, %s", c.text, err, back)
		}
	}
}

// However many networks one sender uses, it gets what its /48 may have: 16 times the limit of a client.
func TestNetworks(t *testing.T) {
	const requests, time20 = 20_000, 20 * time.Second
	for _, c := range []struct {
		name, addr string // M of the address is different for each request, N takes 256 values
		most       int    // that pass in 20 seconds
	}{
		{"one address", "203.0.113.9", 10 + 5*20},
		{"a /64", "2001:db8:1::M", 10 + 5*20},
		{"a /64 each of one /56", "2001:db8:1:N::1", 4 * (10 + 5*20)},
		{"a /64 each of one /48", "2001:db8:1:M::1", 16 * (10 + 5*20)},
		{"6to4 of one address", "2002:cb00:7109:M::1", 10 + 5*20},
		{"NAT64 of one address", "64:ff9b::cb00:7109", 10 + 5*20},
		{"Teredo of one address", "2001:0:1:M::34ff:8ef6", 10 + 5*20},
	} {
		l, now := limiter(Config{Requests: rate(t, "5/s"), Burst: 10})
		passed, refused := 0, 0
		for i := range requests {
			*now += time20 / requests
			if _, ok := l.TakeRequest(clientnet.Of(netip.MustParseAddr(strings.NewReplacer("M", fmt.Sprintf("%x", i), "N", fmt.Sprintf("%x", i%256)).Replace(c.addr)))); ok {
				passed++
			} else {
				refused++
			}
		}
		if passed > c.most || passed < c.most-16 || refused != int(l.requests.Value()) {
			t.Errorf("%s: %d pass, want %d", c.name, passed, c.most)
		}
		if n := l.forgotten.Value(); n != 0 {
			t.Errorf("%s: %d other clients are forgotten", c.name, n)
		}
		if _, ok := l.TakeRequest(clientnet.Of(netip.MustParseAddr("203.0.113.77"))); !ok {
			t.Errorf("%s: another client is refused", c.name)
		}
	}
}

// A client that is refused takes nothing from its neighbours, and work counts for the networks too.
func TestNeighbours(t *testing.T) {
	l, now := limiter(Config{Requests: rate(t, "5/s"), Burst: 10, Work: work(t, "100ms/s"), WorkBurst: time.Second})
	inside := func(i int) clientnet.Client {
		return clientnet.Of(netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 0, 1, 0, byte(i)}))
	}
	for range 10_000 {
		l.TakeRequest(inside(0))
	}
	for range 10 {
		if _, ok := l.TakeRequest(inside(1)); !ok {
			t.Fatal("a neighbour pays for refused requests")
		}
	}
	for i := range 4 {
		if _, ok := l.MaySearch(inside(i)); !ok {
			t.Fatalf("search %d of a /56 is refused", i)
		}
		l.Charge(inside(i), second)
	}
	if wait, ok := l.MaySearch(inside(9)); ok || wait != 1 {
		t.Errorf("the fifth search of a /56 in %s", wait)
	}
	if *now++; true {
		if _, ok := l.MaySearch(inside(9)); !ok {
			t.Error("what the /56 has earned back is refused")
		}
	}
}

func TestTakingAllocatesNothing(t *testing.T) {
	l := New(Config{Requests: rate(t, "1000000/s"), Work: work(t, "1s/s")})
	if n := testing.AllocsPerRun(100, func() { l.TakeRequest(ann); l.MaySearch(bob); l.Charge(bob, 1) }); n > 0 {
		t.Errorf("%g allocations", n)
	}
}

func BenchmarkTakeRequest(b *testing.B) {
	for name, addr := range map[string]func(i int) netip.Addr{
		"IPv4": func(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}) },
		"IPv6": func(i int) netip.Addr {
			return netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 0, byte(i >> 8), 0, byte(i)})
		},
	} {
		b.Run(name, func(b *testing.B) {
			l := New(Config{Requests: rate(b, "1000000/s")})
			for i := 0; b.Loop(); i++ {
				l.TakeRequest(clientnet.Of(addr(i)))
			}
		})
	}
}
