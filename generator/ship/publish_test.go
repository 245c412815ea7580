package ship

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/edgeserve/wire/store/storetest"
	"contentedge/generator"
)

// world is a store with a wire to it.
type world struct {
	t    *testing.T
	wire *storetest.Proxy
	s    *store.Store

	mu   sync.Mutex
	sent []string // method and key of each request
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return newWorldOf(t, storetest.Start(t))
}

func newWorldOf(t *testing.T, service *storetest.Service) *world {
	t.Helper()
	w := &world{t: t, wire: storetest.NewProxy(t, service.Addr)}
	storetest.Environment(t, w.wire.URL)
	var err error
	if w.s, err = store.Open("s3://"+storetest.Bucket+"/live", store.Options{Stall: 5 * time.Second}); err != nil {
		t.Fatal(err)
	}
	w.faults(nil)
	return w
}

// faults notes all requests, and lets choose fail some.
func (w *world) faults(choose func(n int, r *http.Request) storetest.Fault) {
	w.wire.Set(func(n int, r *http.Request) storetest.Fault {
		w.mu.Lock()
		if !strings.Contains(r.URL.Path, "/locks/") {
			w.sent = append(w.sent, r.Method+" "+strings.TrimPrefix(r.URL.Path, "/"+storetest.Bucket+"/live/")+" "+r.Header.Get("X-Amz-Copy-Source"))
		}
		w.mu.Unlock()
		if choose == nil {
			return storetest.Fault{}
		}
		return choose(n, r)
	})
}

// requests returns the requests since the last call that begin with a word.
func (w *world) requests(method string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for _, r := range w.sent {
		if strings.HasPrefix(r, method+" ") {
			out = append(out, strings.TrimSpace(r[len(method):]))
		}
	}
	w.sent = nil
	return out
}

// build returns a release of items, the first few of which are changed.
func build(t *testing.T, changed int) string {
	t.Helper()
	return buildOf(t, 40, changed)
}

// shared are releases that tests have built, by their numbers, and sharedDir holds them.
var (
	shared    = map[[2]int]string{}
	sharedDir string
)

