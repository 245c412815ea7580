package clusternodes

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"contentedge/edgeserve/engine/cluster"
	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/prometheus/prometheustest"
	"contentedge/edgeserve/wire/clusterhttp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// behaviour is what a request to a node of fakes comes to. It ends with its context.
type behaviour func(ctx context.Context, f *fakes, node int, r clusterhttp.Request) ([]byte, error)

// fakes are nodes in memory.
type fakes struct {
	mu     sync.Mutex
	nodes  []behaviour
	asked  []int // requests by node, without probes
	probed []int
	inside []int // requests that have not ended
	most   []int // the maximum of inside
	at     []time.Duration
	began  time.Time
}

func (f *fakes) Len() int             { return len(f.nodes) }
func (f *fakes) Name(node int) string { return string(rune('a'+node)) + ":9200" }
func (f *fakes) Close()               {}

func (f *fakes) Do(ctx context.Context, node int, r clusterhttp.Request, dst []byte) ([]byte, error) {
	f.mu.Lock()
	if string(r.Body) == probeBody {
		f.probed[node]++
	} else {
		f.asked[node]++
		f.at = append(f.at, time.Since(f.began))
	}
	f.inside[node]++
	f.most[node] = max(f.most[node], f.inside[node])
	do := f.nodes[node]
	f.mu.Unlock()
	b, err := do(ctx, f, node, r)
	f.mu.Lock()
	f.inside[node]--
	f.mu.Unlock()
	if err != nil {
		return dst, &clusterhttp.Error{Node: f.Name(node), Err: err}
	}
	if grow := len(b) - cap(dst); grow > 0 && r.Reserve != nil && !r.Reserve(grow) {
		return dst, clusterhttp.ErrNoRoom
	}
	return append(dst, b...), nil
}

// seen is what fake nodes have seen so far.
type seen struct {
	asked, probed, inside, most []int
	at                          []time.Duration // when requests came
}

func (f *fakes) seen() seen {
	f.mu.Lock()
	defer f.mu.Unlock()
	return seen{slices.Clone(f.asked), slices.Clone(f.probed), slices.Clone(f.inside), slices.Clone(f.most), slices.Clone(f.at)}
}

