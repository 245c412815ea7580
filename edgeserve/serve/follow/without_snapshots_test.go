package follow

import (
	"os"
	"path/filepath"
	"testing"

	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/wire/release"
)

// A node that searches elsewhere fetches manifests, with their parts, and no snapshot. Without the setting it fetches
// what it lacks.
func TestWithoutSnapshots(t *testing.T) {
	w := newWorld(t)
	whole := w.cfg.Check
	w.cfg.Check = func(dir string) error { _, _, err := releasedir.ReadManifest(dir); return err }
	w.cfg.WithoutSnapshots = true
	w.restart()
	for _, environments := range []int{2, release.MaxWhole + 1} {
		snapshots := map[string][]byte{}
		for i := range environments {
			snapshots["e"+string(rune('a'+i%26))+string(rune('a'+i/26%26))+string(rune('a'+i/676))] = []byte{byte(i)}
		}
		build := w.publishAll(snapshots)
		w.wire.Set(nil)
		if err := w.f.Sync(t.Context()); err != nil || w.current() != build {
			t.Fatalf("%v, build %s", err, w.current())
		}
		want := 2 // pointer and manifest
		if environments > release.MaxWhole {
			want += environments // a part each
		}
		if n := w.wire.Count(); n != want {
			t.Errorf("%d environments: %d requests, want %d", environments, n, want)
		}
		if files, err := os.ReadDir(filepath.Join(w.f.dir.path(release.CurrentLink), release.SnapshotDir)); err != nil || len(files) > 0 {
			t.Errorf("snapshots %v, %v", files, err)
		}
	}
	build := w.publish("a1", "b1")
	if err := w.f.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.cfg.Check, w.cfg.WithoutSnapshots = whole, false
	w.restart()
	w.mustBe(build)
}
