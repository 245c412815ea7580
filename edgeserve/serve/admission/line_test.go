package admission

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"contentedge/edgeserve/serve/clientnet"
)

var (
	greedy = clientnet.Of(netip.MustParseAddr("192.0.2.1"))
	modest = clientnet.Of(netip.MustParseAddr("192.0.2.2"))
)

// A client that wants everything has it only while nobody else waits.
func TestLineTakesTurns(t *testing.T) {
	l := line{capacity: 2, maxWaiting: 4}
	for range 2 {
		if !l.tryAdmit(greedy) {
			t.Fatal("one client cannot have all")
		}
	}
	var crowd []*waiter
	for range 4 {
		crowd = append(crowd, l.enqueue(greedy))
	}
	if crowd[3] == nil || l.enqueue(greedy) != nil {
		t.Fatal("one client does not have exactly the places that there are")
	}
	w := l.enqueue(modest)
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
	if !crowd[0].admitted || !crowd[1].admitted || l.admitted != 2 || l.turns.Len() != 1 {
		t.Errorf("then the first of the crowd are not next: %+v", l)
	}
}

// work lets a search work for a time, checking its permit.
func work(t *Permit, d time.Duration) error {
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
		c := New(1, 2*time.Second)
		first := c.Enter(greedy, time.Now(), nil)
		if err := work(first, 800*time.Millisecond); err != nil || first.line != &c.slots {
			t.Fatal("a long search has no slot", err)
		}
		first.Release()
		holder := c.Enter(greedy, time.Now(), nil)
		if err := work(holder, 2*laneWork); err != nil {
			t.Fatal(err)
		}
		short := c.Enter(greedy, time.Now(), nil)
		if err := work(short, laneWork/2); err != nil || short.line != &c.lanes {
			t.Error("a short search waits", err)
		}
		short.Release()
		results := make(chan error, 100)
		for range cap(results) {
			go func() {
				permit := c.Enter(greedy, time.Now(), nil)
				defer permit.Release()
				results <- work(permit, 2*laneWork)
			}()
		}
		time.Sleep(500 * time.Millisecond)
		shed := len(results)
		if shed < 80 || shed == cap(results) {
			t.Errorf("%d of %d that cannot have their turn in time are refused at once", shed, cap(results))
		}
		holder.Release()
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
		if c.Running() != 0 || c.waiting.Load() != 0 {
			t.Errorf("%d run, %d wait", c.Running(), c.waiting.Load())
		}
	})
}

// loopsAndAsks lets attackers search all the time, and returns how many of the searches of another client are served.
func loopsAndAsks(t *testing.T, attackers []clientnet.Client, searches int) (served int) {
	synctest.Test(t, func(t *testing.T) {
		c := New(1, 2*time.Second)
		search := func(client clientnet.Client) bool {
			permit := c.Enter(client, time.Now(), nil)
			if permit == nil {
				time.Sleep(10 * time.Millisecond) // the round trip of a refusal
				return false
			}
			defer permit.Release()
			return work(permit, 100*time.Millisecond) == nil
		}
		stop := make(chan struct{})
		for _, client := range attackers {
			go func() {
				for {
					select {
					case <-stop:
						return
					default:
						if !search(client) {
							time.Sleep(10 * time.Millisecond)
						}
					}
				}
			}()
		}
		time.Sleep(2 * time.Second)
		for range searches {
			if search(greedy) {
				served++
			}
			time.Sleep(100 * time.Millisecond)
		}
		close(stop)
		time.Sleep(time.Minute)
	})
	return served
}

// Whatever networks one sender has, its searches delay those of another client by one at most.
func TestNetworksTakeTurns(t *testing.T) {
	const searches = 20
	for _, c := range []struct {
		name string
		addr string // of attackers; N is different for each
	}{
		{"one /64", "2001:db8:1:1::N"},
		{"a /64 each of one /56", "2001:db8:1:N::1"},
		{"a /56 each of one /48", "2001:db8:1:N00::1"},
		{"6to4 of one address", "2002:c000:2ff:N::1"},
		{"NAT64 of one address", "64:ff9b::c000:2ff"},
		{"Teredo of one address", "2001:0:1:N::3fff:fd00"},
	} {
		var attackers []clientnet.Client
		for i := range 40 {
			attackers = append(attackers, clientnet.Of(netip.MustParseAddr(strings.ReplaceAll(c.addr, "N", fmt.Sprintf("%x", i)))))
		}
		if n := loopsAndAsks(t, attackers, searches); n != searches {
			t.Errorf("%s: %d of %d searches of another client are served", c.name, n, searches)
		}
	}
}

// In a full queue a client gives way in the largest network that has more than its share, and clients of one network
// take turns in it.
func TestTurnsInNetworks(t *testing.T) {
	of := func(text string) clientnet.Client { return clientnet.Of(netip.MustParseAddr(text)) }
	home, neighbour, street := of("2001:db8:1::1"), of("2001:db8:1:1::1"), of("2001:db8:1:100::1")
	for _, c := range []struct {
		name    string
		waiting []clientnet.Client
		client  clientnet.Client
		gone    int // the index of the waiter that gives way; -1: the client is refused
		ahead   int // of the client in the line before
	}{
		{"its own", []clientnet.Client{home, home, home, home}, home, -1, 5},
		{"another client", []clientnet.Client{home, home, home, home}, modest, 3, 2},
		{"another /64", []clientnet.Client{home, home, home, home}, neighbour, 3, 2},
		{"another /56", []clientnet.Client{home, home, neighbour, neighbour}, street, 3, 2},
		{"two networks with equal shares, its own /64 has most", []clientnet.Client{home, home, modest, modest}, home, -1, 5},
		{"two networks with equal shares, its neighbour has most", []clientnet.Client{home, home, modest, modest}, neighbour, 1, 4},
		{"a network of many against a client of one", []clientnet.Client{home, neighbour, street, modest}, modest, 1, 4},
		{"the client that has most in the network that has most", []clientnet.Client{street, home, home, modest}, greedy, 2, 3},
	} {
		l := line{maxWaiting: 4}
		var before []*waiter
		for _, client := range c.waiting {
			before = append(before, l.enqueue(client))
		}
		if n := l.ahead(c.client); n != c.ahead {
			t.Errorf("%s: number %d, want %d", c.name, n, c.ahead)
		}
		gone := -1
		if l.enqueue(c.client) != nil {
			gone = slices.IndexFunc(before, func(w *waiter) bool { return !slices.Contains(l.queue, w) })
		}
		if gone != c.gone {
			t.Errorf("%s: %d gives way, want %d", c.name, gone, c.gone)
		}
	}
	l := line{capacity: 1, maxWaiting: 9}
	l.tryAdmit(home)
	var order []*waiter
	for _, client := range []clientnet.Client{home, home, neighbour, street, modest} {
		order = append(order, l.enqueue(client))
	}
	l.capacity = 9
	l.admit(home) // a second one of home, so that each release compares
	for i, want := range []int{4, 3, 2, 0} {
		l.admitted++
		l.turns.Add(home, 1)
		l.release(home)
		if !order[want].admitted {
			t.Errorf("release %d does not admit waiter %d", i+1, want)
		}
	}
}
