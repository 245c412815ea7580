package follow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/edgeserve/wire/store/storetest"
)

// TestFollow publishes releases one after the other, and shows what a node requests for each.
func TestFollow(t *testing.T) {
	w := newWorld(t)
	t.Run("an empty store has nothing to follow", func(t *testing.T) {
		if err := w.sync(); !errors.Is(err, store.ErrNotFound) {
			t.Error(err)
		}
	})
	one := w.publish("a1", "b1")
	t.Run("the first release is installed", func(t *testing.T) { w.mustBe(one) })
	t.Run("a pointer that did not change costs one request", func(t *testing.T) {
		w.wire.Set(nil)
		w.mustBe(one)
		if n := w.wire.Count(); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
	two := w.publish("a2", "b1")
	t.Run("a new release costs a pointer, a manifest and the snapshots that are new", func(t *testing.T) {
		w.wire.Set(nil)
		w.mustBe(two)
		if n := w.wire.Count(); n != 3 {
			t.Errorf("%d requests", n)
		}
	})
	three := w.publish("a3", "b3")
	t.Run("the release before the previous one is removed", func(t *testing.T) {
		w.mustBe(three)
		if _, err := os.Stat(w.f.dir.path(release.ReleasesDir, one)); err == nil {
			t.Error("it is still there")
		}
	})
	t.Run("the previous release is installed again without a download", func(t *testing.T) {
		m := w.upload(map[string][]byte{"a": []byte("a2"), "b": []byte("b1")})
		w.last = w.last.Next(two, m.Encode(), time.Now())
		w.put(release.PointerName, w.last.Encode())
		w.wire.Set(nil)
		w.mustBe(two)
		if n := w.wire.Count(); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
	t.Run("a restart finds the installed release", func(t *testing.T) {
		w.restart()
		if s := w.f.Status(); s.Build != two || s.Sequence != 4 || s.LastError != "" || !s.LastSuccess.IsZero() {
			t.Errorf("%+v", s)
		}
	})
}

func TestFaultsKeepWhatIsThere(t *testing.T) {
	big := strings.Repeat("snapshot ", 30000)
	other := []byte(strings.Replace(big, "snapshot", "snapshoT", 1))
	tests := []struct {
		name, part string
		fault      storetest.Fault
	}{
		{"503", "", storetest.Fault{Status: 503}},
		{"403", "", storetest.Fault{Status: 403}},
		{"cut off", "", storetest.Fault{Drop: true}},
		{"silent", "", storetest.Fault{Wait: time.Minute}},
		{"an endless pointer", "current.json", storetest.Fault{Endless: true}},
		{"a pointer of bytes", "current.json", storetest.Fault{Body: []byte("\x00\xff")}},
		{"no pointer", "current.json", storetest.Fault{Body: []byte{}}},
		{"a pointer with a changed bit", "current.json", storetest.Fault{FlipAt: 40}},
		{"no manifest yet", "manifest.json", storetest.Fault{Status: 404}},
		{"a manifest that is cut", "manifest.json", storetest.Fault{CutAt: 50}},
		{"a manifest with a changed bit", "manifest.json", storetest.Fault{FlipAt: 100}},
		{"an endless manifest", "manifest.json", storetest.Fault{Endless: true}},
		{"no snapshot yet", ".snap", storetest.Fault{Status: 404}},
		{"an endless snapshot", ".snap", storetest.Fault{Endless: true}},
		{"a short snapshot", ".snap", storetest.Fault{Body: []byte(big[:1000])}},
		{"a snapshot with a changed bit", ".snap", storetest.Fault{FlipAt: 12345}},
		{"another snapshot", "/a-", storetest.Fault{Body: other}},
		{"a dripping snapshot", "/a-", storetest.Fault{Drip: 50 * time.Millisecond}},
		{"a snapshot that stands still", ".snap", storetest.Fault{Drip: time.Minute}},
	}
	w := newWorld(t)
	w.mustBe(w.publish("a0", "b0"))
	for i, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			was := w.current()
			next := w.publish(fmt.Sprint(i)+big, "b")
			w.faults(c.fault, c.part)
			if err := w.syncHastily(); err == nil || w.current() != was {
				t.Errorf("at %s, was at %s: %v", w.current(), was, err)
			}
			if s := w.f.Status(); s.LastError == "" || s.FailingSince.IsZero() || s.Build != was {
				t.Errorf("status %+v", s)
			}
			w.wire.Set(nil)
			w.mustBe(next)
			if s := w.f.Status(); s.LastError != "" || !s.FailingSince.IsZero() || s.LastSuccess.IsZero() || s.Build != next {
				t.Errorf("status afterwards %+v", s)
			}
		})
	}
}

// TestCutsGoOn cuts every transfer of a snapshot: the download resumes until complete.
func TestCutsGoOn(t *testing.T) {
	w := newWorld(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{1, 1000, 70000, 300000} {
		b := make([]byte, size)
		for i := range b {
			b[i] = byte(rnd.Uint32())
		}
		build := w.publish(string(b), "b")
		pieces := 0
		w.wire.Set(func(_ int, r *http.Request) storetest.Fault {
			if !strings.Contains(r.URL.Path, "/a-") {
				return storetest.Fault{}
			}
			pieces++
			return storetest.Fault{CutAt: 20000}
		})
		w.mustBe(build)
		if want := (size + 19999) / 20000; pieces < want {
			t.Errorf("%d bytes came in %d pieces, not %d", size, pieces, want)
		}
	}
}

func TestCutsAtEveryByteOfThePointer(t *testing.T) {
	w := newWorld(t)
	one := w.publish("a1", "b1")
	w.mustBe(one)
	two := w.publish("a2", "b2")
	for cut := 1; cut < len(w.last.Encode()); cut += 7 {
		w.faults(storetest.Fault{CutAt: int64(cut)}, "current.json")
		if err := w.sync(); err == nil || w.current() != one {
			t.Fatalf("cut at %d: %v, at %s", cut, err, w.current())
		}
	}
	w.wire.Set(nil)
	w.mustBe(two)
}

func TestOlderPointersAreRefused(t *testing.T) {
	w := newWorld(t)
	w.publish("a1", "b1")
	old := w.last.Encode()
	two := w.publish("a2", "b2")
	w.mustBe(two)
	for range 2 {
		w.faults(storetest.Fault{Body: old}, "current.json")
		if err := w.sync(); !errors.Is(err, ErrOlder) || w.current() != two {
			t.Errorf("an older pointer: %v", err)
		}
		w.restart() // the restarted follower remembers
	}
	forked := *w.last
	forked.Build = "00000000deadbeef"
	w.faults(storetest.Fault{Body: forked.Encode()}, "current.json")
	if err := w.sync(); !errors.Is(err, ErrForked) {
		t.Errorf("another pointer of the same number: %v", err)
	}
	w.wire.Set(nil)
	w.mustBe(two)
	if strings.Count(w.log.String(), "pointer is older") != 2 {
		t.Errorf("the log: %s", w.log.String())
	}
}

func TestHostileManifests(t *testing.T) {
	w := newWorld(t)
	one := w.publish("a1", "b1")
	w.mustBe(one)
	m := w.upload(map[string][]byte{"a": []byte("x")})
	for name, raw := range map[string]string{
		"names above":     strings.Replace(string(m.Encode()), m.Environments[0].Snapshot.File, "../../../../evil", 1),
		"absolute names":  strings.Replace(string(m.Encode()), m.Environments[0].Snapshot.File, "/etc/passwd", 1),
		"escaped names":   strings.Replace(string(m.Encode()), m.Environments[0].Snapshot.File, "snapshots%2f..%2fevil", 1),
		"another build":   string((&release.Manifest{Format: 1, Defaults: release.Defaults{Sort: "Name", PageSize: 1}}).Encode()),
		"nothing":         "{}",
		"more than there": strings.Replace(string(m.Encode()), `"bytes":1,`, `"bytes":9223372036854775807,`, 1),
	} {
		w.put("releases/"+m.Build+"/manifest.json", []byte(raw))
		w.put(release.PointerName, w.last.Next(m.Build, []byte(raw), time.Now()).Encode())
		if err := w.sync(); err == nil || w.current() != one {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPointerMeansOneManifest(t *testing.T) {
	w := newWorld(t)
	w.publish("a1", "b1")
	p := *w.last
	p.ManifestSHA256 = strings.Repeat("0", 64)
	w.put(release.PointerName, p.Encode())
	if err := w.sync(); err == nil || !strings.Contains(err.Error(), "the digest in the pointer") || w.current() != "" {
		t.Errorf("another digest: %v", err)
	}
}

func TestNoRoom(t *testing.T) {
	w := newWorld(t)
	w.mustBe(w.publish("a1", "b1"))
	was := w.current()
	m := &release.Manifest{Format: release.Format, Defaults: release.Defaults{Sort: "Name", PageSize: 1},
		Checksums: release.Checksums{SHA256: strings.Repeat("0", 64)}, Environments: []release.Environment{{ID: "a",
			Snapshot: release.Snapshot{File: release.SnapshotName("a", [32]byte{}), Bytes: 1 << 50, SHA256: strings.Repeat("0", 64)}}}}
	raw := m.Encode()
	w.put("releases/"+m.Build+"/manifest.json", raw)
	w.put(release.PointerName, w.last.Next(m.Build, raw, time.Now()).Encode())
	w.wire.Set(nil)
	if err := w.sync(); err == nil || !strings.Contains(err.Error(), "not enough disk space") || w.current() != was {
		t.Errorf("got %v", err)
	}
	if w.wire.Count() != 2 {
		t.Errorf("%d requests, the snapshot's among them", w.wire.Count())
	}
}

func TestWhatCannotBeServedIsFetchedOnce(t *testing.T) {
	w := newWorld(t)
	one := w.publish("a1", "b1")
	w.mustBe(one)
	w.publish("a2", "b2")
	w.f.cfg.Check = func(string) error { return errors.New("another version") }
	for range 3 {
		if err := w.sync(); err == nil || !strings.Contains(err.Error(), "another version") || w.current() != one {
			t.Errorf("got %v", err)
		}
	}
	w.wire.Set(nil)
	_ = w.sync()
	if n := w.wire.Count(); n != 1 {
		t.Errorf("%d requests", n)
	}
	w.f.cfg.Check = verifyDigests
	w.mustBe(w.publish("a3", "b3"))
}

// The status lists each thing that is wrong with a release that cannot be served, until one can.
func TestProblemsOfARefusedRelease(t *testing.T) {
	w := newWorld(t)
	w.publish("a1", "b1")
	w.f.cfg.Check = func(string) error {
		return releasedir.Join(errors.New("snapshots/a: another version"), errors.New("snapshots/b: cut"))
	}
	w.f.finish(w.sync())
	s := w.f.Status()
	if want := []string{"snapshots/a: another version", "snapshots/b: cut"}; !slices.Equal(s.Problems, want) || !strings.HasSuffix(s.LastError, "another version (and 1 more problem)") {
		t.Errorf("%q, %q", s.Problems, s.LastError)
	}
	w.f.cfg.Check = verifyDigests
	w.publish("a2", "b2")
	w.f.finish(w.sync())
	if s := w.f.Status(); s.Problems != nil || s.LastError != "" {
		t.Errorf("after a release that can be served: %q, %q", s.Problems, s.LastError)
	}
}

func TestDamageIsRepaired(t *testing.T) {
	w := newWorld(t)
	build := w.publish("a1", "b1")
	w.mustBe(build)
	files, _ := filepath.Glob(w.f.dir.path(release.ReleasesDir, build, "snapshots", "a-*"))
	if err := os.WriteFile(files[0], []byte("xx"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := New(w.cfg)
	if err != nil {
		t.Fatal(err)
	}
	l, err := f.acquire()
	if err != nil {
		t.Fatal(err)
	}
	defer l.release()
	w.f = f
	w.mustBe(build)
}

func TestDirectories(t *testing.T) {
	storetest.Environment(t, "http://127.0.0.1:1")
	s, err := store.Open("s3://bucket/a", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := Defaults()
	cfg.Store = s
	for name, make := range map[string]func(dir string) error{
		"a build's": func(dir string) error { return os.MkdirAll(filepath.Join(dir, "releases", "0011223344556677"), 0o755) },
		"a user's":  func(dir string) error { return os.WriteFile(filepath.Join(dir, "x"), nil, 0o644) },
		"a damaged": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, release.FollowName), []byte("{"), 0o644)
		},
		"a file": func(dir string) error { return errors.Join(os.Remove(dir), os.WriteFile(dir, nil, 0o644)) },
		"a hostile": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, release.FollowName), []byte(`{"format":1,"store":"s3://bucket/a","sequence":1,"build":"../../x"}`), 0o644)
		},
		"another hostile": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, release.FollowName), []byte(`{"format":1,"store":"s3://bucket/a","sequence":1,"build":"0011223344556677","before":"../../x"}`), 0o644)
		},
		"another store's": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, release.FollowName), []byte(`{"format":1,"store":"s3://bucket/b"}`), 0o644)
		},
	} {
		cfg.Dir = t.TempDir()
		if err := make(cfg.Dir); err != nil {
			t.Fatal(err)
		}
		if _, err := New(cfg); err == nil {
			t.Errorf("%s directory was taken", name)
		}
	}
	cfg.Dir = t.TempDir()
	for range 2 {
		if _, err := New(cfg); err != nil {
			t.Error(err)
		}
	}
}

