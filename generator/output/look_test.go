// These tests damage a release, and look at what is found and what a second build of it does.

package output

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"contentedge/edgeserve/wire/release"
)

// lookAll checks all files of the current release, which should have these bytes.
func lookAll(t *testing.T, tx *Tx, want map[string]string) *Found {
	t.Helper()
	root, err := tx.Previous()
	if err != nil {
		t.Fatal(err)
	}
	l := tx.Look(root, func(visit func(string)) error {
		for name := range want {
			visit(name)
		}
		return nil
	})
	for _, name := range slices.Sorted(maps.Keys(want)) {
		w := Wanted{Size: int64(len(want[name]))}
		if strings.HasPrefix(name, "cda/") {
			w.Mtime = day
		}
		size, err := l.File(name, w)
		if fi, statErr := os.Lstat(filepath.Join(root, name)); err != nil || statErr == nil && fi.Mode().IsRegular() && size != fi.Size() {
			t.Errorf("%s: size %d, %v", name, size, err)
		}
	}
	found, err := l.End()
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// written commits a release whose files are of various sizes.
func written(t *testing.T, out string) (want map[string]string) {
	t.Helper()
	want = map[string]string{"cda/a.json": "aa", "cda/deep/b.json": "b", "cda/deep/c.json": "", "manifest.json": buildA}
	for i, name := range spareFiles {
		want[name] = strings.Repeat("x", i*100)
	}
	tx := begin(t, out)
	for name, text := range want {
		mtime := day
		if name == release.ManifestName {
			mtime = day.Add(1)
		}
		if err := tx.WriteMtime(name, mtime, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(buildA); err != nil {
		t.Fatal(err)
	}
	return want
}

// TestLooker finds each kind of damage, only in the damaged file.
func TestLooker(t *testing.T) {
	out := t.TempDir()
	want := written(t, out)
	tx := begin(t, out)
	if found := lookAll(t, tx, want); len(found.Faults) > 0 {
		t.Errorf("a sound release has faults: %v", found.Faults)
	}
	l := tx.Look(filepath.Join(out, "current"), nil)
	for _, name := range []string{strings.Repeat("x", 300) + "/a", "cda/" + strings.Repeat("x", 300)} {
		if _, err := l.File(name, Wanted{Size: UnknownSize}); !errors.Is(err, syscall.ENAMETOOLONG) {
			t.Errorf("%.10s is too long: %v", name, err)
		}
	}
	for name, c := range map[string]struct {
		damage func(path string) error
		fault  Fault
	}{
		"missing":       {os.Remove, Missing},
		"longer":        {func(path string) error { return os.WriteFile(path, make([]byte, 999), 0o644) }, Resized},
		"a directory":   {func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o755)) }, Irregular},
		"a link":        {func(path string) error { return errors.Join(os.Remove(path), os.Symlink("a.json", path)) }, Irregular},
		"another mode":  {func(path string) error { return os.Chmod(path, 0o600) }, Moded},
		"another mtime": {func(path string) error { return os.Chtimes(path, day.Add(1), day.Add(1)) }, Timed},
	} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			want := written(t, out)
			const victim = "cda/deep/b.json"
			if err := c.damage(filepath.Join(out, "current", victim)); err != nil {
				t.Fatal(err)
			}
			if found := lookAll(t, begin(t, out), want); !maps.Equal(found.Faults, map[string]Fault{victim: c.fault}) {
				t.Errorf("got %v, want only %s: %v", found.Faults, victim, c.fault)
			}
		})
	}
}

// TestStrays names the files that are not the release's, wherever they are, and only these; what a publication leaves
// is not named.
func TestStrays(t *testing.T) {
	out := t.TempDir()
	want := written(t, out)
	root := filepath.Join(out, "releases", buildA)
	strays := []string{"cda/deep/stray", "cda/rest/b/more", "new/dir/x", "x"}
	for _, name := range append(slices.Clone(strays), release.PointerName) {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("mine"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	check := func(tx *Tx) {
		t.Helper()
		var named []string
		for _, w := range tx.Warnings() {
			named = append(named, strings.TrimPrefix(w.Path, root+"/"))
		}
		slices.Sort(named)
		if !slices.Equal(named, strays) {
			t.Errorf("named %v, want %v", named, strays)
		}
	}
	tx := begin(t, out)
	if found := lookAll(t, tx, want); len(found.Faults) > 0 {
		t.Errorf("strays are no faults: %v", found.Faults)
	}
	check(tx)
	tx.Abort()

	// The same release once more: what is not its own is kept.
	again := begin(t, out)
	if err := errors.Join(again.Write("cda/a.json", []byte("aa")), again.Write(release.ManifestName, []byte(buildA)), os.RemoveAll(filepath.Join(root, "cda", "rest")), os.RemoveAll(filepath.Join(root, "cda", "deep"))); err != nil {
		t.Fatal(err)
	}
	strays = []string{"new/dir/x", "x"}
	if err := again.Commit(buildA); err != nil {
		t.Fatal(err)
	}
	check(again)
	for _, name := range strays {
		if b, err := os.ReadFile(filepath.Join(root, name)); err != nil || string(b) != "mine" {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
}

// TestStrayInTheWay refuses a release whose file would need the place of a stray.
func TestStrayInTheWay(t *testing.T) {
	out := t.TempDir()
	written(t, out)
	stray := filepath.Join(out, "releases", buildA, "cda", "a.json")
	if err := errors.Join(os.Remove(stray), os.Mkdir(stray, 0o755), os.WriteFile(filepath.Join(stray, "x"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	tx := begin(t, out)
	if err := errors.Join(tx.Write("cda/a.json", []byte("aa")), tx.Write(release.ManifestName, []byte(buildA))); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(buildA); err == nil || !strings.Contains(err.Error(), "is in the way of a file of the release") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(stray, "x")); err != nil {
		t.Error("the stray is gone:", err)
	}
}

// TestOldReleaseThatKeepsItsName: a release that cannot be renamed is removed under its own name, its manifest first.
func TestOldReleaseThatKeepsItsName(t *testing.T) {
	out := t.TempDir()
	commit(t, out, buildA)
	commit(t, out, buildB)
	tx := begin(t, out)
	taken := filepath.Join(out, "releases", release.TempPrefix+buildA)
	if err := errors.Join(os.Mkdir(taken, 0o755), os.WriteFile(filepath.Join(taken, "x"), nil, 0o644), tx.Write(release.ManifestName, []byte(buildC))); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(buildC); err != nil {
		t.Fatal(err)
	}
	if got, want := names(t, filepath.Join(out, "releases")), []string{release.TempPrefix + buildA, buildB, buildC}; !slices.Equal(got, want) {
		t.Errorf("releases %v, want %v", got, want)
	}
	if got := names(t, taken); !slices.Equal(got, []string{"x"}) {
		t.Errorf("what had the other name is changed: %v", got)
	}
}
