package releasedir_test

import (
	"os"
	"path/filepath"
	"testing"

	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/engine/releasedir/releasetest"
	"contentedge/edgeserve/wire/release"
)

// A release whose items are found elsewhere is its manifest. Readers of environments that did not change are shared.
func TestOpenFields(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	releasetest.Write(t, one, map[string]string{"a": "old", "b": "old"}, "")
	releasetest.Write(t, two, map[string]string{"a": "new", "b": "old"}, "")
	for _, dir := range []string{one, two} {
		if err := os.RemoveAll(filepath.Join(dir, release.SnapshotDir)); err != nil {
			t.Fatal(err)
		}
	}
	before, err := releasedir.OpenFieldsAfter(nil, one)
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	d, err := releasedir.OpenFieldsAfter(before, two)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if !d.FieldsOnly || !d.SnapshotOnly || d.Snapshots != nil || len(d.Readers) != 2 || d.Readers["a"].Env() != "a" {
		t.Errorf("%+v", d)
	}
	if d.Readers["b"] != before.Readers["b"] || d.Readers["a"] == before.Readers["a"] {
		t.Error("the reader of what did not change is made again, or that of what did is shared")
	}
	if _, err := releasedir.OpenAfter(before, two, nil); err == nil {
		t.Error("a release without snapshots is opened with them")
	}
	if _, err := releasedir.OpenFieldsAfter(nil, t.TempDir()); err == nil {
		t.Error("a directory without a manifest is opened")
	}
}
