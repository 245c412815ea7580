package clusternodes

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"contentedge/edgeserve/engine/cluster"
	"contentedge/edgeserve/serve/admission"
	"contentedge/edgeserve/serve/clientnet"
	"contentedge/edgeserve/wire/clusterhttp"
)

// many asks that many times at once, and returns how many requests ended with each of some errors.
func many(t *testing.T, n *Nodes, times int) (fine, unavailable, queued int) {
	t.Helper()
	done := make(chan error, times)
	for range times {
		go func() {
			_, _, err := ask(t.Context(), n)
			done <- err
		}()
	}
	for range times {
		switch err := <-done; {
		case err == nil:
			fine++
		case errors.Is(err, errQueue):
			queued++
		case errors.Is(err, cluster.ErrUnavailable):
			unavailable++
		default:
			t.Error(err)
		}
	}
	return fine, unavailable, queued
}

// Requests wait for a slot, in order and within their deadline.
func TestSlots(t *testing.T) {
	for _, tt := range []struct {
		name       string
		perNode    int
		nodes      []behaviour
		times      int
		fine       int
		queued     int
		took       time.Duration
		mostOfEach int
	}{
		{"all have a slot", 8, []behaviour{slow(100 * ms), slow(100 * ms)}, 16, 16, 0, 100 * ms, 8},
		{"some wait", 2, []behaviour{slow(100 * ms), slow(100 * ms)}, 20, 20, 0, 500 * ms, 2},
		{"the deadline ends the wait", 1, []behaviour{slow(400 * ms)}, 5, 3, 0, 1500 * ms, 1},
		{"a long queue refuses at once", 1, []behaviour{slow(10 * ms)}, 100, 5, 95, 50 * ms, 1},
		{"a node that hangs leaves the slots of the other one", 4, []behaviour{hangs, slow(10 * ms)}, 20, 20, 0, 510 * ms, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, f := play(t, Config{PerNode: tt.perNode}, tt.nodes...)
				defer n.Close()
				began := time.Now()
				fine, _, queued := many(t, n, tt.times)
				if took := time.Since(began); fine != tt.fine || queued != tt.queued || took != tt.took {
					t.Errorf("%d fine, %d found the queue too long, after %s", fine, queued, took)
				}
				for node, most := range f.seen().most {
					if most > tt.mostOfEach {
						t.Errorf("node %d had %d requests at once", node, most)
					}
				}
				synctest.Wait()
				checkIdle(t, n)
			})
		})
	}
}

// The node with the fewest requests is asked. Equal ones take turns.
func TestFewestRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, f := play(t, Config{}, slow(30*ms), fine, fine)
		defer n.Close()
		for range 300 {
			go func() { _, _, _ = ask(t.Context(), n) }()
			time.Sleep(ms)
		}
		time.Sleep(time.Second)
		if asked := f.seen().asked; asked[0] > 60 || asked[0] < 10 || asked[1] < 90 || asked[2] < 90 {
			t.Errorf("asked %v", asked)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		n, f := play(t, Config{}, fine, fine, fine)
		defer n.Close()
		repeat(t, n, 300)
		if asked := fmt.Sprint(f.seen().asked); asked != "[100 100 100]" {
			t.Error(asked)
		}
	})
}

// A request that leaves the queue gives its place to the next one.
func TestLeaveTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, f := play(t, Config{PerNode: 1}, slow(100*ms))
		defer n.Close()
		for i := range 4 { // the first one is sent, the second and the third leave
			ctx, cancel := context.WithCancel(t.Context())
			if i == 1 || i == 2 {
				time.AfterFunc(50*ms, cancel)
			}
			go func() {
				defer cancel()
				if _, took, err := ask(ctx, n); i == 3 && (err != nil || took != 200*ms) || i == 0 && err != nil || (i == 1 || i == 2) && !errors.Is(err, context.Canceled) {
					t.Errorf("request %d: %v after %s", i, err, took)
				}
			}()
			synctest.Wait()
		}
		time.Sleep(time.Second)
		if asked := f.seen().asked[0]; asked != 2 {
			t.Errorf("%d requests were sent", asked)
		}
		checkIdle(t, n)
	})
}

// The memory of all responses together is bounded: a request beyond it ends, and later ones are answered.
func TestMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		large := after(ms, []byte(`{"x":"`+strings.Repeat("x", 600)+`"}`), nil)
		n, _ := play(t, Config{Bytes: 1000}, large, large)
		defer n.Close()
		_, release, err := n.Do(t.Context(), search)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := ask(t.Context(), n); !errors.Is(err, cluster.ErrUnavailable) || !errors.Is(err, clusterhttp.ErrNoRoom) {
			t.Error(err)
		}
		release()
		if _, _, err := ask(t.Context(), n); err != nil {
			t.Error(err)
		}
		checkIdle(t, n)
	})
}

