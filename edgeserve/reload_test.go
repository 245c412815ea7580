package edgeserve

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"contentedge/edgeserve/serve/generation"
	"contentedge/edgeserve/wire/release"
)

// publish points dir at a release the way the generator does.
func publish(t *testing.T, dir, name string, f fixture) string {
	t.Helper()
	build := f.write(t, filepath.Join(dir, release.ReleasesDir, name))
	point(t, dir, name)
	return build
}

func point(t *testing.T, dir, name string) {
	t.Helper()
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(release.ReleasesDir, name), link); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(link, filepath.Join(dir, "current")); err != nil {
		t.Fatal(err)
	}
	_ = os.Symlink("current/"+release.ManifestName, filepath.Join(dir, release.ManifestName))
}

func TestOpenGenerationRefuses(t *testing.T) {
	other := site
	other.env = "other"
	later := site
	later.note = "<later>" // as long as the note of site
	for name, c := range map[string]struct {
		damage func(t *testing.T, dir, snap string)
		want   string
	}{
		"no manifest":         {func(t *testing.T, dir, _ string) { remove(t, filepath.Join(dir, release.ManifestName)) }, "no release"},
		"empty manifest":      {func(t *testing.T, dir, _ string) { writeFile(t, filepath.Join(dir, release.ManifestName), nil) }, "manifest"},
		"no snapshot":         {func(t *testing.T, _, snap string) { remove(t, snap) }, "no such file"},
		"shorter snapshot":    {func(t *testing.T, _, snap string) { truncate(t, snap, -1) }, "footer"},
		"longer snapshot":     {func(t *testing.T, _, snap string) { truncate(t, snap, 1) }, "footer"},
		"one bit":             {func(t *testing.T, _, snap string) { flip(t, snap) }, "damaged"},
		"another's":           {func(t *testing.T, _, snap string) { writeFile(t, snap, other.snapshot(t)) }, `environment "other"`},
		"another release's":   {func(t *testing.T, _, snap string) { writeFile(t, snap, later.snapshot(t)) }, "SHA-256"},
		"in the manifest too": {func(t *testing.T, dir, _ string) { site.writeWith(t, dir, other.snapshot(t)) }, `environment "other"`},
		"older program's":     {func(t *testing.T, dir, _ string) { site.writeWith(t, dir, olderSnapshot(t)) }, "written by an older program: it has format version 1, this program reads version 2: build the release again"},
		"directory instead":   {func(t *testing.T, _, snap string) { remove(t, snap); writeFile(t, filepath.Join(snap, "x"), nil) }, "directory"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			site.write(t, dir)
			snaps, err := filepath.Glob(filepath.Join(dir, release.SnapshotDir, "*"))
			if err != nil || len(snaps) != 1 {
				t.Fatal(snaps, err)
			}
			c.damage(t, dir, snaps[0])
			g, err := generation.Open(dir, nil)
			if g != nil || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("opened: %v, error %v", g != nil, err)
			}
		})
	}
}

