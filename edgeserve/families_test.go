package edgeserve

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"contentedge/edgeserve/serve/generation"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
)

// The operator hears of a missing file once, and of nothing where nothing is missing.
func TestMissingFilesAreTold(t *testing.T) {
	for name, c := range map[string]struct {
		gone, target string
		told         int
	}{
		"item":          {address.ItemFile("demo", "Content_1"), listRoot + "/Content_1", 1},
		"list":          {firstPage, listRoot, 1},
		"none, item":    {"", listRoot + "/Content_1", 0},
		"none, list":    {"", listRoot + "?page=2", 0},
		"unknown item":  {"", listRoot + "/Content_99", 0},
		"another order": {"", listRoot + "?sort=Name", 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			site.write(t, dir)
			if c.gone != "" {
				remove(t, filepath.Join(dir, filepath.FromSlash(c.gone)))
			}
			var log bytes.Buffer
			s := openSite(t, dir, func(cfg *ServerConfig) { cfg.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
			s.current.Served.Load().Generation.Dir.Manifest.Environments[0].Lists = []release.Family{{Sort: "CreatedAt", PageSize: 2, Values: []release.FamilyValue{{TotalItems: 2}}}}
			for range 3 {
				s.handle(newRequest(t, "GET", c.target))
			}
			if got, counted := strings.Count(log.String(), "is missing"), s.telemetry.delivery.Missing.Value(); got != c.told || counted != uint64(c.told) {
				t.Errorf("told %d times and counted %d, want %d:\n%s", got, counted, c.told, log.String())
			}
		})
	}
}

// A file that goes after the cache has dropped it is missing like any other.
func TestDroppedFilesAreTold(t *testing.T) {
	dir := t.TempDir()
	site.write(t, dir)
	s := openSite(t, dir, func(c *ServerConfig) { c.CacheBytes = 4 << 10 })
	target, name := listRoot+"/Content_1", address.ItemFile("demo", "Content_1")
	for range 2 {
		s.handle(newRequest(t, "GET", target))
	}
	files := s.current.Served.Load().Cache
	if files.Get(name) == nil {
		t.Fatal("it is not in the cache")
	}
	for files.Get(name) != nil {
		for _, i := range []int{0, 2, 3, 4} {
			for range 2 {
				s.handle(newRequest(t, "GET", fmt.Sprintf("%s/Content_%d", listRoot, i)))
				s.handle(newRequest(t, "GET", fmt.Sprintf("%s?pageSize=%d", listRoot, i+1)))
			}
		}
	}
	remove(t, filepath.Join(dir, filepath.FromSlash(name)))
	for range 3 {
		s.handle(newRequest(t, "GET", target))
	}
	if got := s.telemetry.delivery.Missing.Value(); got != 1 {
		t.Errorf("counted %d times", got)
	}
}

// A file that is there and cannot be read is not missing. Nobody waits for a pipe's other end.
func TestUnreadableIsNotMissing(t *testing.T) {
	t.Run("a directory", func(t *testing.T) { unreadable(t, func(name string) error { return os.Mkdir(name, 0o755) }) })
	t.Run("a pipe", func(t *testing.T) { unreadable(t, func(name string) error { return syscall.Mkfifo(name, 0o644) }) })
}

// unreadable asks for a file that is of another kind.
func unreadable(t *testing.T, create func(name string) error) {
	for file, target := range map[string]string{address.ItemFile("demo", "Content_1"): listRoot + "/Content_1", firstPage: listRoot} {
		dir := t.TempDir()
		site.write(t, dir)
		remove(t, filepath.Join(dir, filepath.FromSlash(file)))
		if err := create(filepath.Join(dir, filepath.FromSlash(file))); err != nil {
			t.Fatal(err)
		}
		s := openSite(t, dir, nil)
		for range 3 {
			s.handle(newRequest(t, "GET", target))
		}
		if missing, unreadable := s.telemetry.delivery.Missing.Value(), s.telemetry.delivery.Unreadable.Value(); missing > 0 || unreadable == 0 {
			t.Errorf("%s: %d missing, %d unreadable", target, missing, unreadable)
		}
	}
}

// A release of which a snapshot is a pipe is refused, not waited for.
func TestPipeIsNoSnapshot(t *testing.T) {
	dir := t.TempDir()
	site.write(t, dir)
	names, err := filepath.Glob(filepath.Join(dir, release.SnapshotDir, "*"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	remove(t, names[0])
	if err := syscall.Mkfifo(names[0], 0o644); err != nil {
		t.Fatal(err)
	}
	if g, err := generation.Open(dir, nil); err == nil {
		g.Release()
		t.Error("the release is opened")
	}
}

// Of each kind the operator hears, whichever comes first.
func TestMissingAndUnreadableAreTold(t *testing.T) {
	dir := t.TempDir()
	site.write(t, dir)
	for _, file := range []string{address.ItemFile("demo", "Content_0"), address.ItemFile("demo", "Content_1")} {
		remove(t, filepath.Join(dir, filepath.FromSlash(file)))
	}
	if err := os.Mkdir(filepath.Join(dir, filepath.FromSlash(address.ItemFile("demo", "Content_1"))), 0o755); err != nil {
		t.Fatal(err)
	}
	log := &logBuffer{}
	s := openSite(t, dir, func(c *ServerConfig) { c.Logger = slog.New(slog.NewTextHandler(log, nil)) })
	for range 3 {
		s.handle(newRequest(t, "GET", listRoot+"/Content_0"))
		s.handle(newRequest(t, "GET", listRoot+"/Content_1"))
	}
	for _, text := range []string{"is missing", "is unreadable"} {
		if n := strings.Count(log.String(), text); n != 1 {
			t.Errorf("%d lines say that a file %s:\n%s", n, text, log.String())
		}
	}
}

// A build may make another release of the directory of an old one, which a server that
// missed the new ones still holds open: it takes none of its files.
func TestDirectoryOfAnotherRelease(t *testing.T) {
	dir := t.TempDir()
	site.write(t, dir)
	early, late := openSite(t, dir, nil), openSite(t, dir, nil)
	remove(t, filepath.Join(dir, release.ManifestName))
	other := site
	other.note = "<another>"
	other.write(t, dir)
	manifest := filepath.Join(dir, release.ManifestName)
	check := func(when string, s *Server) {
		t.Helper()
		for target, want := range map[string]string{listRoot + "/Content_1": site.item(1), listRoot: site.list(5, 0, 1)} {
			ctx := newRequest(t, "GET", target)
			s.handle(ctx)
			if got := string(ctx.Response.Body()); got != want {
				t.Errorf("%s: %s: %s, want %s", when, target, got, want)
			}
		}
	}
	check("finished", late)
	remove(t, manifest)
	check("under way", early)
}
