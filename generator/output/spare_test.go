package output

import (
	"errors"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"contentedge/edgeserve/wire/release"
)

var day = time.Unix(1_700_000_000, 0)

// The files of every release of withSpare.
var spareFiles = []string{"cda/rest/a/1.json", "cda/rest/a/1.json.gz", "cda/rest/a/2.json", "cda/rest/b/deep/3.json"}

// withSpare makes an output directory with the releases B and C and, of A, the spare.
func withSpare(t *testing.T) (out string) {
	t.Helper()
	out = t.TempDir()
	for _, build := range []string{buildA, buildB, buildC} {
		tx := begin(t, out)
		for _, name := range spareFiles {
			if err := tx.WriteMtime(name, day, []byte(build)); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{release.ChecksumsName, release.ManifestName, release.SnapshotDir + "/" + build, release.SnapshotDir + "/same"} {
			if err := tx.Write(name, []byte(build)); err != nil {
				t.Fatal(err)
			}
		}
		if err := tx.Commit(build); err != nil {
			t.Fatal(err)
		}
		age(t, filepath.Join(out, release.ReleasesDir, build))
		// A publication leaves these.
		for _, name := range []string{release.PointerName, release.AttestationName} {
			if err := os.WriteFile(filepath.Join(out, release.ReleasesDir, build, name), []byte(build), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

// age makes the directories of a release older than its manifest, and this older than now: clocks of file systems tick.
func age(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chtimes(path, day, day)
		}
		return err
	})
	if err := errors.Join(err, os.Chtimes(filepath.Join(dir, release.ManifestName), day, day)); err != nil {
		t.Fatal(err)
	}
}

func begin(t *testing.T, out string) *Tx {
	t.Helper()
	tx, err := Begin(out, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tx.Abort() })
	return tx
}

// files lists what is below a directory that is no directory, with the bytes.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(name)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestRecycle(t *testing.T) {
	out := withSpare(t)
	tx := begin(t, out)
	if ok, err := tx.Recycle(dirsOf(spareFiles)); !ok || err != nil {
		t.Fatal(ok, err)
	}
	l := tx.Linker(filepath.Join(out, "current"))
	defer l.Close()
	if ok, err := l.Keep(wanted(day), "cda/rest/a/1.json", "cda/rest/a/1.json.gz"); !ok || err != nil {
		t.Error("files of the spare are not kept", err)
	}
	if ok, err := l.Keep(wanted(day.Add(1)), "cda/rest/a/1.json"); ok || err != nil {
		t.Error("a file of another mtime is kept", err)
	}
	if ok, err := l.Keep(wanted(day), "cda/rest/a/1.json", "cda/rest/a/1.json.br"); ok || err != nil {
		t.Error("a file that is not there is kept", err)
	}
	for _, name := range []string{"cda/rest/a/2.json", "cda/rest/b/deep/3.json", "cda/rest/b/4.json"} {
		if err := tx.Remove(name); err != nil {
			t.Error(err)
		}
	}
	if ok, err := l.Link(wanted(day), "cda/rest/a/2.json"); !ok || err != nil {
		t.Error("a file is not linked", err)
	}
	if _, err := l.Link(wanted(day), "cda/rest/a/"+strings.Repeat("x", 300)); !errors.Is(err, syscall.ENAMETOOLONG) {
		t.Error("what the system says is not told:", err)
	}
	const build = "dddddddddddddddd"
	tx.Prune()
	if err := tx.Write(release.ManifestName, []byte(build)); err != nil {
		t.Error(err)
	}
	if err := tx.Commit(build); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(out, "releases", build)
	want := map[string]string{"cda/rest/a/1.json": buildA, "cda/rest/a/1.json.gz": buildA, "cda/rest/a/2.json": buildC, "manifest.json": build, "snapshots/same": buildA}
	if got := files(t, dir); !equal(got, want) {
		t.Errorf("the release has %v, want %v", got, want)
	}
	if got := names(t, filepath.Join(dir, "cda/rest")); !slices.Equal(got, []string{"a"}) {
		t.Errorf("an empty directory stays: %v", got)
	}
	// The old releases are as they were, and the next spare is the oldest of them.
	for build, name := range map[string]string{buildC: buildC, buildB: spareName} {
		for _, file := range spareFiles {
			if b, err := os.ReadFile(filepath.Join(out, "releases", name, file)); err != nil || string(b) != build {
				t.Errorf("%s of %s: %s, %v", file, name, b, err)
			}
		}
	}
	if got := names(t, filepath.Join(out, "releases", spareName, release.SnapshotDir)); !slices.Equal(got, []string{"same"}) {
		t.Errorf("the spare has the snapshots %v, want those that the release has too", got)
	}
}

