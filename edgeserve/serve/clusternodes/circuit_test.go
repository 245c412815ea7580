package clusternodes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"contentedge/edgeserve/engine/cluster"
	"contentedge/edgeserve/wire/clusterhttp"
)

// searching separates probes from searches.
func searching(search, probe behaviour) behaviour {
	return func(ctx context.Context, f *fakes, node int, r clusterhttp.Request) ([]byte, error) {
		if string(r.Body) == probeBody {
			return probe(ctx, f, node, r)
		}
		return search(ctx, f, node, r)
	}
}

// set changes how a node behaves.
func (f *fakes) set(node int, b behaviour) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.nodes[node] = b
}

func repeat(t *testing.T, n *Nodes, times int) {
	t.Helper()
	for range times {
		if _, _, err := ask(t.Context(), n); err != nil {
			t.Error(err)
		}
		time.Sleep(ms)
	}
}

// A node that fails is asked five times, then probed after growing pauses, and asked again once a probe
// succeeds: first by two requests at once. Each change is one line of the log.
func TestCircuit(t *testing.T) {
	for _, tt := range []struct {
		name  string
		fault behaviour
	}{
		{"refuses", refuses}, {"resets", resets}, {"is busy", status(503)}, {"hangs", hangs}, {"sends garbage", unusable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				// The nodes take turns: a fails at half of the requests.
				probe := tt.fault
				if tt.name == "sends garbage" {
					probe = status(307)
				}
				n, f := play(t, Config{Log: slog.New(slog.NewTextHandler(&log, nil))}, searching(tt.fault, probe), fine)
				defer n.Close()
				repeat(t, n, 40)
				time.Sleep(time.Second) // the first probe may hang
				before := f.seen().asked
				if before[0] < maxFailures || before[0] > 2*maxFailures {
					t.Errorf("a was asked %d times", before[0])
				}
				if s := n.State(); !s.Available || !s.Nodes[0].Open || s.Nodes[1].Open || s.Nodes[0].Error == "" || s.Nodes[0].Since.IsZero() {
					t.Errorf("%+v", s)
				}
				time.Sleep(time.Minute)
				repeat(t, n, 40)
				if after := f.seen(); after.asked[0] != before[0] || after.asked[1] != before[1]+40 || after.probed[0] < 8 || after.probed[0] > 24 || after.probed[1] != 0 {
					t.Errorf("before: %v; after: %+v", before, after)
				}
				f.set(0, fine)
				time.Sleep(lastPause + time.Second)
				synctest.Wait()
				if s := n.State(); s.Nodes[0].Open || n.nodes[0].limit != restartLimit {
					t.Errorf("%+v, limit %d", s, n.nodes[0].limit)
				}
				repeat(t, n, 200)
				synctest.Wait()
				if n.nodes[0].limit != DefaultPerNode {
					t.Errorf("limit %d", n.nodes[0].limit)
				}
				if lines := strings.Count(log.String(), "\n"); lines != 2 || strings.Count(log.String(), "node=a:9200") != 2 {
					t.Errorf("%d lines:\n%s", lines, log.String())
				}
				synctest.Wait()
				checkIdle(t, n)
			})
		})
	}
}

// Searches that are too heavy open no circuit: probes go on to succeed. Else one client could take the
// cluster from all others.
func TestHeavySearchesOpenNoCircuit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heavy := searching(hangs, fine)
		n, f := play(t, Config{}, heavy, heavy)
		defer n.Close()
		for range 50 {
			if _, _, err := ask(t.Context(), n); !errors.Is(err, cluster.ErrUnavailable) {
				t.Error(err)
			}
			if s := n.State(); s.Nodes[0].Open || s.Nodes[1].Open {
				t.Fatalf("%+v", s)
			}
		}
		if seen := f.seen(); seen.asked[0] != 50 || seen.asked[1] != 50 || seen.probed[0] > 50/maxFailures+1 || seen.probed[0] < 5 {
			t.Errorf("%+v", seen)
		}
	})
}

// Expensive searches that are late open no circuit of a node that answers cheap ones meanwhile, even if
// probes have to wait for those searches: cheap searches of others go on.
func TestLateSearchesBesideAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		expensive := search
		expensive.Body = []byte(`{"expensive":1}`)
		node := searching(func(ctx context.Context, f *fakes, node int, r clusterhttp.Request) ([]byte, error) {
			if bytes.Equal(r.Body, expensive.Body) {
				return hangs(ctx, f, node, r)
			}
			return fine(ctx, f, node, r)
		}, hangs)
		n, _ := play(t, Config{}, node, node)
		defer n.Close()
		for range 3 {
			late := make(chan error)
			for range 2 * maxFailures {
				go func() {
					_, _, err := n.Do(t.Context(), expensive)
					late <- err
				}()
			}
			time.Sleep(600 * ms) // each was sent to the other node too
			repeat(t, n, 10)     // both nodes answer
			for range 2 * maxFailures {
				if err := <-late; !errors.Is(err, cluster.ErrUnavailable) {
					t.Error(err)
				}
			}
			time.Sleep(time.Second) // longer than a probe
			if s := n.State(); s.Nodes[0].Open || s.Nodes[1].Open {
				t.Fatalf("%+v", s)
			}
		}
	})
}

