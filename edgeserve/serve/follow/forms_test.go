package follow

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"contentedge/edgeserve/wire/compression"
	"contentedge/edgeserve/wire/delta"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/edgeserve/wire/store/storetest"
)

// text is content that compresses a little and is large enough for patches.
func text(seed uint64) string {
	rnd := rand.New(rand.NewPCG(seed, 36))
	var b strings.Builder
	for b.Len() < 4*release.MinPatched {
		fmt.Fprintf(&b, `{"id":%d,"name":"%x"}`, rnd.Uint32(), rnd.Uint64())
	}
	return b.String()
}

func snapshotOf(content string) release.Snapshot {
	return release.Snapshot{Bytes: int64(len(content)), SHA256: release.HexSHA256([]byte(content))}
}

func patch(t *testing.T, from, to string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := delta.Make(&b, []byte(from), []byte(to), 1<<30); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func compressed(t *testing.T, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := compression.NewZstdWriter(&b)
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// putForms puts the forms of environment a into the store.
func (w *world) putForms(from, to string) {
	w.t.Helper()
	w.put(release.CompressedKey("a", snapshotOf(to)), compressed(w.t, to))
	if from != "" {
		w.put(release.PatchKey("a", snapshotOf(from), snapshotOf(to)), patch(w.t, from, to))
	}
}

// requested lists the requests of a sync, without prefixes and digests.
func (w *world) requested(fault func(name string) storetest.Fault) func() []string {
	var mu sync.Mutex
	var names []string
	w.wire.Set(func(_ int, r *http.Request) storetest.Fault {
		mu.Lock()
		defer mu.Unlock()
		name := filepath.Base(r.URL.Path)
		switch {
		case strings.HasSuffix(name, ".patch"):
			name = "patch"
		case strings.HasSuffix(name, ".zst"):
			name = "compressed"
		case strings.HasSuffix(name, ".snap"):
			name = name[:1] + ".snap"
		}
		names = append(names, name)
		if fault != nil {
			return fault(name)
		}
		return storetest.Fault{}
	})
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(names)
	}
}

// count is a counter of a form.
func (w *world) count(name, form string) string {
	w.t.Helper()
	return w.metric(fmt.Sprintf("contentedge_follow_%s_total{form=%q}", name, form))
}

// TestForms: a node asks for the patch from what it has, then for the compressed snapshot, then for the whole one. It
// asks for no form of a small snapshot, and never for one that did not change.
func TestForms(t *testing.T) {
	w := newWorld(t)
	one, two := text(1), text(1)+"more"
	steps := []struct {
		name, content string
		put           func()
		want          string
		form          string
	}{
		{"the first is compressed", one, func() { w.putForms("", one) }, "current.json manifest.json compressed b.snap", formCompressed},
		{"a patch", two, func() { w.putForms(one, two) }, "current.json manifest.json patch", formPatch},
		{"no patch", one + "other", func() { w.putForms("", one+"other") }, "current.json manifest.json patch compressed", formCompressed},
		{"neither", two + "other", func() {}, "current.json manifest.json patch compressed a.snap", formWhole},
		{"a small one", "small", func() {}, "current.json manifest.json a.snap", formWhole},
	}
	for _, c := range steps {
		build := w.publish(c.content, "b")
		c.put()
		before := w.count("snapshots", c.form)
		got := w.requested(nil)
		w.mustBe(build)
		names := got()
		slices.Sort(names[2:])
		want := strings.Fields(c.want)
		slices.Sort(want[2:])
		if !slices.Equal(names, want) {
			t.Errorf("%s: %v, not %v", c.name, names, want)
		}
		if after := w.count("snapshots", c.form); after == before {
			t.Errorf("%s: the metric of %s stays %s", c.name, c.form, after)
		}
	}
	if n := w.count("snapshot_bytes", formPatch); n != fmt.Sprint(len(patch(t, one, two))) {
		t.Errorf("%s bytes of patches", n)
	}
	if n := w.count("form_failures", formPatch); n != "0" {
		t.Errorf("%s patches failed", n)
	}
}

// Whatever a store sends as a patch or a compressed snapshot, the node takes bounded bytes and time, and then the whole
// one. It says what failed.
func TestFormsThatLie(t *testing.T) {
	one, two := text(1), text(1)+"more"
	other := []byte(text(3))
	zeros := func(n int) []byte { return compressed(t, strings.Repeat("\x00", n)) }
	for name, fault := range map[string]storetest.Fault{
		"endless":                {Endless: true},
		"nothing":                {Body: []byte{}},
		"other bytes":            {Body: other},
		"a changed bit":          {FlipAt: 20},
		"an error":               {Status: 503},
		"a bomb":                 {Body: zeros(1 << 30)},
		"a patch's bomb":         {Body: append([]byte("cdgedlt1"), zeros(16<<20)...)},
		"a patch of other files": {Body: patch(t, two, text(4))},
		"another snapshot":       {Body: compressed(t, text(4))},
		"slow":                   {Drip: 5 * time.Millisecond},
		"silent":                 {Drip: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.mustBe(w.publish(one, "b"))
			build := w.publish(two, "b")
			w.putForms(one, two)
			got := w.requested(func(name string) storetest.Fault {
				if name == "patch" || name == "compressed" {
					return fault
				}
				return storetest.Fault{}
			})
			if fault.Drip > 0 {
				w.f.formTime = func(time.Duration) time.Duration { return 100 * time.Millisecond }
			}
			w.mustBe(build)
			if !slices.Contains(got(), "a.snap") {
				t.Errorf("%v", got())
			}
			if n := w.count("form_failures", formPatch); n != "1" {
				t.Errorf("%s patches failed", n)
			}
			if !strings.Contains(w.log.String(), "fetched another way") {
				t.Errorf("the log: %s", w.log.String())
			}
		})
	}
}