// after answers when some time has passed.
func after(d time.Duration, b []byte, err error) behaviour {
	return func(ctx context.Context, _ *fakes, _ int, _ clusterhttp.Request) ([]byte, error) {
		select {
		case <-time.After(d):
			return b, err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

const ms = time.Millisecond

var (
	fine     = after(5*ms, []byte(`{"hits":{}}`), nil)
	hangs    = after(time.Hour, nil, nil)
	refuses  = after(0, nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")})
	resets   = after(ms, nil, &net.OpError{Op: "read", Err: errors.New("connection reset by peer")})
	unusable = after(ms, []byte("<html>"), nil)
	empty    = after(ms, nil, nil)
)

func slow(d time.Duration) behaviour { return after(d, []byte(`{"slow":{}}`), nil) }

func status(code int) behaviour {
	return after(ms, nil, &clusterhttp.StatusError{Status: code, Type: "a_type", Reason: "a reason"})
}

// play starts fake nodes and what asks them. The first request goes to node 0.
func play(t *testing.T, cfg Config, nodes ...behaviour) (*Nodes, *fakes) {
	t.Helper()
	k := len(nodes)
	f := &fakes{nodes: nodes, asked: make([]int, k), probed: make([]int, k), inside: make([]int, k), most: make([]int, k), began: time.Now()}
	if cfg.Deadline == 0 {
		cfg.Deadline = 1500 * ms // a second node is asked after half a second
	}
	if cfg.PerNode == 0 {
		cfg.PerNode = DefaultPerNode
	}
	if cfg.Bytes == 0 {
		cfg.Bytes = DefaultBytes
	}
	n := newNodes(f, cfg)
	n.next = 0
	return n, f
}

var search = cluster.Request{Method: "POST", Path: "/live-1/_search", Body: []byte(`{}`), MaxResponse: 1 << 20}

// ask sends a search, and returns the response and how long it took.
func ask(ctx context.Context, n *Nodes) (text string, took time.Duration, err error) {
	began := time.Now()
	b, release, err := n.Do(ctx, search)
	took = time.Since(began)
	if err != nil {
		return "", took, err
	}
	text = string(b)
	release()
	return text, took, nil
}

// checkIdle fails unless everything that requests take was given back.
func checkIdle(t *testing.T, n *Nodes) {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.inFlight != 0 || n.ofClient.Len() != 0 || len(n.waiting) != 0 || n.buffers.used.Load() != 0 {
		t.Errorf("%d requests, %d waiting, %d bytes", n.inFlight, len(n.waiting), n.buffers.used.Load())
	}
	for _, nd := range n.nodes {
		if nd.inFlight != 0 {
			t.Errorf("%s: %d requests", nd.name, nd.inFlight)
		}
	}
}

// TestClusternodes asks nodes with one fault each, for a search: what comes back, when, and who was asked.
func TestClusternodes(t *testing.T) {
	for _, tt := range []struct {
		name  string
		nodes []behaviour
		want  string // the response, or a part of the error
		err   error
		took  time.Duration
		asked string
	}{
		{"a node that answers", []behaviour{fine, fine}, `{"hits":{}}`, nil, 5 * ms, "[1 0]"},
		{"a slow node has a third of the deadline alone", []behaviour{slow(499 * ms), fine}, `{"slow":{}}`, nil, 499 * ms, "[1 0]"},
		{"then a second one is asked", []behaviour{hangs, fine}, `{"hits":{}}`, nil, 505 * ms, "[1 1]"},
		{"the first one may still win", []behaviour{slow(502 * ms), fine}, `{"slow":{}}`, nil, 502 * ms, "[1 1]"},
		{"no third node is asked", []behaviour{hangs, hangs, fine}, "in time", cluster.ErrUnavailable, 1500 * ms, "[1 1 0]"},
		{"a lost connection", []behaviour{resets, fine}, `{"hits":{}}`, nil, 6 * ms, "[1 1]"},
		{"two of them", []behaviour{resets, resets, fine}, "connection reset", cluster.ErrUnavailable, 2 * ms, "[1 1 0]"},
		{"a refused connection costs no attempt", []behaviour{refuses, resets, fine}, `{"hits":{}}`, nil, 6 * ms, "[1 1 1]"},
		{"but the last one", []behaviour{refuses, refuses, refuses, fine}, "connection refused", cluster.ErrUnavailable, 0, "[1 1 1 0]"},
		{"after it, a slow node has a second one", []behaviour{refuses, hangs, fine}, `{"hits":{}}`, nil, 505 * ms, "[1 1 1]"},
		{"429", []behaviour{status(429), fine}, `{"hits":{}}`, nil, 6 * ms, "[1 1]"},
		{"502", []behaviour{status(502), fine}, `{"hits":{}}`, nil, 6 * ms, "[1 1]"},
		{"503", []behaviour{status(503), fine}, `{"hits":{}}`, nil, 6 * ms, "[1 1]"},
		{"504", []behaviour{status(504), fine}, `{"hits":{}}`, nil, 6 * ms, "[1 1]"},
		{"503 from both", []behaviour{status(503), status(503), fine}, "status 503 a_type", cluster.ErrUnavailable, 2 * ms, "[1 1 0]"},
		{"500 may be that of a copy of the index", []behaviour{status(500), fine}, `{"hits":{}}`, nil, 6 * ms, "[1 1]"},
		{"500 from both is told", []behaviour{status(500), status(503)}, "status 500: a_type: a reason", nil, 2 * ms, "[1 1]"},
		{"too many buckets, with whatever status, are not either", []behaviour{after(ms, nil, &clusterhttp.StatusError{Status: 503, Type: cluster.TooManyBuckets}), fine}, "status 503: too_many_buckets_exception", nil, ms, "[1 0]"},
		{"400 is no other node's to answer", []behaviour{status(400), fine}, "status 400: a_type: a reason", nil, ms, "[1 0]"},
		{"nor is 404", []behaviour{status(404), fine}, "status 404", nil, ms, "[1 0]"},
		{"nor are refused credentials", []behaviour{status(401), fine}, "status 401", nil, ms, "[1 0]"},
		{"a redirect", []behaviour{status(307), fine}, `{"hits":{}}`, nil, 6 * ms, "[1 1]"},
		{"a page of a proxy", []behaviour{unusable, fine}, `{"hits":{}}`, nil, 6 * ms, "[1 1]"},
		{"nothing", []behaviour{empty, fine}, `{"hits":{}}`, nil, 6 * ms, "[1 1]"},
		{"a response that is too long", []behaviour{after(ms, nil, clusterhttp.ErrTooLarge), fine}, "longer", cluster.ErrTooLarge, ms, "[1 0]"},
		{"a request that cannot be sent", []behaviour{after(0, nil, clusterhttp.ErrUnsent), fine}, "was not sent", cluster.ErrUnavailable, 0, "[1 0]"},
		{"one node alone is asked once", []behaviour{hangs}, "deadline", cluster.ErrUnavailable, 1500 * ms, "[1]"},
		{"also if it is busy", []behaviour{status(503)}, "status 503", cluster.ErrUnavailable, ms, "[1]"},
		{"but again if it lost the connection", []behaviour{resets}, "connection reset", cluster.ErrUnavailable, 2 * ms, "[2]"},
		{"or refused it", []behaviour{refuses}, "connection refused", cluster.ErrUnavailable, 0, "[3]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, f := play(t, Config{}, tt.nodes...)
				defer n.Close()
				got, took, err := ask(t.Context(), n)
				if tt.err != nil && !errors.Is(err, tt.err) || !strings.Contains(got+fmt.Sprint(err), tt.want) || took != tt.took {
					t.Errorf("%q, %v after %s", got, err, took)
				}
				if asked := fmt.Sprint(f.seen().asked); asked != tt.asked {
					t.Errorf("asked %s, want %s", asked, tt.asked)
				}
				synctest.Wait()
				checkIdle(t, n)
			})
		})
	}
}

// A client that goes away ends its request, and says nothing against the node.
func TestClientLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, f := play(t, Config{}, hangs)
		defer n.Close()
		for range 2 * maxFailures {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(100*ms, cancel)
			if _, took, err := ask(ctx, n); !errors.Is(err, context.Canceled) || took != 100*ms {
				t.Errorf("%v after %s", err, took)
			}
		}
		synctest.Wait()
		checkIdle(t, n)
		if probed := f.seen().probed[0]; probed != 0 || n.State().Nodes[0].Open {
			t.Errorf("%d probes, %+v", probed, n.State())
		}
	})
}

