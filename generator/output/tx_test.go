// These tests look at an output directory the way its readers do, before, between and
// after builds, and at what a second build or a foreign directory meets.

package output

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	buildA = "aaaaaaaaaaaaaaaa"
	buildB = "bbbbbbbbbbbbbbbb"
	buildC = "cccccccccccccccc"
)

// commit builds a one-file release whose manifest names it.
func commit(t *testing.T, out, build string) {
	t.Helper()
	tx, err := Begin(out, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cda/rest/v1/demo/contents/a.json", "manifest.json"} {
		if err := tx.Write(name, []byte(build), []byte("\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(build); err != nil {
		t.Fatal(err)
	}
}

// tree lists everything below a directory: name, mode, and target or text.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		line := strings.TrimPrefix(path, dir+"/") + " " + fi.Mode().String()
		if fi.Mode()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			line = strings.Fields(line)[0] + " -> " + target
		}
		out = append(out, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func current(t *testing.T, out string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(out, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

func TestCommitKeepsTheReleaseBefore(t *testing.T) {
	out := t.TempDir()
	for _, step := range []struct {
		build string
		kept  []string
	}{
		{buildA, []string{buildA}},
		{buildB, []string{buildA, buildB}},
		{buildB, []string{buildA, buildB}},
		{buildC, []string{spareName, buildB, buildC}},
		{buildA, []string{spareName, buildA, buildC}},
	} {
		commit(t, out, step.build)
		if got := current(t, out); got != step.build {
			t.Fatalf("current is %s, want %s", got, step.build)
		}
		if got := names(t, filepath.Join(out, "releases")); !slices.Equal(got, step.kept) {
			t.Fatalf("after %s: releases %v, want %v", step.build, got, step.kept)
		}
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestCommitLeavesForeignReleasesAlone(t *testing.T) {
	out := t.TempDir()
	commit(t, out, buildA)
	foreign := filepath.Join(out, "releases", "20260101120000")
	if err := os.Mkdir(foreign, 0o755); err != nil {
		t.Fatal(err)
	}
	commit(t, out, buildB)
	commit(t, out, buildC)
	if _, err := os.Stat(foreign); err != nil {
		t.Error(err)
	}
}

func TestCommitReplacesADamagedTwin(t *testing.T) {
	out := t.TempDir()
	commit(t, out, buildA)
	file := filepath.Join(out, "releases", buildA, "manifest.json")
	if err := os.WriteFile(file, []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	commit(t, out, buildA)
	if got := current(t, out); got != buildA {
		t.Errorf("manifest holds %q", got)
	}
	if got := names(t, filepath.Join(out, "releases")); !slices.Equal(got, []string{buildA}) {
		t.Errorf("releases %v", got)
	}
}

// A reader that opens through the pointer finds one of the two releases at any moment.
func TestReadersNeverMissARelease(t *testing.T) {
	out := t.TempDir()
	commit(t, out, buildA)
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			b, err := os.ReadFile(filepath.Join(out, "cda/rest/v1/demo/contents/a.json"))
			if err == nil && len(b) != 17 {
				err = errors.New("torn file: " + string(b))
			}
			if err != nil {
				done <- err
				return
			}
		}
	}()
	for range 10 {
		commit(t, out, buildB)
		commit(t, out, buildA)
	}
	close(stop)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	out := t.TempDir()
	commit(t, out, buildA)
	before := tree(t, out)
	tx, err := Begin(out, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.Write("cda/x.json", []byte("x")); err != nil {
		t.Fatal(err)
	}
	tx.Abort()
	tx.Abort()
	if got := tree(t, out); !slices.Equal(got, before) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(before, "\n"))
	}
	if err := tx.Write("cda/y.json", nil); !errors.Is(err, ErrClosed) {
		t.Errorf("write after abort: %v", err)
	}
	if err := tx.Commit(buildB); !errors.Is(err, ErrClosed) {
		t.Errorf("commit after abort: %v", err)
	}
}

func TestSecondBuildIsRefused(t *testing.T) {
	out := t.TempDir()
	tx, err := Begin(out, Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Begin(out, Options{})
	var locked *LockedError
	if !errors.As(err, &locked) || locked.PID != strconv.Itoa(os.Getpid()) {
		t.Fatalf("second build: %v", err)
	}
	if err := Check(out); !errors.As(err, &locked) {
		t.Fatalf("check while locked: %v", err)
	}
	tx.Abort()
	commit(t, out, buildA)
}

func TestBeginRemovesWhatAKillLeft(t *testing.T) {
	out := t.TempDir()
	commit(t, out, buildA)
	for _, dir := range []string{"releases/.tmp-build/cda", "releases/.tmp-" + buildB + "/cda"} {
		if err := os.MkdirAll(filepath.Join(out, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("releases/"+buildB, filepath.Join(out, ".tmp-current")); err != nil {
		t.Fatal(err)
	}
	commit(t, out, buildB)
	if got, want := names(t, out), []string{".lock", "cda", "current", "files.sha256", "manifest.json", "previous", "releases"}; !slices.Equal(got, want) {
		t.Errorf("out holds %v", got)
	}
	if got, want := names(t, filepath.Join(out, "releases")), []string{buildA, buildB}; !slices.Equal(got, want) {
		t.Errorf("releases %v", got)
	}
}

func TestBeginRefuses(t *testing.T) {
	tests := []struct {
		name, want string
		make       func(out string) error
	}{
		{"a directory with files", "was not made by this program", func(out string) error {
			return os.WriteFile(filepath.Join(out, "thesis.txt"), nil, 0o644)
		}},
		{"another program's releases", "was not made by this program", func(out string) error {
			return errors.Join(os.MkdirAll(filepath.Join(out, "releases/20260101120000"), 0o755),
				os.Symlink("releases/20260101120000", filepath.Join(out, "current")))
		}},
		{"a file", "not a directory", func(out string) error {
			return errors.Join(os.Remove(out), os.WriteFile(out, nil, 0o644))
		}},
		{"a real directory for a link", "cda is in the way", func(out string) error {
			return errors.Join(os.WriteFile(filepath.Join(out, ".lock"), nil, 0o644), os.Mkdir(filepath.Join(out, "cda"), 0o755))
		}},
		{"a link elsewhere", "in the way: it points to elsewhere", func(out string) error {
			return errors.Join(os.WriteFile(filepath.Join(out, ".lock"), nil, 0o644), os.Symlink("elsewhere", filepath.Join(out, "manifest.json")))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			if err := errors.Join(os.Mkdir(out, 0o755), tt.make(out)); err != nil {
				t.Fatal(err)
			}
			for _, err := range []error{Check(out), second(Begin(out, Options{}))} {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want %q", err, tt.want)
				}
			}
		})
	}
}

func second(_ *Tx, err error) error { return err }

func TestCheckChangesNothing(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	if err := Check(out); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory was made: %v", err)
	}
	commit(t, out, buildA)
	before := tree(t, out)
	if err := Check(out); err != nil {
		t.Error(err)
	}
	if got := tree(t, out); !slices.Equal(got, before) {
		t.Errorf("got %v", got)
	}
}

func TestWriteRefuses(t *testing.T) {
	tx, err := Begin(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Abort()
	if err := tx.Write("cda/a.json", []byte("a")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cda/a.json", "../a.json", "/a.json", "cda/../../../a.json", "cda/a.json/b.json"} {
		if err := tx.Write(name, []byte("b")); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	if err := tx.Commit("../" + buildA); err == nil {
		t.Error("a build id with a path was accepted")
	}
}

func TestStream(t *testing.T) {
	out := t.TempDir()
	tx, err := Begin(out, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := tx.Stream(func(w io.Writer) error {
		_, err := io.WriteString(w, "abc")
		return err
	}, func(sum [32]byte) string { return fmt.Sprintf("snapshots/demo-%x.snap", sum[:8]) })
	if err != nil {
		t.Fatal(err)
	}
	want := Streamed{"snapshots/demo-ba7816bf8f01cfea.snap", 3, sha256.Sum256([]byte("abc"))}
	if s != want {
		t.Errorf("got %+v", s)
	}
	if err := tx.Commit(buildA); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(out, "current", s.Name)); err != nil || string(b) != "abc" {
		t.Errorf("%q, %v", b, err)
	}
	if got := names(t, filepath.Join(out, "current")); !slices.Equal(got, []string{"snapshots"}) {
		t.Errorf("release holds %v", got)
	}
}

func TestStreamError(t *testing.T) {
	tx, err := Begin(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Abort()
	broken := errors.New("broken")
	if _, err := tx.Stream(func(io.Writer) error { return broken }, func([32]byte) string { return "x" }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// A snapshot that is still being made when its build is aborted must not touch the
// files of the next build, which have the same names.
func TestStreamOutlivesItsBuild(t *testing.T) {
	out := t.TempDir()
	tx, err := Begin(out, Options{})
	if err != nil {
		t.Fatal(err)
	}
	filling, resume, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		_, err := tx.Stream(func(io.Writer) error { close(filling); <-resume; return nil }, func([32]byte) string { return "snapshots/old.snap" })
		done <- err
	}()
	<-filling
	tx.Abort()
	next, err := Begin(out, Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = next.Stream(func(io.Writer) error {
		close(resume)
		if err := <-done; !errors.Is(err, ErrClosed) {
			t.Errorf("the old stream ended with %v", err)
		}
		return nil
	}, func([32]byte) string { return "snapshots/new.snap" })
	if err := errors.Join(err, next.Commit(buildA)); err != nil {
		t.Fatal(err)
	}
	if got := names(t, filepath.Join(out, "current/snapshots")); !slices.Equal(got, []string{"new.snap"}) {
		t.Errorf("snapshots %v", got)
	}
}

// The steps of systems without syncfs and renameat2, run here as well.
func TestPortableSteps(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, d := range []string{a, b} {
		if err := errors.Join(os.Mkdir(d, 0o755), os.WriteFile(filepath.Join(d, "name"), []byte(d), 0o644), syncEach(d)); err != nil {
			t.Fatal(err)
		}
	}
	if err := exchangeTwice(a, b); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{a: b, b: a} {
		if got, err := os.ReadFile(filepath.Join(path, "name")); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v", path, got, err)
		}
	}
	if err := syncEach(filepath.Join(dir, "absent")); err == nil {
		t.Error("syncing nothing succeeded")
	}
}

// TestMtimes writes files with an mtime, and links those whose mtime is right.
func TestMtimes(t *testing.T) {
	out, at := t.TempDir(), time.Unix(1_234_567_890, 0)
	write := func(build string, link bool) {
		tx, err := Begin(out, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if link {
			from, err := tx.Previous()
			if err != nil {
				t.Fatal(err)
			}
			l := tx.Linker(from)
			defer l.Close()
			if ok, err := l.Link(wanted(at.Add(time.Second)), "cda/a.json", "cda/a.json.gz"); ok || err != nil {
				t.Errorf("another mtime: %v", err)
			}
			if ok, err := l.Link(wanted(at), "cda/a.json", "cda/a.json.gz"); !ok || err != nil {
				t.Error(err)
			}
		} else if err := errors.Join(tx.WriteMtime("cda/a.json", at, []byte("a")), tx.WriteMtime("cda/a.json.gz", at)); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(tx.Write("manifest.json", []byte(build)), tx.Commit(build)); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a.json", "a.json.gz"} {
			if fi, err := os.Stat(filepath.Join(out, "cda", name)); err != nil || !fi.ModTime().Equal(at) {
				t.Errorf("%s: %v, %v", name, fi, err)
			}
		}
	}
	write("0000000000000001", false)
	write("0000000000000002", true)
	if fi, err := os.Stat(filepath.Join(out, "manifest.json")); err != nil || time.Since(fi.ModTime()) > time.Hour {
		t.Errorf("%v, %v", fi, err)
	}
}
