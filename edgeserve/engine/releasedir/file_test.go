package releasedir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"contentedge/edgeserve/wire/release"
)

// openFiles opens a directory of files as a release, without its manifest's content.
func openFiles(t *testing.T, dir string) *Dir {
	t.Helper()
	m, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	d := &Dir{Fingerprint: m}
	if err := d.openRoot(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// filesOfARelease writes files of each kind, and returns their directory.
func filesOfARelease(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "release")
	for name, text := range map[string]string{
		release.ManifestName: "{}", "a/b/c.json": "content", "a/empty": "", "a/long": strings.Repeat("l", limit+1), "../outside": "secret",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	err := errors.Join(os.Symlink("b/c.json", filepath.Join(dir, "a/link")), os.Symlink("../outside", filepath.Join(dir, "up")),
		os.Symlink(filepath.Join(dir, "a/long"), filepath.Join(dir, "absolute")), syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

const limit = 100 // of the files that tests open, in bytes

// kinds are files of filesOfARelease, with their content. want is fs.ErrNotExist, or errRefused for another error.
var kinds = []struct {
	name, content string
	want          error
}{
	{"a/b/c.json", "content", nil}, {"a/link", "content", nil}, {"a/empty", "", nil},
	{"a/none", "", fs.ErrNotExist}, {"none/none", "", fs.ErrNotExist},
	{"a/long", "", errRefused}, {"a/b", "", errRefused}, {"pipe", "", errRefused}, {"up", "", errRefused}, {"absolute", "", errRefused},
	{"../outside", "", errRefused}, {"a/b/c.json/d", "", errRefused},
}

var errRefused = errors.New("refused")

// checkKinds opens files of all kinds with open, and reads them with read. Both may return ErrWouldWait if mayWait is set.
func checkKinds(t *testing.T, open func(name string, limit int64) (File, error), read func(f *File, p []byte) error, mayWait bool) {
	t.Helper()
	for _, c := range kinds {
		f, err := open(c.name, limit)
		if mayWait && err == ErrWouldWait {
			continue
		}
		got := err
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			got = errRefused
		}
		if !errors.Is(got, c.want) || c.want == nil && got != nil {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if err != nil {
			continue
		}
		text := make([]byte, f.Size)
		if err := read(&f, text); err != nil && !(mayWait && err == ErrWouldWait) || err == nil && string(text) != c.content {
			t.Errorf("%s: %q, %v", c.name, text, err)
		}
		if err := f.ReadFull(make([]byte, f.Size+1)); err == nil {
			t.Errorf("%s: more is read than there is", c.name)
		}
		if err := f.Close(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Files are opened below the directory only, and no reader waits for the other end of a pipe.
func TestFiles(t *testing.T) {
	d := openFiles(t, filesOfARelease(t))
	t.Run("that may wait", func(t *testing.T) { checkKinds(t, d.OpenFile, (*File).ReadFull, false) })
	t.Run("that must not wait", func(t *testing.T) { checkKinds(t, d.OpenCached, (*File).ReadCached, true) })
}

// A build may make another release of the directory of an old one, of which no file is opened then.
func TestRemovedRelease(t *testing.T) {
	dir := filesOfARelease(t)
	d, manifest := openFiles(t, dir), filepath.Join(dir, release.ManifestName)
	check := func(when string) {
		t.Helper()
		for name, open := range map[string]func(string, int64) (File, error){"OpenFile": d.OpenFile, "OpenCached": d.OpenCached} {
			if _, err := open("a/b/c.json", limit); !errors.Is(err, ErrRemoved) && (name == "OpenFile" || err != ErrWouldWait) {
				t.Errorf("%s: %s: %v", when, name, err)
			}
		}
	}
	if err := os.Remove(manifest); err != nil {
		t.Fatal(err)
	}
	check("under way")
	if err := os.WriteFile(manifest, []byte("{ }"), 0o644); err != nil {
		t.Fatal(err)
	}
	check("finished")
}
