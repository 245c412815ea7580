package admission

import (
	"context"
	"errors"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// oneAtATime is a controller with one lane.
func oneAtATime(timeout time.Duration) *Controller {
	c := New(1, timeout)
	c.lanes.capacity = 1
	return c
}

// TestAdmission: one search runs at a time. A crowd waits while the slot is taken and passes when it is
// free; who waits too long is turned away.
func TestAdmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := oneAtATime(2 * time.Second)
		first := c.Enter(0, time.Now(), nil)
		if first == nil {
			t.Fatal("the first caller is turned away")
		}
		const crowd = 1000
		passed := make(chan bool, crowd)
		for range crowd {
			go func() {
				permit := c.Enter(0, time.Now(), nil)
				if permit != nil {
					permit.Release()
				}
				passed <- permit != nil
			}()
		}
		synctest.Wait()
		if n := c.waiting.Load(); n != crowd || len(passed) > 0 {
			t.Fatalf("%d wait and %d do not, although the slot is taken", n, len(passed))
		}
		first.Release()
		for range crowd {
			if !<-passed {
				t.Fatal("one of the crowd is turned away although the slot came free")
			}
		}
		if c.Enter(0, time.Now(), nil) == nil {
			t.Fatal("the slot is not given back")
		}
		start := time.Now()
		if c.Enter(0, time.Now(), nil) != nil || time.Since(start) != time.Second {
			t.Fatalf("a caller without a slot waited %s", time.Since(start))
		}
		if n := c.waiting.Load(); n != 0 {
			t.Errorf("%d are said to wait", n)
		}
	})
}

// A permit ends at its deadline, however much of its time was spent on waiting.
func TestTurnEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := oneAtATime(2 * time.Second)
		time.AfterFunc(time.Second/2, c.Enter(0, time.Now(), nil).Release)
		permit := c.Enter(0, time.Now(), nil)
		time.Sleep(1499 * time.Millisecond)
		if err := permit.Err(); err != nil {
			t.Errorf("before its time: %v", err)
		}
		time.Sleep(2 * time.Millisecond)
		if err := permit.Err(); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after its time: %v", err)
		}
		permit.Release()
		permit = c.Enter(0, time.Now().Add(-time.Second), nil)
		if permit == nil || !permit.deadline.Equal(time.Now().Add(time.Second)) {
			t.Errorf("after a second elsewhere: %+v", permit)
		}
	})
}

// A search detaches before it waits for a lane. One that is admitted or refused at once does not.
func TestEnterDetachesBeforeItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := oneAtATime(2 * time.Second)
		detached := 0
		detach := func() { detached++ }
		first := c.Enter(0, time.Now(), detach)
		if first == nil || detached != 0 {
			t.Fatalf("with a free lane: %v, detached %d times", first, detached)
		}
		time.AfterFunc(time.Second/2, first.Release)
		second := c.Enter(0, time.Now(), detach)
		if second == nil || detached != 1 {
			t.Errorf("without a free lane: %v, detached %d times", second, detached)
		}
		start := time.Now()
		if late := c.Enter(0, start.Add(-1001*time.Millisecond), detach); late != nil || detached != 1 || time.Since(start) > 0 {
			t.Errorf("late: %v, detached %d times, after %s", late, detached, time.Since(start))
		}
		if last := c.Enter(0, start.Add(-900*time.Millisecond), detach); last != nil || detached != 2 || time.Since(start) != 100*time.Millisecond {
			t.Errorf("nearly late: %v, detached %d times, after %s", last, detached, time.Since(start))
		}
		second.Release()
	})
}

// Whoever waits on a connection is answered while searches work, be they long ones or short
// ones that have waited for each other.
func TestSearchesYield(t *testing.T) {
	for _, test := range []struct {
		name  string
		works int // pieces of work from the beginning of a search to its end
	}{{"long searches", 1 << 30}, {"a crowd of short ones", 1}} {
		t.Run(test.name, func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			conn := echo(t)
			c := New(1, 2*time.Minute)
			var pieces atomic.Int64
			var stop atomic.Bool
			var all sync.WaitGroup
			defer all.Wait()
			defer stop.Store(true)
			for range 10 * c.lanes.capacity {
				all.Go(func() {
					for !stop.Load() {
						permit := c.Enter(0, time.Now(), nil)
						for i := 0; i < test.works && !stop.Load(); i++ {
							for since := time.Now(); time.Since(since) < quantum/2; {
							}
							pieces.Add(1)
							permit.Yield()
						}
						permit.Release()
					}
				})
			}
			waitFor(t, "searches at work", func() bool { return pieces.Load() > int64(c.lanes.capacity) })
			const asked = 40
			before := pieces.Load()
			b := make([]byte, 1)
			for range asked {
				if _, err := conn.Write(b); err != nil {
					t.Fatal(err)
				}
				if _, err := conn.Read(b); err != nil {
					t.Fatal(err)
				}
			}
			// Two looks at the poller and a quantum before each are 4; with Gosched it is 80.
			if n := (pieces.Load() - before) / asked; n > 16 {
				t.Errorf("each answer waited for %d pieces of work of half a quantum", n)
			}
		})
	}
}

// echo connects to a server that sends back what it gets.
func echo(t *testing.T) net.Conn {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	conn, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	peer, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer peer.Close()
		b := make([]byte, 1)
		for {
			if _, err := peer.Read(b); err != nil {
				return
			}
			if _, err := peer.Write(b); err != nil {
				return
			}
		}
	}()
	return conn
}

// A yielder detaches before its first yield, once.
func TestYielderDetaches(t *testing.T) {
	detached := 0
	y := Yielder{since: time.Now(), detach: func() { detached++ }}
	if y.Pause(); detached > 0 {
		t.Error("detached at once")
	}
	for range 2 {
		y.since = time.Time{}
		y.Pause()
	}
	if detached != 1 {
		t.Errorf("work of two quanta detaches %d times", detached)
	}
}

// waitFor waits until a condition holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for limit := time.Now().Add(time.Minute); !holds(); runtime.Gosched() {
		if time.Now().After(limit) {
			t.Fatal("never: " + what)
		}
	}
}
