package delivery

import (
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/releasedir/releasetest"
	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/serve/admission"
	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/serve/clientnet"
	"contentedge/edgeserve/serve/generation"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

const listTarget = "/cda/rest/v1/a/contents?sort=Name&pageSize=5"

// testResources are those of a node with some memory.
func testResources() *Resources {
	return &Resources{Memory: bodies.NewBudget(1 << 20), Searches: admission.New(2, time.Minute), BodyLimit: 1 << 10, Counters: NewCounters(), Log: slog.New(slog.DiscardHandler)}
}

// opened writes and opens a release of environments with one item each.
func opened(t *testing.T, resources *Resources, before *Served, envs map[string]string) *Served {
	t.Helper()
	dir, from := t.TempDir(), (*generation.Generation)(nil)
	if before != nil {
		from = before.Generation
	}
	releasetest.Write(t, dir, envs, "")
	g, err := generation.Open(dir, from)
	if err != nil {
		t.Fatal(err)
	}
	return NewServed(g, 1<<20, respond.NewFields(release.Standard(), []string{release.AnyOrigin}), resources)
}

// get requests a target.
func get(t *testing.T, v *Served, target string) {
	t.Helper()
	path, query, _ := strings.Cut(target, "?")
	route, _ := address.ParsePath(path)
	r := Request{Client: clientnet.Of(netip.MustParseAddr("192.0.2.1")), Target: []byte(target), Buffer: new([]byte), Since: time.Now()}
	if _, p := v.Respond(&r, route.ForGET(query), query); p != nil {
		t.Fatal(p)
	}
}

// TestCurrentFinds finds a cached response by any target that it was requested by, only in the release that is served.
func TestCurrentFinds(t *testing.T) {
	resources := testResources()
	var c Current
	first := opened(t, resources, nil, map[string]string{"a": "one", "b": "one"})
	if !c.Swap(first) {
		t.Fatal("the first release is refused")
	}
	other := strings.ReplaceAll(listTarget, "?", "?page=1&")
	for range 3 {
		get(t, first, listTarget)
	}
	get(t, first, other)
	for _, target := range []string{listTarget, other} {
		if c.FindTarget(first, []byte(target)) == nil {
			t.Errorf("%s is not found", target)
		}
	}
	if c.FindTarget(first, []byte(listTarget+"0")) != nil || c.FindSearch(first, []byte(listTarget), []byte("{}")) != nil {
		t.Error("a response is found that was not requested")
	}
	second := opened(t, resources, first, map[string]string{"a": "one", "b": "two"})
	if !first.Generation.Acquire() || !c.Swap(second) { // a request goes on with the first release
		t.Fatal("the second release is refused")
	}
	if c.FindTarget(first, []byte(listTarget)) != nil {
		t.Error("a release that is not served any more finds a response")
	}
	if c.FindTarget(second, []byte(listTarget)) == nil {
		t.Error("the response of an environment that did not change is gone")
	}
	first.Generation.Release()
	if build := second.Generation.Dir.Build(); !strings.Contains(string(second.ReleaseLine), build) {
		t.Errorf("the header line of release %s is %q", build, second.ReleaseLine)
	}
}

// TestWithdraw closes the release whose snapshot is damaged once its requests have ended, and serves none.
func TestWithdraw(t *testing.T) {
	resources := testResources()
	var c Current
	v := opened(t, resources, nil, map[string]string{"a": "one"})
	other := opened(t, resources, nil, map[string]string{"a": "two"})
	defer other.Retire()
	closed := false
	v.Generation.OnClose = func() { closed = true }
	c.Swap(v)
	for range 3 {
		get(t, v, listTarget)
	}
	if c.Withdraw(other.Generation.Dir.Snapshots[0]) != nil || c.Served.Load() != v {
		t.Error("a release is withdrawn for the snapshot of another one")
	}
	reader := c.Acquire()
	if c.Withdraw(v.Generation.Dir.Snapshots[0]) != v || c.Acquire() != nil {
		t.Error("the release is not withdrawn")
	}
	if v.Cache.GetTarget([]byte(listTarget)) != nil {
		t.Error("its responses stay in the cache")
	}
	if closed {
		t.Error("it is closed while a request reads it")
	}
	if reader.Generation.Release(); !closed {
		t.Error("it stays open")
	}
	if c.Withdraw(v.Generation.Dir.Snapshots[0]) != nil {
		t.Error("it is withdrawn twice")
	}
	next := opened(t, resources, nil, map[string]string{"a": "three"})
	defer next.Retire()
	if !c.Swap(next) || c.Acquire() != next {
		t.Fatal("the next release is not served")
	}
	next.Generation.Release()
}

// TestMisses counts the responses that the cache did not have.
func TestMisses(t *testing.T) {
	resources := testResources()
	v := opened(t, resources, nil, map[string]string{"a": "one"})
	defer v.Retire()
	for range 5 {
		get(t, v, listTarget)
	}
	var text prometheus.Text
	resources.WriteCache(&text)
	if want := `contentedge_cache_misses_total{source="computed"} 2`; !strings.Contains(string(text.Bytes()), want) {
		t.Errorf("%s lacks %s", text.Bytes(), want)
	}
}

// TestNoMemoryForALongBody refuses a long body for which the budget has no room, and writes nothing of the body.
func TestNoMemoryForALongBody(t *testing.T) {
	for name, tt := range map[string]struct {
		free, size int64
		refused    bool
	}{
		"short":          {0, 100, false},
		"long":           {8 << 20, bodies.Large, false},
		"without memory": {0, bodies.Large, true},
		"too long":       {1 << 20, 2 << 20, true},
	} {
		v := &Served{resources: &Resources{Memory: bodies.NewBudget(tt.free), Counters: NewCounters()}, fields: respond.NewFields(release.Standard(), nil).ForContent()}
		r := Request{served: v, Buffer: new([]byte), Client: clientnet.Of(netip.MustParseAddr("192.0.2.1"))}
		a := answer.New(int(tt.size), func(b []byte) ([]byte, error) {
			if tt.refused {
				t.Errorf("%s: the body is written", name)
			}
			return append(b, "body"...), nil
		})
		_, p := r.compute(&answer.Content{Class: release.ClassList}, &a, nil)
		if (p != nil) != tt.refused || p != nil && p != problem.Of(problem.Overloaded) {
			t.Errorf("%s: %v", name, p)
		}
		if left := v.resources.Memory.Left(); left != tt.free {
			t.Errorf("%s: %d of %d bytes are left", name, left, tt.free)
		}
	}
}

// TestLap measures work without the time of waiting, lap by lap.
func TestLap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := Request{Measure: true, permit: new(admission.Permit)}
		r.lap()
		for i, tt := range []struct{ work, wait time.Duration }{{3 * time.Second, time.Second}, {time.Second, 0}, {2 * time.Second, 5 * time.Second}, {0, time.Second}} {
			time.Sleep(tt.work + tt.wait)
			r.Timing.Queue += tt.wait
			if got := r.lap(); got != tt.work {
				t.Errorf("lap %d: %s, want %s", i, got, tt.work)
			}
		}
		if r.Measure = false; r.lap() != 0 {
			t.Error("a request that is not measured has a lap")
		}
	})
}