// After some wrong objects, a node asks for whole snapshots alone; so it does after some that the store lacks.
func TestFormsAreNotAskedForAgainAndAgain(t *testing.T) {
	for name, fault := range map[string]storetest.Fault{"wrong": {Body: []byte("x")}, "missing": {Status: 404}} {
		w := newWorld(t)
		many := map[string][]byte{}
		for i := range 40 {
			many[fmt.Sprintf("e%02d", i)] = []byte(text(uint64(i)))
		}
		build := w.publishAll(many)
		got := w.requested(func(name string) storetest.Fault {
			if name == "compressed" {
				return fault
			}
			return storetest.Fault{}
		})
		w.mustBe(build)
		asked := 0
		for _, name := range got() {
			if name == "compressed" {
				asked++
			}
		}
		if asked < maxFaults || asked > maxMisses+fetchJobs {
			t.Errorf("%s: %d requests", name, asked)
		}
	}
}

// A patch of a damaged file leads to another digest. The node says why, and the release is whole.
func TestDamagedBase(t *testing.T) {
	w := newWorld(t)
	one, two := text(1), text(1)+"more"
	w.mustBe(w.publish(one, "b"))
	path := w.f.dir.path(release.CurrentLink, release.SnapshotName("a", sum(one)))
	if err := os.WriteFile(path, []byte(strings.Replace(one, "name", "nAme", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	build := w.publish(two, "b")
	w.putForms(one, two)
	got := w.requested(nil)
	w.mustBe(build)
	if names := got(); !slices.Contains(names, "compressed") || slices.Contains(names, "a.snap") {
		t.Errorf("%v", names)
	}
	if !strings.Contains(w.log.String(), "on this machine is damaged") {
		t.Errorf("the log: %s", w.log.String())
	}
}

// An unchanged snapshot is linked without a request and without reading it. If it has decayed, the node fetches it.
func TestUnchangedSnapshots(t *testing.T) {
	w := newWorld(t)
	w.mustBe(w.publish("a1", "b"))
	path := w.f.dir.path(release.CurrentLink, release.SnapshotName("b", sum("b")))
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	w.mustBe(w.publish("a2", "b"))
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Errorf("another file: %v", err)
	}
	if n := w.count("snapshots", formLinked); n != "1" {
		t.Errorf("%s links", n)
	}
	if err := os.WriteFile(path, []byte("B"), 0o600); err != nil {
		t.Fatal(err)
	}
	build := w.publish("a3", "b")
	got := w.requested(nil)
	w.mustBe(build)
	if n := strings.Count(strings.Join(got(), " "), ".snap"); n != 2 { // each once
		t.Errorf("%v", got())
	}
}

// The first fetch has several requests under way, and a bound. A process that is killed leaves what it fetched to the
// next one.
func TestFirstFetch(t *testing.T) {
	w := newWorld(t)
	many := map[string][]byte{}
	for i := range 200 { // more than a manifest describes without parts
		many[fmt.Sprintf("e%03d", i)] = fmt.Appendf(nil, "snapshot %d", i)
	}
	build := w.publishAll(many)
	c := &crowd{wire: w.wire, limit: 120, full: make(chan struct{})}
	front := httptest.NewServer(c)
	defer front.Close()
	storetest.Environment(t, front.URL)
	w.cfg.Store = w.open(store.DefaultStall)
	w.restart()
	if err := w.sync(); err == nil {
		t.Fatal("the fetch that was cut succeeded")
	}
	before := c.again(1000)
	w.restart() // as another process
	w.mustBe(build)
	if n := c.again(0); before < 120 || n < 200-120 || n > 200-120+fetchJobs {
		t.Errorf("%d snapshots were fetched after %d", n, before)
	}
	if c.most != fetchJobs {
		t.Errorf("%d requests at once, not %d", c.most, fetchJobs)
	}
}

// crowd counts the requests for snapshots that are under way at once. None ends before fetchJobs are. It cuts those
// beyond a limit.
type crowd struct {
	wire *storetest.Proxy
	full chan struct{} // closed once fetchJobs were under way

	mu                          sync.Mutex // guards what follows
	under, most, fetched, limit int
}

func (c *crowd) again(limit int) (fetched int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fetched, c.fetched, c.limit = c.fetched, 0, limit
	return fetched
}

func (c *crowd) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.under++
	c.fetched++
	if c.under > c.most {
		if c.most = c.under; c.most == fetchJobs {
			close(c.full)
		}
	}
	return c.fetched <= c.limit
}

func (c *crowd) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, ".snap") {
		ok := c.begin()
		<-c.full
		defer func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.under--
		}()
		if !ok {
			panic(http.ErrAbortHandler)
		}
	}
	c.wire.ServeHTTP(w, r)
}

