package ship

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"contentedge/edgeserve/serve/follow"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store/storetest"
	"contentedge/generator/removal"
)

func (w *world) nodesConfig(public string) PublishConfig {
	return PublishConfig{Store: w.s, Public: public, Kind: release.KindNodes, Jobs: 2, Removal: removal.Limit{Allow: true}}
}

// TestNodesKilled kills a publisher for nodes at each of its requests: nothing that it sends afterwards arrives. The
// current release is whole, also after a gc, and the next run ends well.
func TestNodesKilled(t *testing.T) {
	w := newWorld(t)
	w.publishNodes(build(t, 0))
	for n := 1; ; n++ {
		next := build(t, 1+n%5)
		ctx, kill := context.WithCancel(t.Context())
		w.faults(func(i int, _ *http.Request) storetest.Fault {
			if i < n {
				return storetest.Fault{}
			}
			kill()
			return storetest.Fault{Status: http.StatusForbidden}
		})
		_, err := Publish(ctx, w.nodesConfig(next))
		reached := ctx.Err() != nil
		kill()
		w.faults(nil)
		if reached && err == nil && n < 8 {
			t.Fatalf("killed at request %d, and it ended well", n)
		}
		w.checkNodes()
		if c, err := GC(t.Context(), PublishConfig{Store: w.s, Jobs: 2}, 1); err != nil {
			t.Fatalf("after a publisher was killed at request %d: %+v, %v", n, c, err)
		}
		w.checkNodes()
		w.publishNodes(next)
		w.checkNodes()
		if !reached {
			return
		}
	}
}

// TestNodesBesideGC runs a whole gc before each request of a publication, and a whole publication before each request
// of a gc. The release is new, and has the objects of releases that the gc removes.
func TestNodesBesideGC(t *testing.T) {
	setLease(t, 50*time.Millisecond)
	w := newWorld(t)
	twin := t.TempDir() // a release with the snapshots and media of another one
	buildAs(t, twin, 40, 0, true)
	gc := func(ctx context.Context) error {
		_, err := GC(ctx, PublishConfig{Store: w.s, Jobs: 2}, 0)
		return err
	}
	undisturbed := func(ctx context.Context) error { // it has all of the time that it needs, however slow the machine is
		err := gc(ctx)
		for stoodStill(err) {
			err = gc(ctx)
		}
		return err
	}
	resent := 0
	publish := func(ctx context.Context) error {
		r, err := Publish(ctx, w.nodesConfig(twin))
		if err == nil {
			resent += r.Resent
		}
		return err
	}
	for i, commands := range [][2]func(context.Context) error{{publish, undisturbed}, {gc, publish}} {
		t.Run([]string{"gc beside a publication", "a publication beside gc"}[i], func(t *testing.T) {
			w.t = t
			for n, reached := 1, true; reached; n += 1 + 3*i { // a gc has more requests
				for i := range 3 {
					w.publishNodes(build(t, i))
				}
				if err := undisturbed(t.Context()); err != nil { // the twin is gone
					t.Fatal(err)
				}
				w.publishNodes(build(t, 0))
				w.publishNodes(build(t, 1))
				w.publishNodes(build(t, 2))
				var began atomic.Bool
				ended := make(chan error, 1)
				w.faults(func(i int, _ *http.Request) storetest.Fault {
					if i == n {
						began.Store(true)
						w.faults(nil)
						ended <- commands[1](context.Background())
					}
					return storetest.Fault{}
				})
				err := commands[0](t.Context())
				w.faults(nil)
				if reached = began.Load(); reached { // it may go on when the first command has lost its lease
					if err := <-ended; err != nil {
						t.Fatalf("at request %d: %v", n, err)
					}
				}
				if err != nil && !stoodStill(err) {
					t.Fatalf("with a whole command at request %d: %v", n, err)
				}
				w.checkNodes()
			}
			if i == 0 && resent > 0 {
				t.Errorf("gc removed %d objects that a publication had announced", resent)
			}
		})
	}
}

// TestNodesLost: a store loses what it has acknowledged, after a gc came between. The publication notices, and sends it
// again.
func TestNodesLost(t *testing.T) {
	w := newWorld(t)
	w.publishNodes(build(t, 0))
	next := build(t, 1)
	w.at(movesPointer, func() {
		for info, err := range w.s.List(context.Background(), release.SnapshotDir+"/") {
			if err == nil {
				err = w.s.Delete(context.Background(), info.Key)
			}
			if err != nil {
				t.Error(err)
			}
		}
		if _, err := gcLease(w.s).swap(context.Background(), leaseRecord{Holder: "another"}, ""); err != nil {
			t.Error(err)
		}
	})
	r, err := Publish(t.Context(), w.nodesConfig(next))
	if err != nil || r.Resent != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	w.checkNodes()
}