// Close ends requests, those that wait too, and probes.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, _ := play(t, Config{PerNode: 1}, hangs, refuses)
		done := make(chan error, 20)
		for range cap(done) {
			go func() {
				_, _, err := ask(t.Context(), n)
				done <- err
			}()
		}
		time.Sleep(100 * ms)
		n.Close()
		for range cap(done) {
			if err := <-done; !errors.Is(err, cluster.ErrUnavailable) {
				t.Error(err)
			}
		}
		if _, took, err := ask(t.Context(), n); !errors.Is(err, cluster.ErrUnavailable) || took != 0 {
			t.Errorf("%v after %s", err, took)
		}
		checkIdle(t, n)
	})
}

// A request that may ask only a busy node keeps no free node from the requests behind it.
func TestQueueOfSecondRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, _ := play(t, Config{PerNode: 1}, after(10*ms, nil, &clusterhttp.StatusError{Status: 503}), slow(400*ms))
		t.Cleanup(n.Close)
		begin := func() {
			go func() { _, _, _ = ask(t.Context(), n) }()
			synctest.Wait()
		}
		for range 4 {
			begin()
		}
		time.Sleep(12 * ms)
		begin()
		// Node 1 has one request for long. The others fail at node 0, one after the other, and wait for node 1.
		time.Sleep(23 * ms)
		n.mu.Lock()
		defer n.mu.Unlock()
		if len(n.waiting) != 3 || n.nodes[0].failures != 3 || n.nodes[0].inFlight != 1 {
			t.Errorf("%d requests wait, node 0 has %d failures and %d requests", len(n.waiting), n.nodes[0].failures, n.nodes[0].inFlight)
		}
	})
}

// A slot that was given to a request just when it left is given back.
func TestLeaveWithASlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, _ := play(t, Config{PerNode: 1}, fine)
		defer n.Close()
		w := &waiter{ready: make(chan *node, 1)}
		n.mu.Lock()
		n.waiting = append(n.waiting, w)
		n.dispatch()
		n.mu.Unlock()
		n.leave(w)
		checkIdle(t, n)
	})
}

// The buffer of a response that came too late is given back.
func TestLateResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deaf := func(context.Context, *fakes, int, clusterhttp.Request) ([]byte, error) {
			time.Sleep(600 * ms) // whatever the context says
			return []byte(`{"late":{}}`), nil
		}
		n, _ := play(t, Config{}, slow(550*ms), deaf)
		defer n.Close()
		if got, took, err := ask(t.Context(), n); got != `{"slow":{}}` || took != 550*ms {
			t.Errorf("%s, %v after %s", got, err, took)
		}
		time.Sleep(time.Second)
		checkIdle(t, n)
	})
}

// askFor is ask for a client.
func askFor(t *testing.T, n *Nodes, client byte) (took time.Duration, err error) {
	ctx := admission.WithAway(t.Context(), clientnet.Of(netip.AddrFrom4([4]byte{192, 0, 2, client})), nil, nil)
	_, took, err = ask(ctx, n)
	return took, err
}

// A client whose many searches take long leaves slots, and places of the queue, to other clients.
func TestClientsShareSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, f := play(t, Config{PerNode: 8}, hangs, hangs)
		defer n.Close()
		greedy := make(chan error)
		for range 200 {
			go func() {
				_, err := askFor(t, n, 1)
				greedy <- err
			}()
		}
		time.Sleep(600 * ms) // each would be sent to the other node too
		synctest.Wait()
		if inside := f.seen().inside; inside[0]+inside[1] != 12 || len(n.waiting) != 32 {
			t.Errorf("a client has %v requests at once, %d wait", inside, len(n.waiting))
		}
		f.set(0, fine)
		f.set(1, fine)
		for range 20 {
			if took, err := askFor(t, n, 2); err != nil || took != 5*ms {
				t.Errorf("another client: %v after %s", err, took)
			}
		}
		for range 200 {
			<-greedy
		}
		synctest.Wait()
		checkIdle(t, n)
	})
}

// Where all slots are taken, clients take turns.
func TestClientsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, _ := play(t, Config{PerNode: 2}, slow(100*ms))
		defer n.Close()
		clients := []byte{1, 1, 1, 1, 2, 3}
		answered := make(chan byte, len(clients))
		for _, client := range clients {
			go func() {
				if _, err := askFor(t, n, client); err != nil {
					t.Error(err)
				}
				answered <- client
			}()
			synctest.Wait()
			time.Sleep(ms)
		}
		for _, want := range []byte{1, 1, 2, 3, 1, 1} {
			if got := <-answered; got != want {
				t.Errorf("client %d is answered instead of %d", got, want)
			}
		}
		checkIdle(t, n)
	})
}