// A large snapshot goes on where a killed process stopped; bytes of something else are found and fetched again.
func TestResume(t *testing.T) {
	for name, begun := range map[string]string{"the beginning": text(1)[:100_000], "something else": text(2)[:100_000], "too much": text(1) + "more"} {
		w := newWorld(t)
		build := w.publish(text(1), "b")
		file := w.f.dir.path(release.ReleasesDir, tempName, release.SnapshotName("a", sum(text(1)))+partSuffix)
		if err := os.MkdirAll(filepath.Dir(file), dirMode); err != nil {
			t.Fatal(err)
		}
		for _, left := range []string{file, filepath.Join(filepath.Dir(file), "other-0011223344556677.snap"), filepath.Join(filepath.Dir(filepath.Dir(file)), mediaListName)} {
			if err := os.WriteFile(left, []byte(begun), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		w.mustBe(build)
		files, err := filepath.Glob(w.f.dir.path(release.CurrentLink, "*"))
		inside, e := filepath.Glob(w.f.dir.path(release.CurrentLink, "*", "*"))
		if err != nil || e != nil || len(files) != 2 || len(inside) != 2 {
			t.Errorf("%s: %v, %v", name, files, inside)
		}
		want := fmt.Sprint(len(text(1)) + 1)
		switch name {
		case "the beginning":
			want = fmt.Sprint(len(text(1)) - 100_000 + 1)
		case "something else":
			want = fmt.Sprint(2*len(text(1)) - 100_000 + 1)
		}
		if got := w.count("snapshot_bytes", formWhole); got != want {
			t.Errorf("%s: %s bytes, not %s", name, got, want)
		}
	}
}

func sum(content string) [32]byte {
	b, err := hex.DecodeString(release.HexSHA256([]byte(content)))
	if err != nil {
		panic(err)
	}
	return [32]byte(b)
}
