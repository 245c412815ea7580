package edgeserve

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"contentedge/edgeserve/engine/releasedir/releasetest"
	"contentedge/edgeserve/serve/delivery"
	"contentedge/edgeserve/serve/generation"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
)

// carried is a server whose releases share what did not change.
type carried struct {
	*Server
	t    *testing.T
	last string // the directory of the last release
}

func newCarried(t *testing.T, envs map[string]string) *carried {
	dir := t.TempDir()
	releasetest.Write(t, dir, envs, "")
	return &carried{openSite(t, dir, nil), t, dir}
}

// swap serves another release, and returns its build.
func (c *carried) swap(envs map[string]string) string {
	c.t.Helper()
	dir := c.t.TempDir()
	m := releasetest.Write(c.t, dir, envs, c.last)
	if err := c.SwapTo(dir); err != nil {
		c.t.Fatal(err)
	}
	c.last = dir
	return m.Build
}

// get returns X-Release and the body of a response.
func (c *carried) get(target string) (build, body string) {
	ctx := newRequest(c.t, "GET", target)
	c.handle(ctx)
	return string(ctx.Response.Header.Peek(httpfield.Release)), string(ctx.Response.Body())
}

// cached reports whether the cache has the response to a target.
func (c *carried) cached(target string) bool {
	return c.current.FindTarget(c.current.Served.Load(), []byte(target)) != nil
}

// TestCacheOutlivesSwaps: a release that replaces another one drops the responses of what changed, of environments
// that went, and those that tell more than one environment; the others stay, and name the new release.
func TestCacheOutlivesSwaps(t *testing.T) {
	c := newCarried(t, map[string]string{"a": "1", "b": "1"})
	item := func(env string) string { return address.Item.Path(env, "a") }
	index := func(env string) string { return address.ElasticNode + "/" + env }
	search := func(envs string) string { return index(envs) + "/_search?ignore_unavailable=true" }
	targets := []string{item("a"), item("b"), index("a"), search("a"), search("b"), search("a,x")}
	warm := func(build string) {
		t.Helper()
		for range 3 {
			for _, target := range targets {
				if got, body := c.get(target); build != "" && (got != build || strings.HasPrefix(target, index("a")) && strings.Contains(body, "uuid") && !strings.Contains(body, build)) {
					t.Errorf("%s: release %s, want %s: %s", target, got, build, body)
				}
			}
		}
		for _, target := range targets[:2] {
			if !c.cached(target) {
				t.Errorf("%s is not cached", target)
			}
		}
	}
	expect := func(build string, kept ...string) {
		t.Helper()
		for _, target := range targets {
			if want := strings.Contains(" "+strings.Join(kept, " ")+" ", " "+target+" "); c.cached(target) != want {
				t.Errorf("%s is cached: %v", target, !want)
			}
		}
		if c.current.Served.Load().Cache.Size() == 0 && len(kept) > 0 {
			t.Error("the cache is empty")
		}
	}
	warm("")
	build := c.swap(map[string]string{"a": "1", "b": "2"})
	expect(build, item("a"), search("a"))
	if got, body := c.get(item("a")); got != build || !strings.Contains(body, `"Name":"1"`) {
		t.Errorf("release %s: %s", got, body)
	}
	if _, body := c.get(item("b")); !strings.Contains(body, `"Name":"2"`) {
		t.Error(body)
	}
	warm(build)
	build = c.swap(map[string]string{"b": "2"})
	expect(build, item("b"), search("b"))
	build = c.swap(map[string]string{"a": "3", "b": "2"})
	expect(build, item("b"), search("b"))
	if _, body := c.get(item("a")); !strings.Contains(body, `"Name":"3"`) {
		t.Error(body)
	}
	warm(build)
	if c.Swap(nil); c.current.Served.Load() != nil {
		t.Error("a release is served")
	}
}