func TestMain(m *testing.M) {
	var err error
	if sharedDir, err = os.MkdirTemp("", "contentedge-publish-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(sharedDir)
	os.Exit(code)
}

// buildOf returns a release of so many items, which no test may change.
func buildOf(t *testing.T, items, changed int) string {
	t.Helper()
	key := [2]int{items, changed}
	if shared[key] == "" {
		out := filepath.Join(sharedDir, fmt.Sprintf("%d-%d", items, changed))
		buildInto(t, out, items, changed)
		shared[key] = out
	}
	return shared[key]
}

// buildInto makes a release of so many items.
func buildInto(t *testing.T, out string, items, changed int) { buildAs(t, out, items, changed, false) }

// buildAs makes a release of so many items, of snapshots and media alone if bare.
func buildAs(t *testing.T, out string, items, changed int, bare bool) {
	t.Helper()
	content := t.TempDir()
	var b bytes.Buffer
	for i := range items {
		text, picture := "same", 0
		if i < changed {
			picture = 1
			text = fmt.Sprint("changed ", changed)
		}
		fmt.Fprintf(&b, `{"ContentID":"Content_%04d","Name":"item %d","TemplateName":"T%d","CreatedAt":"2024-01-01T00:00:00Z","Data":{"text":%q,"pic":{"Type":"Reference","ReferenceType":"Media","MediaUrl":"./%d.svg"}}}`+"\n", i, i, i%4, text, picture)
	}
	for i, text := range []string{"<svg/>", fmt.Sprintf("<svg>%d</svg>", changed)} {
		if err := errors.Join(os.MkdirAll(filepath.Join(content, "site"), 0o755), os.WriteFile(filepath.Join(content, "site", fmt.Sprintf("%d.svg", i)), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(content, "site", "items.ndjson"), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	order, size := generator.Defaults()
	_, err := generator.Build(t.Context(), generator.BuildConfig{Content: content, Out: out, Lists: generator.DefaultLists, Order: order, PageSize: size,
		BudgetFiles: generator.DefaultBudgetFiles, BudgetBytes: generator.DefaultBudgetBytes, SnapshotOnly: bare})
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) publish(public string) *Report {
	w.t.Helper()
	r, err := Publish(w.t.Context(), PublishConfig{Store: w.s, Public: public})
	if err != nil {
		w.t.Fatal(err)
	}
	w.equal(public)
	return r
}

// equal proves that the store has the release, byte for byte, and points to it.
func (w *world) equal(public string) {
	w.t.Helper()
	p, _, err := currentPointer(w.t.Context(), w.s)
	if err != nil || p == nil {
		w.t.Fatalf("%v, %v", p, err)
	}
	files := map[string]bool{}
	for info, err := range w.s.List(w.t.Context(), root(p.Build)) {
		if err != nil {
			w.t.Fatal(err)
		}
		name := strings.TrimPrefix(info.Key, root(p.Build))
		if release.IsLeft(name) {
			continue
		}
		b, _, err := get(w.t.Context(), w.s, info.Key, 1<<20)
		if err != nil {
			w.t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(public, "current", name))
		if err != nil || !bytes.Equal(b, want) {
			w.t.Errorf("%s differs: %v", name, err)
		}
		files[name] = true
	}
	l, err := openLocal(public)
	if err == nil {
		err = l.read(w.t.Context(), 2)
	}
	if err != nil || len(files) != len(l.files)+1 || l.Manifest.Build != p.Build {
		w.t.Errorf("%d files in the store, %d and the manifest on disk: %v", len(files), len(l.files), err)
	}
}

// checkOrder proves that what names something is put after it.
func checkOrder(t *testing.T, puts []string) {
	t.Helper()
	last := 0
	for _, put := range puts {
		rank := slices.IndexFunc([]string{"/media/", "/contents/", "/contents-list/", "/snapshots/", "/files.sha256", "/manifest.json", "current.json"}, func(part string) bool { return strings.Contains("/"+put, part) })
		if rank < last {
			t.Errorf("%s is put too late", put)
		}
		last = max(last, rank)
	}
	if last != 6 {
		t.Error("the pointer is not put last")
	}
}

// TestEveryRequestFails lets the n-th request fail for good, for every n: the pointer
// pointsTo a whole release all the time, and the next run ends well. That an announcement
// cannot be taken back is a warning.
func TestEveryRequestFails(t *testing.T) {
	w := newWorld(t)
	w.publish(build(t, 0))
	for n := 1; ; n += 5 {
		next := build(t, 1+n%7)
		before, _, err := currentPointer(t.Context(), w.s)
		if err != nil {
			t.Fatal(err)
		}
		warned, moved, leaves := false, false, false
		w.faults(func(i int, r *http.Request) storetest.Fault {
			moved = moved || movesPointer(r) && i != n
			if i == n {
				leaves = r.Method == http.MethodDelete
				return storetest.Fault{Status: http.StatusForbidden}
			}
			return storetest.Fault{}
		})
		_, err = Publish(t.Context(), PublishConfig{Store: w.s, Public: next, Jobs: 3, Warn: func(string) { warned = true }})
		reached := w.wire.Count() >= n
		w.faults(nil)
		if (err == nil) == (reached && !leaves) || warned != leaves {
			t.Fatalf("request %d refused, reached %v, warned %v: %v", n, reached, warned, err)
		}
		if moved && err != nil && !strings.Contains(err.Error(), "releases repair") {
			t.Fatalf("request %d refused after the pointer moved: %v", n, err)
		}
		if after, _, e := currentPointer(t.Context(), w.s); err != nil && !moved && (e != nil || *after != *before) {
			t.Fatalf("request %d refused: the pointer moved to %+v, %v", n, after, e)
		}
		w.publish(next)
		if !reached {
			return
		}
	}
}

// TestFaultsAreTriedAgain lets every third request fail for a moment, in turns.
func TestFaultsAreTriedAgain(t *testing.T) {
	w := newWorld(t)
	w.publish(build(t, 0))
	kinds := []storetest.Fault{{Status: 503}, {Drop: true}, {Lost: true}, {Status: 429}, {CutAt: 10}}
	w.faults(func(n int, _ *http.Request) storetest.Fault {
		if n%9 == 1 {
			return kinds[n/9%len(kinds)]
		}
		return storetest.Fault{}
	})
	next := build(t, 5)
	r, err := Publish(t.Context(), PublishConfig{Store: w.s, Public: next, Jobs: 4})
	if err != nil || !r.Changed {
		t.Fatalf("%+v, %v", r, err)
	}
	w.faults(nil)
	w.equal(next)
}

// TestLostAnswerOfThePointer: the pointer moved, but nobody said so.
func TestLostAnswerOfThePointer(t *testing.T) {
	w := newWorld(t)
	w.publish(build(t, 0))
	lost := 0
	w.faults(func(_ int, r *http.Request) storetest.Fault {
		if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/current.json") && lost == 0 {
			lost++
			return storetest.Fault{Lost: true}
		}
		return storetest.Fault{}
	})
	r := w.publish(build(t, 1))
	if lost != 1 || r.Sequence != 2 {
		t.Errorf("%d answers lost: %+v", lost, r)
	}
}

func TestLoserSaysSo(t *testing.T) {
	w := newWorld(t)
	first := build(t, 0)
	w.publish(first)
	winner := build(t, 1)
	w.faults(func(_ int, r *http.Request) storetest.Fault {
		if movesPointer(r) {
			w.faults(nil)
			w.publish(winner)
		}
		return storetest.Fault{}
	})
	if _, err := Publish(t.Context(), PublishConfig{Store: w.s, Public: build(t, 2)}); !errors.Is(err, ErrLost) {
		t.Errorf("got %v", err)
	}
	w.equal(winner)
}

// TestDamagedCopiesAreSent changes an object of the release that copies are of.
func TestDamagedCopiesAreSent(t *testing.T) {
	w := newWorld(t)
	old := w.publish(build(t, 0))
	key := root(old.Build) + "cda/rest/v1/site/contents/Content_0039.json"
	if _, err := w.s.Put(t.Context(), key, strings.NewReader("{}"), 2, store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	dry, err := Publish(t.Context(), PublishConfig{Store: w.s, Public: build(t, 1), DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	if r := w.publish(build(t, 1)); r.Sent != dry.Sent+1 || r.Copied != dry.Copied-1 {
		t.Errorf("%+v, expected before: %+v", r, dry)
	}
}

// TestListsThatCannotBeUsed publishes after a release whose list or manifest in the
// store is not what it was: everything is sent.
func TestListsThatCannotBeUsed(t *testing.T) {
	w := newWorld(t)
	for i, name := range []string{release.ChecksumsName, release.ManifestName} {
		for j, damage := range []func(key string) error{
			func(key string) error { return w.s.Delete(t.Context(), key) },
			func(key string) error {
				_, err := w.s.Put(t.Context(), key, strings.NewReader("x"), 1, store.PutOptions{})
				return err
			},
		} {
			old := w.publish(build(t, 20+4*i+2*j))
			if err := damage(root(old.Build) + name); err != nil {
				t.Fatal(err)
			}
			if r := w.publish(build(t, 21+4*i+2*j)); r.Copied != 0 || r.Sent != r.Files-1 {
				t.Errorf("%s, damage %d: %+v", name, j, r)
			}
		}
	}
}

// TestDamagedFilesAreRefused changes a file of the release on disk: what is sent is what
// the list says, or nothing is published.
func TestDamagedFilesAreRefused(t *testing.T) {
	w := newWorld(t)
	before := w.publish(build(t, 0)).Build
	for name, text := range map[string]string{"cda/rest/v1/site/contents/Content_0000.json": "{}", release.ChecksumsName: "x"} {
		public := t.TempDir()
		buildInto(t, public, 40, 1)
		if err := os.WriteFile(filepath.Join(public, "current", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if r, err := Publish(t.Context(), PublishConfig{Store: w.s, Public: public}); err == nil {
			t.Errorf("%s: %+v", name, r)
		} else {
			t.Log(err)
		}
		if p, _, err := currentPointer(t.Context(), w.s); err != nil || p.Build != before {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
}

func TestCancel(t *testing.T) {
	w := newWorld(t)
	public := build(t, 0)
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stopped")
	w.faults(func(n int, _ *http.Request) storetest.Fault {
		if n == 20 {
			cancel(stop)
		}
		return storetest.Fault{}
	})
	if _, err := Publish(ctx, PublishConfig{Store: w.s, Public: public, Jobs: 2}); !errors.Is(err, stop) && !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if n := w.wire.Count(); n > 25 {
		t.Errorf("%d requests", n)
	}
	w.faults(nil)
	if r := w.publish(public); r.Kept < 10 {
		t.Errorf("what was there was not kept: %+v", r)
	}
}

func TestHeaders(t *testing.T) {
	for name, want := range map[string]store.PutOptions{
		"cda/rest/v1/site/contents/C.json":                                     {ContentType: "application/json", CacheControl: release.CacheControl(release.ClassItem)},
		"cda/rest/v1/site/contents/C.json.br":                                  {ContentType: "application/json", ContentEncoding: "br", CacheControl: release.CacheControl(release.ClassItem)},
		"cda/rest/v1/site/contents-list/sort-createdat-desc-10/page-1.json.gz": {ContentType: "application/json", ContentEncoding: "gzip", CacheControl: release.CacheControl(release.ClassList)},
		"cda/rest/v1/site/searches/new.2.json":                                 {ContentType: "application/json", CacheControl: release.CacheControl(release.ClassList)},
		"cda/media/site/00112233445566778899aabbccddeeff/a.png":                {ContentType: "image/png", CacheControl: release.CacheControl(release.ClassMedia)},
		"snapshots/site-0011223344556677.snap":                                 {ContentType: "application/octet-stream", CacheControl: release.CacheControl(release.ClassSnapshot)},
		"files.sha256":                                                         {ContentType: "text/plain; charset=utf-8", CacheControl: release.CacheControl(release.ClassManifest)},
		"manifest.json":                                                        {ContentType: "application/json", CacheControl: release.CacheControl(release.ClassManifest)},
		"current.json":                                                         {ContentType: "application/json", CacheControl: release.CacheControl(release.ClassManifest)},
	} {
		if got := headers(name); got != want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestPromoteOfWhatIsRemoved removes a release while it becomes current.
func TestPromoteOfWhatIsRemoved(t *testing.T) {
	w := newWorld(t)
	old := w.publish(build(t, 0)).Build
	was := w.publish(build(t, 1)).Build
	w.faults(func(_ int, r *http.Request) storetest.Fault {
		if movesPointer(r) {
			w.faults(nil)
			if err := w.s.Delete(context.Background(), root(old)+release.ManifestName); err != nil {
				t.Error(err)
			}
		}
		return storetest.Fault{}
	})
	if _, err := Promote(t.Context(), PublishConfig{Store: w.s}, old); !errors.Is(err, ErrNoRelease) {
		t.Errorf("got %v", err)
	}
	if p, _, err := currentPointer(t.Context(), w.s); err != nil || p.Build != was || p.Sequence != 4 {
		t.Errorf("%+v, %v", p, err)
	}
}

// movesPointer reports whether a request moves the pointer.
func movesPointer(r *http.Request) bool {
	return r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/current.json")
}

// TestPublishOfWhatIsRemoved publishes a release that the store has, and objects of it go
// when the pointer is about to move, as with a delete that was long on its way: they are
// sent again.
func TestPublishOfWhatIsRemoved(t *testing.T) {
	w := newWorld(t)
	public := build(t, 0)
	old := w.publish(public).Build
	w.publish(build(t, 1))
	w.faults(func(_ int, r *http.Request) storetest.Fault {
		if movesPointer(r) {
			w.faults(nil)
			for _, name := range []string{release.ManifestName, release.ChecksumsName, "cda/rest/v1/site/contents/Content_0039.json"} {
				if err := w.s.Delete(context.Background(), root(old)+name); err != nil {
					t.Error(err)
				}
			}
		}
		return storetest.Fault{}
	})
	if r := w.publish(public); r.Resent != 2 {
		t.Errorf("%+v", r)
	}
}