// TestRun runs a follower: one process at a time, new releases installed, no goroutine
// leaked.
func TestRun(t *testing.T) {
	w := newWorld(t)
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent(), goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"), goleak.IgnoreAnyFunction("net/http.(*conn).serve"))
	installed := make(chan string, 10)
	w.cfg.Interval = 5 * time.Millisecond
	w.cfg.Installed = func(build string) { installed <- build }
	w.cfg.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	start := func() (*Follower, func()) {
		f, err := New(w.cfg)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { f.Run(ctx); close(done) }()
		return f, func() { stop(); <-done }
	}
	one := w.publish("a1", "b1")
	f, stop := start()
	if got := <-installed; got != one {
		t.Errorf("installed %s", got)
	}
	g, stopSecond := start()
	storetest.WaitFor(t, "the second to say that it waits", func() bool { return strings.Contains(g.Status().LastError, "is locked") })
	two := w.publish("a2", "b2")
	f.Wake()
	if got := <-installed; got != two {
		t.Errorf("installed %s", got)
	}
	stop()
	three := w.publish("a3", "b3")
	g.Wake()
	if got := <-installed; got != three {
		t.Errorf("the second installed %s", got)
	}
	w.wire.Set(func(int, *http.Request) storetest.Fault { return storetest.Fault{Status: 503} })
	storetest.WaitFor(t, "an error", func() bool { return strings.Contains(g.Status().LastError, "503") })
	if s := g.Status(); s.Stale {
		t.Errorf("stale at once: %+v", s)
	}
	if s := g.Status(); s.Build != three {
		t.Errorf("another release: %+v", s)
	}
	stopSecond()
}