// A deadline of the caller counts as ours.
func TestEarlierDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, f := play(t, Config{}, hangs, hangs)
		defer n.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 300*ms)
		defer cancel()
		if _, took, err := ask(ctx, n); !errors.Is(err, context.DeadlineExceeded) || took != 300*ms {
			t.Errorf("%v after %s", err, took)
		}
		if at := f.seen().at; at[1] != 100*ms {
			t.Errorf("asked at %v", at)
		}
	})
}

// Metrics are valid text, and count each request once.
func TestMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, _ := play(t, Config{Log: slog.New(slog.DiscardHandler)}, resets, fine)
		defer n.Close()
		for range 4 {
			if _, _, err := ask(t.Context(), n); err != nil {
				t.Error(err)
			}
		}
		var text prometheus.Text
		n.WriteMetrics(&text)
		got := prometheustest.Parse(t, text.Bytes())
		if ok := got[`contentedge_cluster_requests_total{node="b:9200",outcome="ok"}`]; ok != 4 {
			t.Errorf("%g requests of b\n%s", ok, text.Bytes())
		}
		if a, s := got[`contentedge_cluster_requests_total{node="a:9200",outcome="failed"}`], got[`contentedge_cluster_second_requests_total{reason="failed"}`]; a != s || a == 0 {
			t.Errorf("%g failures of a, %g second requests", a, s)
		}
		if n := got[`contentedge_cluster_request_duration_seconds_count{node="b:9200"}`]; n != 4 {
			t.Errorf("%g durations", n)
		}
	})
}
