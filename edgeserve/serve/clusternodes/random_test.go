package clusternodes

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"contentedge/edgeserve/engine/cluster"
	"contentedge/edgeserve/serve/admission"
	"contentedge/edgeserve/serve/clientnet"
	"contentedge/edgeserve/wire/clusterhttp"
)

// echo answers with what was asked for.
func echo(ctx context.Context, _ *fakes, _ int, r clusterhttp.Request) ([]byte, error) {
	return after(time.Duration(rand.IntN(20))*ms, fmt.Appendf(nil, `{"for":%q}`, r.Body), nil)(ctx, nil, 0, r)
}

// TestRandomFaults sends requests while the faults of nodes change. No response is another request's, no
// request reaches more than two nodes, none takes longer than its deadline, and nothing is left over.
func TestRandomFaults(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	synctest.Test(t, func(t *testing.T) {
		faults := []behaviour{echo, echo, echo, refuses, resets, hangs, unusable, empty, status(429), status(500), status(503), searching(hangs, echo), searching(status(400), echo)}
		var mu sync.Mutex
		reached := map[string]int{} // by request
		counted := func(b behaviour) behaviour {
			return func(ctx context.Context, f *fakes, node int, r clusterhttp.Request) ([]byte, error) {
				body, err := b(ctx, f, node, r)
				mu.Lock()
				defer mu.Unlock()
				if classify(err) != unreached && string(r.Body) != probeBody {
					reached[string(r.Body)]++
				}
				return body, err
			}
		}
		n, f := play(t, Config{PerNode: 8}, counted(echo), counted(echo), counted(echo), counted(echo))
		stop := make(chan struct{})
		var others sync.WaitGroup
		for node := range 4 {
			rnd := rand.New(rand.NewPCG(seed, uint64(node)))
			others.Go(func() {
				for {
					select {
					case <-stop:
						return
					case <-time.After(time.Duration(rnd.IntN(3000)) * ms):
						f.set(node, counted(faults[rnd.IntN(len(faults))]))
					}
				}
			})
		}
		var clients sync.WaitGroup
		outcomes := map[string]int{}
		for client := range 40 {
			rnd := rand.New(rand.NewPCG(seed, uint64(100+client)))
			clients.Go(func() {
				for i := range 50 {
					text := fmt.Sprintf("%d-%d", client, i)
					ctx, cancel := context.WithCancel(t.Context())
					ctx = admission.WithAway(ctx, clientnet.Of(netip.AddrFrom4([4]byte{192, 0, 2, byte(client % 3)})), nil, nil)
					if rnd.IntN(10) == 0 {
						time.AfterFunc(time.Duration(rnd.IntN(1000))*ms, cancel)
					}
					began := time.Now()
					b, release, err := n.Do(ctx, cluster.Request{Method: "POST", Path: "/live-1/_search", Body: []byte(text), MaxResponse: 1000})
					got := string(b)
					if err == nil {
						release()
					}
					cancel()
					kind := check(t, text, got, err, time.Since(began))
					mu.Lock()
					outcomes[kind]++
					if reached[text] > maxReached {
						t.Errorf("request %s reached %d nodes", text, reached[text])
					}
					mu.Unlock()
					time.Sleep(time.Duration(rnd.IntN(200)) * ms)
				}
			})
		}
		clients.Wait()
		close(stop)
		others.Wait()
		synctest.Wait()
		checkIdle(t, n)
		for node, most := range f.seen().most {
			if most > 8+1 { // and a probe
				t.Errorf("node %d had %d requests at once", node, most)
			}
		}
		if outcomes["ok"] == 0 {
			t.Error("no request was answered")
		}
		t.Log(outcomes)
		n.Close()
	})
}

// check returns what became of a request, and fails if it must not.
func check(t *testing.T, text, got string, err error, took time.Duration) string {
	t.Helper()
	if took > 1500*ms {
		t.Errorf("request %s took %s", text, took)
	}
	var status *cluster.StatusError
	switch {
	case err == nil:
		if got != fmt.Sprintf(`{"for":%q}`, text) {
			t.Errorf("request %s got %s", text, got)
		}
		return "ok"
	case errors.Is(err, cluster.ErrUnavailable):
		if !strings.Contains(err.Error(), ": ") {
			t.Errorf("no reason: %v", err)
		}
		return "unavailable"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.As(err, &status):
		return fmt.Sprint(status.Status)
	}
	t.Error(err)
	return "other"
}