// A request that goes on with an earlier release neither takes responses of the later one nor adds its own.
func TestSlowRequestsStayInTheirRelease(t *testing.T) {
	c := newCarried(t, map[string]string{"a": "1", "b": "1"})
	slow := c.current.Acquire()
	defer slow.Generation.Release()
	target := address.Item.Path("b", "a")
	c.swap(map[string]string{"a": "1", "b": "2"})
	for range 3 {
		c.get(target)
	}
	if !c.cached(target) || c.current.FindTarget(slow, []byte(target)) != nil {
		t.Fatal("the cache mixes two releases")
	}
	size := slow.Cache.Size()
	for range 3 {
		if got := respondOld(t, slow, target); !strings.Contains(got, `"Name":"1"`) {
			t.Errorf("the earlier release says %s", got)
		}
	}
	if slow.Cache.Size() != size {
		t.Error("a request of an earlier release was cached")
	}
}

// Damage of a snapshot that two releases share ends both, whichever is read, and a release that is being opened.
func TestDamageOfSharedSnapshot(t *testing.T) {
	c := newCarried(t, map[string]string{"a": "1", "b": "1"})
	first := c.current.Acquire()
	defer first.Generation.Release()
	old := first.Generation.Dir.Snapshots
	c.swap(map[string]string{"a": "1", "b": "2"})
	n := watchedNode{c.Server}
	n.Damaged(old[1], "b", io.ErrUnexpectedEOF) // which the release before had alone
	if c.current.Served.Load() == nil {
		t.Fatal("withdrawn, though it does not have the snapshot")
	}
	opening, err := generation.Open(c.last, c.current.Served.Load().Generation)
	if err != nil {
		t.Fatal(err)
	}
	if opening.Dir.Snapshots[0] != old[0] {
		t.Fatal("nothing is shared")
	}
	old[0].SetDamaged()
	if err := c.Swap(opening); err != errDamagedMeanwhile || opening.Acquire() {
		t.Errorf("a release with a damaged snapshot: %v", err)
	}
	served := c.current.Acquire()
	n.Damaged(old[0], "a", io.ErrUnexpectedEOF)
	served.Generation.Release()
	if c.current.Served.Load() == served {
		t.Error("a release with a damaged snapshot is served")
	}
	c.endReloads() // the release is opened again
	if now := c.current.Served.Load(); now == nil || now.Generation.Dir.Snapshots[0] == old[0] {
		t.Error("not opened again")
	}
}

// TestSwapsMixNothing swaps under load: each response is of the release that it names.
func TestSwapsMixNothing(t *testing.T) {
	const swaps, environments = 60, 3
	dirs := make([]string, 4)
	text := map[string]string{} // of environment e1, by build
	for i := range dirs {
		dirs[i] = t.TempDir()
		before := ""
		if i > 0 {
			before = dirs[i-1]
		}
		envs := map[string]string{"e0": "same", "e1": fmt.Sprint("release ", i), "e2": "same"}
		text[releasetest.Write(t, dirs[i], envs, before).Build] = envs["e1"]
	}
	s, addr := startServer(t, func(c *ServerConfig) { c.Public = dirs[0] })
	if err := s.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	var done atomic.Bool
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for i := 0; !done.Load(); i++ {
				env := fmt.Sprint("e", i%environments)
				resp, err := client.Get("http://" + addr + address.Item.Path(env, "a"))
				if err != nil {
					t.Error(err)
					return
				}
				body, err := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				want := "same"
				if env == "e1" {
					want = text[resp.Header.Get(httpfield.Release)]
				}
				if err != nil || resp.StatusCode != http.StatusOK || want == "" || !strings.Contains(string(body), `"`+want+`"`) {
					t.Errorf("%s: release %s says %s (%v)", env, resp.Header.Get(httpfield.Release), body, err)
					return
				}
			}
		})
	}
	for i := range swaps {
		if err := s.SwapTo(dirs[i%len(dirs)]); err != nil {
			t.Error(err)
		}
	}
	done.Store(true)
	clients.Wait()
}

// respondOld answers a request from an earlier release, as a request that took it before the swap.
func respondOld(t *testing.T, served *delivery.Served, target string) string {
	t.Helper()
	route, _ := address.ParsePath(target)
	var buffer []byte
	response, p := served.Respond(&delivery.Request{Target: []byte(target), Buffer: &buffer}, route.ForGET(""), "")
	if p != nil {
		t.Fatal(p)
	}
	return string(response.Body)
}
