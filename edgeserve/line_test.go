package edgeserve

import (
	"net"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"
)

var (
	greedy = netip.MustParseAddr("192.0.2.1")
	modest = netip.MustParseAddr("192.0.2.2")
)

// A client that wants everything has it only while nobody else waits.
func TestLineTakesTurns(t *testing.T) {
	l := line{size: 2, places: 4}
	for range 2 {
		if !l.take(greedy) {
			t.Fatal("one client cannot have all")
		}
	}
	var crowd []*waiter
	for range 4 {
		crowd = append(crowd, l.join(greedy))
	}
	if crowd[3] == nil || l.join(greedy) != nil {
		t.Fatal("one client does not have exactly the places that there are")
	}
	w := l.join(modest)
	if w == nil || crowd[3].admitted || len(l.queue) != 4 || l.queue[2] != crowd[2] {
		t.Fatal("another client does not have the last place of the crowd")
	}
	if n := l.ahead(modest); n != 4 {
		t.Errorf("a second search of the modest client is number %d", n)
	}
	l.release(greedy)
	if !w.admitted || crowd[0].admitted {
		t.Error("the client that has nothing is not next")
	}
	l.release(modest)
	l.release(greedy)
	if !crowd[0].admitted || !crowd[1].admitted || l.taken != 2 || len(l.has) != 1 {
		t.Errorf("then the first of the crowd are not next: %+v", l)
	}
}

func TestClientOf(t *testing.T) {
	for _, c := range []struct{ a, b string }{
		{"192.0.2.1:1", "[::ffff:192.0.2.1]:2"},
		{"[2001:db8::1]:1", "[2001:db8::ffff:2]:1"},
	} {
		a, b := clientOf(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(c.a))), clientOf(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(c.b)))
		if a != b || !a.IsValid() {
			t.Errorf("%s is %s, %s is %s", c.a, a, c.b, b)
		}
	}
	if clientOf(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 1)}) == clientOf(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 2)}) {
		t.Error("two addresses are one client")
	}
}

// work has a turn work for a time that it looks at the clock in.
func work(t *turn, d time.Duration) error {
	for ; d > 0; d -= quantum / 4 {
		time.Sleep(quantum / 4)
		if err := t.Err(); err != nil {
			return err
		}
	}
	return nil
}

// While slots are taken, short searches are answered; long ones wait, and those that would
// wait for too long are refused at once.
func TestShortSearchesNeedNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(1, 2*time.Second)
		first := g.enter(greedy)
		if err := work(first, 800*time.Millisecond); err != nil || first.in != &g.long {
			t.Fatal("a long search has no slot", err)
		}
		first.end()
		holder := g.enter(greedy)
		if err := work(holder, 2*shortWork); err != nil {
			t.Fatal(err)
		}
		short := g.enter(greedy)
		if err := work(short, shortWork/2); err != nil || short.in != &g.short {
			t.Error("a short search waits", err)
		}
		short.end()
		results := make(chan error, 100)
		for range cap(results) {
			go func() {
				turn := g.enter(greedy)
				defer turn.end()
				results <- work(turn, 2*shortWork)
			}()
		}
		time.Sleep(500 * time.Millisecond)
		shed := len(results)
		if shed < 80 || shed == cap(results) {
			t.Errorf("%d of %d that cannot have their turn in time are refused at once", shed, cap(results))
		}
		holder.end()
		served := 0
		for range cap(results) {
			if <-results == nil {
				served++
			}
		}
		if served != cap(results)-shed {
			t.Errorf("%d are served and %d were refused", served, shed)
		}
		synctest.Wait()
		if g.running() != 0 || g.waiting.Load() != 0 {
			t.Errorf("%d run, %d wait", g.running(), g.waiting.Load())
		}
	})
}
