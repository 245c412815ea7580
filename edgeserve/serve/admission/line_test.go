package admission

import (
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
	if !crowd[0].admitted || !crowd[1].admitted || l.admitted != 2 || len(l.perClient) != 1 {
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
