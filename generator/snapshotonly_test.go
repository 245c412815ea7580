package generator

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/release"
)

// TestSnapshotOnly: a release without files of items and lists has the snapshots of one
// with them, whichever of the two it replaces.
func TestSnapshotOnly(t *testing.T) {
	files := small()
	c := BuildConfig{Content: content(t, files), Out: filepath.Join(t.TempDir(), "public")}
	full := build(t, c)
	wanted := snapshotsOf(t, c.Out)

	c.SnapshotOnly = true
	r := build(t, c)
	current := filepath.Join(c.Out, release.ReleasesDir, r.Build)
	got := tree(t, current)
	if !maps.Equal(snapshotsOf(t, c.Out), wanted) || len(got) != len(wanted)+2 || r.Files != len(got) || r.Written != 0 {
		t.Errorf("%+v, files %v", r, slices.Sorted(maps.Keys(got)))
	}
	for i, e := range r.Environments {
		if e.Items != full.Environments[i].Items || e.Files != 1 || e.Lists != 0 {
			t.Errorf("%+v, with files %+v", e, full.Environments[i])
		}
	}
	if again := build(t, c); !again.Unchanged || again.Build != r.Build {
		t.Errorf("the second time %+v", again)
	}

	for i, day := range []string{"04", "05", "06"} { // the third begins with what is left of the first
		if err := os.WriteFile(filepath.Join(c.Content, "demo/a.json"), []byte(item("a", "Page", "Published", day)), 0o644); err != nil {
			t.Fatal(err)
		}
		next := build(t, c)
		if next.Build == r.Build || next.Unchanged {
			t.Fatalf("edit %d: %+v", i, next)
		}
	}
	edited := snapshotsOf(t, c.Out)
	c.SnapshotOnly = false
	if r := build(t, c); r.Files != full.Files || !maps.Equal(snapshotsOf(t, c.Out), edited) {
		t.Errorf("with files again %+v, before %+v", r, full)
	}
}

// snapshotsOf returns the snapshots of the current release.
func snapshotsOf(t *testing.T, out string) map[string]string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(filepath.Join(out, release.CurrentLink))
	if err != nil {
		t.Fatal(err)
	}
	files := tree(t, dir)
	maps.DeleteFunc(files, func(name, _ string) bool { return !strings.HasPrefix(name, release.SnapshotDir+"/") })
	return files
}