// TestFileServerIsFollowed follows the same layout over plain HTTP.
func TestFileServerIsFollowed(t *testing.T) {
	w := newWorld(t)
	build := w.publish("a1", "b1")
	dir := t.TempDir()
	for info, err := range w.out.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		obj, err := w.out.Get(t.Context(), info.Key, store.GetOptions{Max: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(obj)
		path := filepath.Join(dir, "live", info.Key)
		if err = errors.Join(err, obj.Close(), os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, b, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	files := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer files.Close()
	var err error
	if w.cfg.Store, err = store.Open(files.URL+"/live", store.Options{}); err != nil {
		t.Fatal(err)
	}
	w.cfg.Dir = filepath.Join(t.TempDir(), "node")
	w.restart()
	w.mustBe(build)
	w.mustBe(build)
}

// A node follows a release of a newer version whose manifest has members that the node may ignore.
func TestManifestOfANewerVersion(t *testing.T) {
	w := newWorld(t)
	snapshots := map[string][]byte{"a": []byte("a1")}
	m := w.manifest(snapshots)
	plain := string(m.Encode())
	named := `"build":"` + m.Build + `",`
	newer := strings.Replace(plain, `"environments"`, `"hints":{"x":1},"environments"`, 1)
	build := release.HexSHA256([]byte(strings.Replace(newer, named, "", 1)))[:16]
	raw := []byte(strings.Replace(newer, m.Build, build, 1))
	w.put("releases/"+build+"/"+m.Environments[0].Snapshot.File, snapshots["a"])
	w.put("releases/"+build+"/manifest.json", raw)
	w.last = w.last.Next(build, raw, time.Now())
	w.put(release.PointerName, w.last.Encode())
	w.mustBe(build)
}