// olderSnapshot is one that a program before sub-fields wrote.
func olderSnapshot(t *testing.T) []byte {
	t.Helper()
	b, err := os.ReadFile("engine/snapshot/testdata/v1/pocket.snap")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func truncate(t *testing.T, path string, by int64) {
	t.Helper()
	info, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, info.Size()+by)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func flip(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	writeFile(t, path, b)
}

// A release that does not verify leaves the old one in place and is logged once; the
// next good one is taken.
func TestReloadIfNew(t *testing.T) {
	dir := t.TempDir()
	var log bytes.Buffer
	cfg := Defaults()
	cfg.Public, cfg.Logger = dir, slog.New(slog.NewTextHandler(&log, nil))
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Swap(nil)
	now := time.Now()
	step := func(what, wantBuild, wantLog string) {
		t.Helper()
		log.Reset()
		now = now.Add(cfg.PollInterval)
		s.reloadIfNew(t.Context(), now)
		if got := s.servedBuild(); got != wantBuild {
			t.Fatalf("%s: serving %s, want %s", what, got, wantBuild)
		}
		if lines := strings.Count(log.String(), "\n"); lines > 1 || !strings.Contains(log.String(), wantLog) || wantLog == "" && lines > 0 {
			t.Fatalf("%s: logged %q, want %q", what, log.String(), wantLog)
		}
	}
	step("nothing there", "none", "no such file")
	step("still nothing", "none", "")
	first := publish(t, dir, "1", site)
	step("the first", first, "serving release")
	step("unchanged", first, "")

	broken := site
	broken.note = "broken"
	mended := broken.write(t, filepath.Join(dir, release.ReleasesDir, "2"))
	snaps, _ := filepath.Glob(filepath.Join(dir, release.ReleasesDir, "2", release.SnapshotDir, "*"))
	flip(t, snaps[0])
	point(t, dir, "2")
	step("a broken one", first, "damaged")
	step("the same", first, "")
	now = now.Add(retryMax)
	step("the same, tried again", first, "")
	flip(t, snaps[0])
	step("mended, but not tried yet", first, "")
	now = now.Add(retryMax)
	step("mended", mended, "serving release")

	third := site
	third.note = "third"
	build := publish(t, dir, "3", third)
	step("a good one", build, "serving release")
	remove(t, filepath.Join(dir, "current"))
	step("the link is gone", build, "no such file")
	step("still gone", build, "")
	point(t, dir, "3")
	step("the same link again", build, "serving release")
}

// The first release is served before its digests are compared, and withdrawn when they
// turn out to be wrong; then it is not served again until it is mended.
func TestStartWithdraws(t *testing.T) {
	later := site
	later.note = "<later>"
	dir := t.TempDir()
	build := site.write(t, dir)
	snaps, err := filepath.Glob(filepath.Join(dir, release.SnapshotDir, "*"))
	if err != nil || len(snaps) != 1 {
		t.Fatal(snaps, err)
	}
	writeFile(t, snaps[0], later.snapshot(t))
	var log bytes.Buffer
	cfg := Defaults()
	cfg.Public, cfg.Logger = dir, slog.New(slog.NewTextHandler(&log, nil))
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Swap(nil)
	s.start(t.Context())
	if got := s.servedBuild(); got != "none" || strings.Count(log.String(), "release refused") != 1 || !strings.Contains(log.String(), "SHA-256") {
		t.Errorf("serving %s, logged %q", got, log.String())
	}
	s.reloadIfNew(t.Context(), time.Now().Add(retryMax))
	if got := s.servedBuild(); got != "none" || strings.Count(log.String(), "release refused") != 1 {
		t.Errorf("tried again: serving %s, logged %q", got, log.String())
	}
	writeFile(t, snaps[0], site.snapshot(t))
	s.reloadIfNew(t.Context(), time.Now().Add(3*retryMax))
	if got := s.servedBuild(); got != build {
		t.Errorf("mended: serving %s", got)
	}
}

// A server that stops does not wait for digests, and takes a stop for no fault.
func TestStartEnds(t *testing.T) {
	dir := t.TempDir()
	build := site.write(t, dir)
	s := openSite(t, dir, nil)
	s.Swap(nil)
	ctx, stop := context.WithCancel(context.Background())
	stop()
	s.start(ctx)
	if got := s.servedBuild(); got != build {
		t.Errorf("serving %s", got)
	}
}

// Requests go on while releases replace each other: every answer is whole and of one
// release, and no generation stays open.
func TestSwapUnderLoad(t *testing.T) {
	const swaps, clients = 60, 4
	dir := t.TempDir()
	versions := []fixture{site, site}
	versions[1].note = strings.Repeat("second", 50)
	for i, name := range []string{"0", "1"} {
		versions[i].write(t, filepath.Join(dir, release.ReleasesDir, name))
	}
	point(t, dir, "0")
	s, addr := startServer(t, func(c *ServerConfig) {
		c.Public = dir
		c.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	})
	if err := s.Reload(context.Background()); err != nil {
		t.Fatal(err)
	}
	var opened, closed atomic.Int32
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for !stop.Load() {
				hammer(t, "http://"+addr, versions)
			}
		})
	}
	for i := range swaps {
		point(t, dir, []string{"1", "0"}[i%2])
		g, err := generation.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		opened.Add(1)
		g.OnClose = func() { closed.Add(1) }
		s.Swap(g)
	}
	stop.Store(true)
	wg.Wait()
	s.Swap(nil)
	if opened.Load() != closed.Load() {
		t.Errorf("%d generations opened, %d closed", opened.Load(), closed.Load())
	}
}

// hammer asks for a file, a list without one and a search; each must be as one of the
// versions has it.
func hammer(t *testing.T, base string, versions []fixture) {
	for _, c := range []struct {
		method, target string
		want           func(fixture) string
	}{
		{"GET", listRoot, func(f fixture) string { return f.list(5, 0, 1) }},
		{"GET", listRoot + "?page=2", func(f fixture) string { return f.list(5, 2, 3) }},
		{"POST", esRoot, func(f fixture) string { return f.list(5, 0, 1, 2, 3, 4) }},
	} {
		req, err := http.NewRequest(c.method, base+c.target, nil)
		if err != nil {
			t.Error(err)
			return
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Error(err)
			return
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != 200 || string(body) != c.want(versions[0]) && string(body) != c.want(versions[1]) {
			t.Errorf("%s %s: %d %v %s", c.method, c.target, resp.StatusCode, err, body)
			return
		}
	}
}

// Readers hold generations while others replace them: each generation is closed once,
// and never under a reader.
func TestSwapUnderReaders(t *testing.T) {
	const swaps, readers, reads = 400, 4, 20000
	dir := t.TempDir()
	site.write(t, dir)
	s := openSite(t, dir, nil)
	var closed [swaps]atomic.Int32
	var number sync.Map // *generation.Generation to its index
	publish := func(i int) {
		g, err := generation.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		g.OnClose = func() { closed[i].Add(1) }
		number.Store(g, i)
		s.Swap(g)
	}
	publish(0)
	var wg sync.WaitGroup
	for range readers {
		wg.Go(func() {
			for range reads {
				g := s.current.Acquire()
				i, _ := number.Load(g.Generation)
				if closed[i.(int)].Load() != 0 {
					t.Error("a generation was closed under a reader")
					return
				}
				g.Generation.Release()
			}
		})
	}
	for i := 1; i < swaps; i++ {
		publish(i)
	}
	wg.Wait()
	s.Swap(nil)
	for i := range closed {
		if n := closed[i].Load(); n != 1 {
			t.Fatalf("generation %d was closed %d times", i, n)
		}
	}
}