// dirsOf yields the directories of files.
func dirsOf(files []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, name := range files {
			if !yield(path.Dir(name)) {
				return
			}
		}
	}
}

func wanted(mtime time.Time) Wanted { return Wanted{Mtime: mtime, Size: UnknownSize} }

func equal(a, b map[string]string) bool {
	for name := range a {
		if a[name] != b[name] {
			return false
		}
	}
	return len(a) == len(b)
}

// A spare that is not just what its list says is not used, and does not get in the way.
func TestRecycleRefuses(t *testing.T) {
	for name, change := range map[string]func(spare string) error{
		"a file more": func(spare string) error { return os.WriteFile(filepath.Join(spare, "cda/x"), nil, 0o644) },
		"a file less": func(spare string) error { return os.Remove(filepath.Join(spare, spareFiles[0])) },
		"another name": func(spare string) error {
			return os.Rename(filepath.Join(spare, spareFiles[0]), filepath.Join(spare, "cda/rest/a/1.json.orig"))
		},
		"a link for a file":  func(spare string) error { return relink(filepath.Join(spare, spareFiles[0])) },
		"an empty directory": func(spare string) error { return os.Mkdir(filepath.Join(spare, "cda/empty"), 0o755) },
		"no files":           func(spare string) error { return os.RemoveAll(filepath.Join(spare, "cda")) },
		"nothing":            os.RemoveAll,
		"a file where it lies": func(spare string) error {
			return restore(spare, func() error { return os.WriteFile(spare, nil, 0o644) })
		},
		"a link where it lies": func(spare string) error { return restore(spare, func() error { return os.Symlink("/", spare) }) },
		"an empty one":         func(spare string) error { return restore(spare, func() error { return os.Mkdir(spare, 0o755) }) },
	} {
		t.Run(name, func(t *testing.T) {
			out := withSpare(t)
			tx := begin(t, out)
			if err := change(tx.Spare()); err != nil {
				t.Fatal(err)
			}
			if ok, err := tx.Recycle(dirsOf(spareFiles)); ok || err != nil {
				t.Fatal(ok, err)
			}
			tx.Abort()
			commit(t, out, buildA)
			if got := names(t, filepath.Join(out, "releases")); !slices.Equal(got, []string{spareName, buildA, buildC}) {
				t.Errorf("releases %v", got)
			}
			if got := files(t, filepath.Join(out, "releases", spareName)); got["manifest.json"] != buildB {
				t.Errorf("the spare is %v", got)
			}
		})
	}
}

// Where the manifest stays nothing is begun: an edge would take the next files for those
// of the release that it serves.
func TestRecycleNeedsTheManifestGone(t *testing.T) {
	tx := begin(t, withSpare(t))
	manifest := filepath.Join(tx.Spare(), release.ManifestName)
	err := restore(manifest, func() error {
		return errors.Join(os.Mkdir(manifest, 0o755), os.WriteFile(filepath.Join(manifest, "x"), nil, 0o644))
	})
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := tx.Recycle(dirsOf(spareFiles)); ok || err != nil {
		t.Error(ok, err)
	}
	if got := names(t, tx.Dir()); len(got) > 0 {
		t.Errorf("the release begins with %v", got)
	}
}

// A spare is never removed under its name, whose times would not show that a part is gone if the clock went back.
func TestSpareIsRemovedByAnotherName(t *testing.T) {
	out := withSpare(t)
	tx := begin(t, out)
	other := filepath.Join(out, release.ReleasesDir, release.TempPrefix+spareName)
	if err := errors.Join(os.Mkdir(other, 0o755), os.WriteFile(filepath.Join(other, "x"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	before := files(t, tx.Spare())
	tx.retire(filepath.Join(out, release.ReleasesDir, buildB), filepath.Join(out, release.ReleasesDir, buildC))
	if got := files(t, tx.Spare()); !equal(got, before) {
		t.Errorf("where the other name is taken, the spare has %d of %d files", len(got), len(before))
	}
}

func relink(path string) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return os.Symlink("2.json", path)
}

func restore(path string, with func() error) error {
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	return with()
}
