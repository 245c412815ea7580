package edgeserve

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/serve/fastpath"
	"contentedge/edgeserve/wire/release"
)

// holdings is what a process must not gather.
type holdings struct {
	goroutines, descriptors, snapshots int
	heap                               uint64
}

// takeStock counts what this process holds. Snapshots are those mapped.
func takeStock(t *testing.T) (h holdings) {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip("what is mapped is read from /proc")
	}
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return holdings{
		goroutines: runtime.NumGoroutine(), descriptors: len(fds), heap: m.HeapAlloc,
		snapshots: bytes.Count(maps, []byte("/"+release.SnapshotDir+"/")),
	}
}

// Ten thousand swaps, and as many refusals of a broken release among them as there are
// hundreds, leave no goroutine, no descriptor, no mapping and no memory behind.
func TestSwapsLeakNothing(t *testing.T) {
	swaps := 10_000
	if testing.Short() {
		swaps = 500
	}
	dir := t.TempDir()
	versions := []fixture{site, site}
	versions[1].note = "second"
	for i, name := range []string{"0", "1"} {
		versions[i].write(t, filepath.Join(dir, release.ReleasesDir, name))
	}
	writeFile(t, filepath.Join(dir, release.ReleasesDir, "broken", release.ManifestName), []byte("{}"))
	point(t, dir, "0")
	_ = os.Symlink("current/"+release.ManifestName, filepath.Join(dir, release.ManifestName))
	s, addr := startServer(t, func(c *ServerConfig) {
		c.Public = dir
		c.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	})
	rounds := func(n int) {
		for i := range n {
			name := []string{"1", "0"}[i%2]
			if i%100 == 99 {
				point(t, dir, "broken")
				if s.Reload(t.Context()) == nil {
					t.Fatal("a broken release is served")
				}
				hammer(t, "http://"+addr, versions)
			}
			point(t, dir, name)
			if err := s.Reload(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	rounds(200)
	before := takeStock(t)
	began := time.Now()
	rounds(swaps)
	t.Logf("%d swaps took %s", swaps, time.Since(began).Round(time.Millisecond))
	var after holdings
	for end := time.Now().Add(patient); ; runtime.Gosched() {
		after = takeStock(t)
		if after.goroutines <= before.goroutines && after.descriptors <= before.descriptors &&
			after.snapshots <= before.snapshots && after.heap < before.heap+4<<20 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("before %+v, after %+v", before, after)
		}
	}
}

// A release that is not served any more holds no files in memory, whatever of it is still
// in use.
func TestEndedReleasesHoldNoMemfiles(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there are none")
	}
	dir := t.TempDir()
	versions := []fixture{site, site}
	for i, note := range []string{"a", "b"} {
		versions[i].note = strings.Repeat(note, 10_000)
		versions[i].write(t, filepath.Join(dir, release.ReleasesDir, note))
	}
	s, addr := startServer(t, func(c *ServerConfig) { c.Public = dir })
	_ = os.Symlink("current/"+release.ManifestName, filepath.Join(dir, release.ManifestName))
	before := memfiles(t)
	for i := range 20 {
		v := versions[i%2]
		point(t, dir, v.note[:1])
		if err := s.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		old := s.current.Acquire()
		defer old.Generation.Release() // a request that takes its time
		for range 3 {                  // the first is the engine's, the others are on the wire
			if got := wholeResponse(t, addr, "GET "+listRoot+" HTTP/1.1\r\nHost: a\r\n\r\n"); !strings.HasSuffix(got, "\r\n\r\n"+v.list(5, 0, 1)) {
				t.Fatalf("swap %d: an answer of %d bytes is not that of release %s", i, len(got), v.note[:1])
			}
		}
		if w, ok := s.fast.lookup(&fastpath.Request{Target: []byte(listRoot)}); !ok || w.Memfile == nil {
			t.Fatalf("the list is not sent from a file: %v", ok)
		}
		waitForMemfiles(t, before+1)
	}
	s.Swap(nil)
	waitForMemfiles(t, before)
}

// memfiles counts the files in memory that bodies lie in.
func memfiles(t *testing.T) (n int) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(name, "/memfd:body") {
			n++
		}
	}
	return n
}

// waitForMemfiles waits until there are so many: an answer lets go of its file when its
// client may have it already.
func waitForMemfiles(t *testing.T, want int) {
	t.Helper()
	for end := time.Now().Add(patient); memfiles(t) != want; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%d files are open, want %d", memfiles(t), want)
		}
	}
}
