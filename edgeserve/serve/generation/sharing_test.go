package generation

import (
	"os"
	"path/filepath"
	"testing"

	"contentedge/edgeserve/engine/releasedir/releasetest"
)

// A snapshot that a release shares is compared with its digest once, by whichever release is verified first.
func TestDigestsOfSharedSnapshots(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	m := releasetest.Write(t, first, map[string]string{"a": "1", "b": "1"}, "")
	// A valid snapshot under the name of another one: its own checksums do not find it.
	dir := t.TempDir()
	wrong := releasetest.Write(t, dir, map[string]string{"b": "2"}, "").Environment("b").Snapshot
	right := m.Environment("b").Snapshot
	if wrong.Bytes != right.Bytes {
		t.Fatalf("%d and %d bytes", wrong.Bytes, right.Bytes)
	}
	if err := os.Rename(filepath.Join(dir, filepath.FromSlash(wrong.File)), filepath.Join(first, filepath.FromSlash(right.File))); err != nil {
		t.Fatal(err)
	}
	releasetest.Write(t, second, map[string]string{"a": "1"}, first)
	unverified, err := OpenUnverified(first, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer unverified.Release()
	if _, err := Open(first, unverified); err == nil {
		t.Error("a release shares a snapshot that nobody has compared with its digest")
	}
	if a, b := unverified.Dir.Snapshots[0], unverified.Dir.Snapshots[1]; !a.HasDigest() || b.HasDigest() {
		t.Errorf("verified: %v and %v", a.HasDigest(), b.HasDigest())
	}
	next, err := Open(second, unverified)
	if err != nil {
		t.Fatal(err)
	}
	defer next.Release()
	if next.Dir.Snapshots[0] != unverified.Dir.Snapshots[0] {
		t.Error("they share nothing")
	}
}