// A gc that could not read what an announcement needs, or whose current release has no manifest, sweeps nothing.
func TestSweepIsCareful(t *testing.T) {
	w := newWorld(t)
	old := w.publishNodes(build(t, 0)).Build
	for i := range 3 {
		w.publishNodes(build(t, i+1))
	}
	first := build(t, 0)
	for name, c := range map[string]func() (undo func()){
		"an announcement of a newer version": func() func() {
			a, err := announce(t.Context(), PublishConfig{Store: w.s}, old, false, announcement{All: true, Keys: []string{"x"}})
			if err != nil {
				t.Fatal(err)
			}
			return a.end
		},
		"a current release without a manifest": func() func() {
			p, _, err := currentPointer(t.Context(), w.s)
			if err == nil {
				err = w.s.Delete(t.Context(), root(p.Build)+release.ManifestName)
			}
			if err != nil {
				t.Fatal(err)
			}
			return func() {
				if _, err := Repair(t.Context(), PublishConfig{Store: w.s, Public: build(t, 3)}); err != nil {
					t.Error(err)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w.publishNodes(first)
			w.publishNodes(build(t, 2))
			w.publishNodes(build(t, 3))
			before := w.sharedKeys()
			undo := c()
			warned := ""
			if r, err := GC(t.Context(), PublishConfig{Store: w.s, Warn: func(m string) { warned += m }}, 0); err != nil || r.Objects > 0 || !strings.Contains(warned, "no objects that releases share are removed") {
				t.Errorf("%+v, %v, warned %q", r, err, warned)
			}
			if after := w.sharedKeys(); !slices.Equal(before, after) {
				t.Errorf("%d objects, then %d", len(before), len(after))
			}
			undo()
			w.checkNodes()
		})
	}
}

func (w *world) sharedKeys() (keys []string) {
	for info, err := range w.s.List(w.t.Context(), "") {
		if err != nil {
			w.t.Fatal(err)
		}
		if isShared(info.Key) {
			keys = append(keys, info.Key)
		}
	}
	return keys
}

// TestNodeFollowsNodes lets a node follow a store that changes its kind, with all of its media, and with a trust file.
func TestNodeFollowsNodes(t *testing.T) {
	for _, signed := range []bool{false, true} {
		w := newWorld(t)
		cfg := follow.Defaults()
		cfg.Store, cfg.Dir, cfg.AllMedia, cfg.MediaBytes = w.s, filepath.Join(t.TempDir(), "node"), true, follow.DefaultMediaBytes
		cfg.Logger = slog.New(slog.DiscardHandler)
		cfg.Check = func(dir string) error { _, err := os.Stat(filepath.Join(dir, release.ManifestName)); return err }
		c := PublishConfig{Store: w.s, Removal: removal.Limit{Allow: true}}
		if signed {
			key := newKey(t, "news.example/ci")
			c = w.signer(nil, key)
			c.Removal.Allow, c.Sign.Origin = true, origin
			cfg.TrustFile = filepath.Join(t.TempDir(), "trust")
			if err := os.WriteFile(cfg.TrustFile, []byte("version 1\norigin "+origin+"\nthreshold 1\nkey "+key.Public()+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		node, err := follow.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		for i, kind := range []release.StoreKind{release.KindComplete, release.KindNodes, release.KindNodes, release.KindComplete, release.KindNodes} {
			c.Public, c.Kind, c.Complete = ownBuild(t, i), kind, kind == release.KindComplete
			r, err := Publish(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if err := node.Sync(t.Context()); err != nil {
				t.Fatalf("release %d (%s), signed %v: %v", i, kind, signed, err)
			}
			if to, err := os.Readlink(filepath.Join(cfg.Dir, release.CurrentLink)); err != nil || filepath.Base(to) != r.Build {
				t.Fatalf("release %d (%s): the node is at %s, %v", i, kind, to, err)
			}
			media, err := filepath.Glob(filepath.Join(c.Public, "current", "cda", "media", "site", "*", "*"))
			if err != nil || len(media) == 0 {
				t.Fatalf("%q, %v", media, err)
			}
			for _, file := range media {
				name := file[strings.Index(file, "cda/media"):]
				f, _, err := node.FetchMedia(name)
				if err != nil {
					t.Errorf("release %d (%s), signed %v: %s: %v", i, kind, signed, name, err)
					continue
				}
				_ = f.Close()
			}
		}
	}
}