// A probe that is late says nothing against a node that answers a search meanwhile.
func TestLateProbeBesideAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, f := play(t, Config{}, searching(hangs, hangs))
		defer n.Close()
		for range maxFailures {
			_, _, _ = ask(t.Context(), n)
		}
		f.set(0, fine)
		repeat(t, n, 1)
		time.Sleep(time.Second)
		if s := n.State(); s.Nodes[0].Open || f.seen().probed[0] != 1 || n.nodes[0].circuit != closed {
			t.Errorf("%+v, %+v", s, f.seen())
		}
	})
}

// An index that one shard lacks takes no node from the searches of another one.
func TestOtherIndexStaysAvailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := func(ctx context.Context, f *fakes, node int, r clusterhttp.Request) ([]byte, error) {
			if strings.HasPrefix(r.Path, "/red/") {
				return status(503)(ctx, f, node, r)
			}
			return fine(ctx, f, node, r)
		}
		n, _ := play(t, Config{}, node, node)
		defer n.Close()
		red := search
		red.Path = "/red/_search"
		for range 100 {
			if _, _, err := n.Do(t.Context(), red); !errors.Is(err, cluster.ErrUnavailable) {
				t.Error(err)
			}
			repeat(t, n, 1)
		}
		if s := n.State(); s.Nodes[0].Open || s.Nodes[1].Open {
			t.Errorf("%+v", s)
		}
	})
}

// Failures that are not in a row are no reason for a probe.
func TestSingleFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, f := play(t, Config{}, fine)
		defer n.Close()
		for range 10 {
			f.set(0, status(503))
			for range maxFailures - 1 {
				_, _, _ = ask(t.Context(), n)
			}
			f.set(0, fine)
			repeat(t, n, 1)
		}
		if seen := f.seen(); seen.probed[0] != 0 {
			t.Errorf("%+v", seen)
		}
	})
}

// Once all circuits are open, requests are refused at once, and no node gets one. A single probe lets
// them in again.
func TestAllCircuitsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, f := play(t, Config{PerNode: 8}, refuses, refuses)
		defer n.Close()
		for range 20 {
			_, _, _ = ask(t.Context(), n)
			synctest.Wait()
		}
		if s := n.State(); s.Available {
			t.Fatalf("%+v", s)
		}
		before := fmt.Sprint(f.seen().asked)
		for range 1000 {
			if _, took, err := ask(t.Context(), n); took != 0 || !errors.Is(err, cluster.ErrUnavailable) || !strings.Contains(err.Error(), "no node may be asked") {
				t.Fatalf("%v after %s", err, took)
			}
		}
		if after := fmt.Sprint(f.seen().asked); after != before {
			t.Errorf("%s, then %s", before, after)
		}
		f.set(0, fine)
		for !n.State().Available {
			time.Sleep(100 * ms)
		}
		f.mu.Lock()
		f.most[0] = 0
		f.mu.Unlock()
		done := make(chan error)
		for range 50 {
			go func() {
				_, _, err := ask(t.Context(), n)
				done <- err
			}()
		}
		synctest.Wait()
		if inside := f.seen().inside[0]; inside != restartLimit {
			t.Errorf("%d requests at once", inside)
		}
		for range 50 {
			if err := <-done; errors.Is(err, errOpen) {
				t.Error(err)
			}
		}
		if most := f.seen().most[0]; most > 8 {
			t.Errorf("%d requests at once", most)
		}
	})
}

// Probes search the index that was searched last with success.
func TestProbesSearchTheIndex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var paths []string
		node := func(ctx context.Context, f *fakes, node int, r clusterhttp.Request) ([]byte, error) {
			if string(r.Body) == probeBody {
				paths = append(paths, r.Path+"?"+r.Query.Get("allow_partial_search_results"))
				return fine(ctx, f, node, r)
			}
			if !strings.HasPrefix(r.Path, "/new") {
				return refuses(ctx, f, node, r)
			}
			return fine(ctx, f, node, r)
		}
		n, _ := play(t, Config{}, node)
		defer n.Close()
		for _, path := range []string{"/old/_search", "/new/_doc/1", "/old/_search", "/_cluster/health"} {
			for range 2 {
				_, _, _ = n.Do(t.Context(), cluster.Request{Method: "GET", Path: path, MaxResponse: 1})
				time.Sleep(10 * ms)
			}
		}
		synctest.Wait()
		if got := fmt.Sprint(paths); got != "[/old/_search?false /new/_search?false /new/_search?false]" {
			t.Error(got)
		}
	})
}
