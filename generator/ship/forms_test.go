package ship

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/serve/follow"
	"contentedge/edgeserve/wire/compression"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/edgeserve/wire/store/storetest"
	"contentedge/generator"
	"contentedge/generator/removal"
)

// buildLarge makes a release of few items whose snapshot is large enough for patches. The first ones are changed.
func buildLarge(t *testing.T, out string, changed int) string {
	t.Helper()
	content := filepath.Join(t.TempDir(), "site")
	if err := os.Mkdir(content, 0o755); err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(36, 1))
	var b bytes.Buffer
	for i := range 20 {
		fmt.Fprintf(&b, `{"ContentID":"Content_%04d","Name":"item %d","TemplateName":"T","CreatedAt":"2024-01-01T00:00:00Z","Data":{"text":"%d`, i, i, map[bool]int{true: changed}[i < changed])
		for range 500 {
			fmt.Fprintf(&b, " %x", rnd.Uint32())
		}
		b.WriteString("\"}}\n")
	}
	if err := os.WriteFile(filepath.Join(content, "items.ndjson"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	order, size := generator.Defaults()
	_, err := generator.Build(t.Context(), generator.BuildConfig{Content: filepath.Dir(content), Out: out, Lists: generator.DefaultLists, Order: order, PageSize: size,
		BudgetFiles: generator.DefaultBudgetFiles, BudgetBytes: generator.DefaultBudgetBytes})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// large is a release that no test may change.
func large(t *testing.T, changed int) string {
	t.Helper()
	key := [2]int{-1, changed}
	if shared[key] == "" {
		shared[key] = buildLarge(t, filepath.Join(sharedDir, fmt.Sprintf("large-%d", changed)), changed)
	}
	return shared[key]
}

func (w *world) publishForms(kind release.StoreKind, public string) *Report {
	w.t.Helper()
	r, err := Publish(w.t.Context(), PublishConfig{Store: w.s, Public: public, Kind: kind, Patches: 3, Removal: removal.Limit{Allow: true}, Warn: func(m string) { w.t.Error(m) }})
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// TestForms publishes one edit after the other: each snapshot is compressed once, and patched from the last ones. A node
// that was away for one of them takes the patch.
func TestForms(t *testing.T) {
	for _, kind := range []release.StoreKind{release.KindComplete, release.KindNodes} {
		t.Run(kind.String(), func(t *testing.T) {
			w := newWorld(t)
			f := w.follower()
			sync := func() []string {
				t.Helper()
				w.requests("GET")
				if err := f.Sync(t.Context()); err != nil {
					t.Fatal(err)
				}
				return w.requests("GET")
			}
			for i, want := range []Forms{{Compressed: 1}, {Compressed: 1, Patches: 1}, {Compressed: 1, Patches: 2}, {Compressed: 1, Patches: 3}} {
				r := w.publishForms(kind, large(t, i))
				got := r.Forms
				if got.PatchBytes > got.CompressedBytes/patchShare*2 || (got.PatchBytes > 0) != (got.Patches > 0) {
					t.Errorf("publication %d: %+v", i, got)
				}
				if got.CompressedBytes, got.PatchBytes = 0, 0; got != want {
					t.Errorf("publication %d: %+v, not %+v", i, got, want)
				}
				if i == 2 {
					continue // the node is away
				}
				gets := sync()
				last := gets[len(gets)-1]
				if form := filepath.Ext(last); len(gets) != 3 || form != map[bool]string{true: ".zst", false: ".patch"}[i == 0] {
					t.Errorf("the node requested %q", gets)
				}
			}
			if r := w.publishForms(kind, large(t, 0)); r.Forms.Compressed > 0 { // it has been there
				t.Errorf("again: %+v", r.Forms)
			}
		})
	}
}

// follower follows the store of w.
func (w *world) follower() *follow.Follower {
	w.t.Helper()
	c := follow.Defaults()
	c.Store, c.Dir = w.s, filepath.Join(w.t.TempDir(), "node")
	c.Check = func(dir string) error {
		d, err := releasedir.Open(dir, nil)
		if err == nil {
			d.Close()
		}
		return err
	}
	f, err := follow.New(c)
	if err != nil {
		w.t.Fatal(err)
	}
	return f
}

// Where the releases lie side by side, no snapshot is fetched to make a patch of it.
func TestLocalBases(t *testing.T) {
	w := newWorld(t)
	public := filepath.Join(t.TempDir(), "public")
	for i := range 2 {
		buildLarge(t, public, i)
		w.requests("")
		r := w.publishForms(release.KindNodes, public)
		for _, key := range w.requests("GET") {
			if strings.HasSuffix(key, ".zst") || strings.HasSuffix(key, ".snap") {
				t.Errorf("%s was fetched", key)
			}
		}
		if r.Forms.Patches != i {
			t.Errorf("publication %d: %+v", i, r.Forms)
		}
	}
}

// A dry run writes nothing, and says at least how many requests the forms take: they are made once.
func TestFormsOfADryRun(t *testing.T) {
	for _, kind := range release.StoreKinds {
		t.Run(kind.String(), func(t *testing.T) {
			w := newWorld(t)
			w.publishForms(kind, large(t, 0))
			w.requests("")
			c := PublishConfig{Store: w.s, Public: large(t, 1), Patches: 2, DryRun: true}
			dry, err := Publish(t.Context(), c)
			if err != nil || len(w.requests("PUT")) > 0 {
				t.Fatalf("%+v, %v", dry, err)
			}
			c.DryRun = false
			r, err := Publish(t.Context(), c)
			if err != nil || r.Requests > dry.Requests || r.Requests < dry.Requests-2 || r.Forms.Patches != 1 {
				t.Errorf("%d requests, the dry run said %d: %+v, %v", r.Requests, dry.Requests, r.Forms, err)
			}
			w.requests("")
			if r := w.publishForms(kind, c.Public); r.Forms != (Forms{}) || len(w.requests("PUT")) > 0 {
				t.Errorf("again: %+v", r.Forms)
			}
		})
	}
}

// Whatever fails of the forms, the release becomes current, and the warning names what failed.
func TestFormsThatFail(t *testing.T) {
	for name, part := range map[string]string{"listing": "list-type", "compressed": ".zst", "patch": ".patch"} {
		w := newWorld(t)
		w.publishForms(release.KindComplete, large(t, 0))
		w.faults(func(_ int, r *http.Request) storetest.Fault {
			if r.Method != http.MethodHead && strings.Contains(r.URL.String(), part) && strings.Contains(r.URL.String(), "patches") {
				return storetest.Fault{Status: 403}
			}
			return storetest.Fault{}
		})
		var warnings []string
		r, err := Publish(t.Context(), PublishConfig{Store: w.s, Public: large(t, 1), Patches: 2, Warn: func(m string) { warnings = append(warnings, m) }})
		if err != nil || !r.Changed || r.Forms.Patches > 0 || len(warnings) != 1 {
			t.Errorf("%s: %+v, %q, %v", name, r, warnings, err)
		}
	}
}

// gc removes the forms of snapshots that no release has any more, once they are a day old.
func TestFormsAreCollected(t *testing.T) {
	for _, kind := range []release.StoreKind{release.KindComplete, release.KindNodes} {
		service := storetest.Start(t)
		w := newWorldOf(t, service)
		for i := range 4 {
			w.publishForms(kind, large(t, i))
		}
		c := PublishConfig{Store: w.s}
		if r, err := GC(t.Context(), c, 0); err != nil || r.Forms != 0 {
			t.Errorf("%s: young ones: %+v, %v", kind, r, err)
		}
		w.age(service)
		c.DryRun = true
		dry, err := GC(t.Context(), c, 0)
		if err != nil {
			t.Fatal(err)
		}
		c.DryRun = false
		r, err := GC(t.Context(), c, 0)
		if err != nil || r.Forms != dry.Forms || r.Forms == 0 {
			t.Errorf("%s: %+v, the dry run %+v, %v", kind, r, dry, err)
		}
		left := map[string]int{}
		all, err := allForms(t.Context(), w.s, release.PatchesDir+"/")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range all {
			left[f.Sum]++
		}
		if len(left) != 2 { // of the current release, and of the one before it
			t.Errorf("%s: %v is left", kind, left)
		}
	}
}

// age makes all objects of a service a day older.
func (w *world) age(s *storetest.Service) {
	w.t.Helper()
	err := filepath.WalkDir(filepath.Join(s.Dir, storetest.Bucket), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		old := time.Now().Add(-abandonedAfter - time.Hour)
		return os.Chtimes(path, old, old)
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// A base that is damaged, another one or far larger than the snapshot makes no patch, and costs bounded bytes.
func TestFormsOfBadBases(t *testing.T) {
	for name, b := range map[string][]byte{"damaged": []byte("no zstd"), "another": zstdOf(t, make([]byte, 100)), "larger": zstdOf(t, make([]byte, 32<<20))} {
		w := newWorld(t)
		w.publishForms(release.KindNodes, large(t, 0))
		all, err := allForms(t.Context(), w.s, release.PatchesDir+"/")
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		if _, err := w.s.Put(t.Context(), all[0].Info.Key, bytes.NewReader(b), int64(len(b)), headers(all[0].Info.Key)); err != nil {
			t.Fatal(err)
		}
		var warnings []string
		r, err := Publish(t.Context(), PublishConfig{Store: w.s, Public: large(t, 1), Patches: 1, Warn: func(m string) { warnings = append(warnings, m) }})
		if err != nil || r.Forms.Patches != 0 || r.Forms.Compressed != 1 || len(warnings) != 1 {
			t.Errorf("%s: %+v, %q, %v", name, r.Forms, warnings, err)
		}
	}
}

func zstdOf(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := compression.NewZstdWriter(&out)
	_, err := zip.Write(b)
	if err = errors.Join(err, zip.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Patches begin with the snapshot of the current release, then with those that were compressed last.
func TestBases(t *testing.T) {
	snapshot := func(n byte) release.Snapshot {
		return release.Snapshot{File: "x", Bytes: 1 << 20, SHA256: strings.Repeat(fmt.Sprintf("%02x", n), 32)}
	}
	var there []form
	for n := range byte(6) {
		key := release.CompressedKey("a", snapshot(n))
		k, _ := release.ParseFormKey(key)
		there = append(there, form{k, store.Info{Key: key, Bytes: 100, Modified: time.Unix(1000-int64(n), 0)}})
	}
	patch, _ := release.ParseFormKey(release.PatchKey("a", snapshot(0), snapshot(9)))
	there = append(there, form{patch, store.Info{Key: patch.String()}})
	w := &writer{PublishConfig: PublishConfig{Patches: 4},
		replaced: &current{Manifest: &release.Manifest{Build: "b", Environments: []release.Environment{{ID: "a", Snapshot: snapshot(4)}}}}}
	p := formPlan{env: "a", snapshot: snapshot(9)}
	w.planEnvironment(&p, there)
	var sums []string
	for _, b := range p.from {
		sums = append(sums, b.Sum[:2])
	}
	if got := strings.Join(sums, " "); got != "04 01 02" { // the store has the patch from 00
		t.Errorf("patches from %s", got)
	}
	if p.compressed != 0 || p.requests() != 1+2*3 {
		t.Errorf("%d bytes, %d requests", p.compressed, p.requests())
	}
}
