package edgeserve

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"contentedge/edgeserve/release"
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
	s, addr := startServer(t, func(c *Config) {
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
	for end := time.Now().Add(10 * time.Second); ; runtime.Gosched() {
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
