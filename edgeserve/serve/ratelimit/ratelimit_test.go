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
	ann = netip.MustParseAddr("203.0.113.1")
	bob = netip.MustParseAddr("2001:db8::")
)

const second = int(time.Second / stepTime) // steps of a second of work

// TestRateLimit shows what a client may have.
func TestRateLimit(t *testing.T) {
	take := func(l *Limiter, client netip.Addr, n int) (ok int) {
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
		if !l.IsExempt(ann) || l.IsExempt(bob) || !(*Limiter)(nil).IsExempt(bob) {
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
	var b [16]byte
	for i := range 3 * maxClients {
		b[0], b[1], b[2], b[3] = 0x20, byte(i>>16), byte(i>>8), byte(i)
		if _, ok := l.TakeRequest(netip.AddrFrom16(b)); !ok {
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
		l.TakeRequest(netip.AddrFrom4([4]byte{1, byte(i >> 16), byte(i >> 8), byte(i)}))
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
				if _, ok := l.TakeRequest(netip.AddrFrom4([4]byte{10, 0, 0, byte(i % 10)})); ok {
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
		{"50", "no rate"}, {"/s", "no rate"}, {"0/s", "no rate"}, {"-1/s", "no rate"}, {"50/d", "no rate"}, {"1.5/s", "no rate"}, {"1000001/s", "no rate"}, {"99999999999999999999/s", "no rate"}, {"", "no rate"}, {"50 /s", "no rate"},
	} {
		var r Rate
		err := r.UnmarshalText([]byte(c.text))
		if back, _ := r.MarshalText(); (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) || err == nil && string(back) != c.text {
			t.Errorf("%q: %v, %s", c.text, err, back)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"100ms/s", ""}, {"6s/m", ""}, {"1m0s/h", ""}, {"0", ""}, {"2s/s", ""},
		{"100/s", "no rate"}, {"100ms", "no rate"}, {"1us/s", "no rate"}, {"-1s/s", "no rate"}, {"2000s/s", "no rate"}, {"", "no rate"}, {"1s/d", "no rate"},
	} {
		var r WorkRate
		err := r.UnmarshalText([]byte(c.text))
		if back, _ := r.MarshalText(); (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) || err == nil && string(back) != c.text {
			t.Errorf("%q: %v, %s", c.text, err, back)
		}
	}
}

// An IPv4 address is no IPv6 network, and each client has a key of its own.
func TestKeys(t *testing.T) {
	seen := map[uint64]string{}
	for _, text := range []string{"0.0.0.0", "0.0.0.1", "255.255.255.255", "::", "2001:db8::", "2001:db8:0:1::", "64:ff9b::", "fe80::"} {
		key := keyOf(netip.MustParseAddr(text))
		if other, taken := seen[key]; taken {
			t.Errorf("%s and %s have one key", text, other)
		}
		seen[key] = text
	}
	if keyOf(netip.Addr{}) != 0 {
		t.Error("no address has a key")
	}
}

func TestTakingAllocatesNothing(t *testing.T) {
	l := New(Config{Requests: rate(t, "1000000/s"), Work: work(t, "1s/s")})
	if n := testing.AllocsPerRun(100, func() { l.TakeRequest(ann); l.MaySearch(bob); l.Charge(bob, 1) }); n > 0 {
		t.Errorf("%g allocations", n)
	}
}

func BenchmarkTakeRequest(b *testing.B) {
	l := New(Config{Requests: rate(b, "1000000/s")})
	for i := 0; b.Loop(); i++ {
		l.TakeRequest(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}))
	}
}
