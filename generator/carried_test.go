// These tests count what a build of one edit touches in a site of several environments.

package generator

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/source"
	"contentedge/generator/visibility"
)

// tenants is content of environments with a few items each, which is edited in place.
type tenants struct {
	t   *testing.T
	c   BuildConfig
	ids []string

	read int // items that the last build of an edit read
}

func newTenants(t *testing.T, n int) *tenants {
	s := &tenants{t: t, c: BuildConfig{Content: filepath.Join(t.TempDir(), "content"), Out: filepath.Join(t.TempDir(), "public"), NoSync: true}}
	s.c.Progress = func(p Progress) { s.read = p.Read }
	for i := range n {
		s.ids = append(s.ids, fmt.Sprintf("tenant-%03d", i))
		for item := range 2 {
			s.edit(s.ids[i], fmt.Sprintf("item%d", item), "first")
		}
	}
	return s
}

// edit writes an item. The file's times are older than any tick of a file system.
func (s *tenants) edit(env, id, title string) {
	s.t.Helper()
	path := filepath.Join(s.c.Content, env, id+".json")
	text := strings.Replace(item(id, "Page", "Published", "02"), "T "+id, title+strings.Repeat(" more words", 200), 1)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		s.t.Fatal(err)
	}
}

// settle waits until no file is young: one that may have changed twice within a tick is read again.
func (s *tenants) settle() {
	for begin := s.now(); s.now().Sub(begin) < source.Window(begin); {
	}
}

// build builds, and compares the release with a full one.
func (s *tenants) build(why string) *Report {
	s.t.Helper()
	r := build(s.t, s.c)
	full := s.c
	read := s.read
	defer func() { s.read = read }()
	full.CheckFiles, full.Out, full.Full = false, filepath.Join(s.t.TempDir(), "public"), true
	f := build(s.t, full)
	if got, want := current(s.t, s.c.Out), current(s.t, full.Out); !maps.Equal(got, want) {
		for name := range want {
			if got[name] != want[name] {
				s.t.Errorf("%s: %s differs", why, name)
			}
		}
		s.t.Fatalf("%s: not what a full build makes: %d files, %d", why, len(got), len(want))
	}
	if r.Build != f.Build || r.Files != f.Files || r.Bytes != f.Bytes {
		s.t.Errorf("%s: reported %s with %d files, %d bytes; a full build %s with %d, %d", why, r.Build, r.Files, r.Bytes, f.Build, f.Files, f.Bytes)
	}
	return r
}

// steady builds three edits of the first environment: then there is a spare.
func (s *tenants) steady() {
	for i := range 4 {
		s.edit(s.ids[0], "item0", fmt.Sprint("edit", i))
		s.settle()
		build(s.t, s.c)
	}
}

// touched counts the files and directories of the current release that were made, linked or unlinked since a time, by
// what is below its root: an environment's id, or a directory of the release.
func (s *tenants) touched(since time.Time) map[string]int {
	s.t.Helper()
	n := map[string]int{}
	root := currentDir(s.t, s.c.Out)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		st := fi.Sys().(*syscall.Stat_t)
		if time.Unix(st.Ctim.Unix()).Before(since) {
			return nil
		}
		name := strings.TrimPrefix(path, root+"/")
		if rest, ok := strings.CutPrefix(name, address.EnvDir("")); ok {
			env, _, _ := strings.Cut(rest, "/")
			n[env]++
		} else if rest, ok := strings.CutPrefix(name, release.SnapshotDir+"/"); ok {
			n[release.SnapshotDir+" of "+rest[:len("tenant-000")]]++
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

// now is a time of the file system: later changes of files are not before it.
func (s *tenants) now() time.Time {
	s.t.Helper()
	name := filepath.Join(s.t.TempDir(), "now")
	if err := os.WriteFile(name, nil, 0o644); err != nil {
		s.t.Fatal(err)
	}
	fi, err := os.Stat(name)
	if err != nil {
		s.t.Fatal(err)
	}
	for { // changes of the same tick do not count
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			s.t.Fatal(err)
		}
		if next, err := os.Stat(name); err != nil || next.ModTime().After(fi.ModTime()) {
			return next.ModTime()
		}
	}
}

// TestCarried edits one environment again and again: the files of the others are not touched, whether or not the
// manifest has parts.
func TestCarried(t *testing.T) {
	for _, n := range []int{4, release.MaxWhole + 2} {
		t.Run(fmt.Sprint(n, " environments"), func(t *testing.T) {
			t.Parallel()
			s := newTenants(t, n)
			s.steady()
			since := s.now()
			s.edit(s.ids[1], "item0", "another")
			s.settle()
			r := build(t, s.c)
			if s.read != 2 { // those of the environment
				t.Errorf("%d items were read", s.read)
			}
			got := s.touched(since)
			for _, env := range s.ids[2:] {
				if got[env] > 0 || got[release.SnapshotDir+" of "+env] > 0 {
					t.Fatalf("an edit of %s touched %s: %v", s.ids[1], env, got)
				}
			}
			if r.Written != 6 || got[s.ids[1]] == 0 || got[release.SnapshotDir+" of "+s.ids[1]] != 1 {
				t.Errorf("wrote %d files, touched %v", r.Written, got)
			}
			if r := s.build("nothing"); !r.Unchanged {
				t.Error("a second build writes")
			}
			if s.read != 0 {
				t.Errorf("%d items were read though no file changed", s.read)
			}
			if n > release.MaxWhole {
				return
			}
			s.c.CheckFiles = true
			s.edit(s.ids[2], "item1", "checked")
			s.build("checked")
		})
	}
}

// TestCarriedMends begins with releases that were damaged: the next ones are whole.
func TestCarriedMends(t *testing.T) {
	spare := func(s *tenants) string { return filepath.Join(s.c.Out, release.ReleasesDir, ".spare") }
	snapshots := func(dir string) []string {
		found, _ := filepath.Glob(filepath.Join(dir, release.SnapshotDir, "*"))
		return found
	}
	for name, damage := range map[string]func(s *tenants) error{
		"a file of the spare is missing": func(s *tenants) error {
			return os.Remove(filepath.Join(spare(s), address.ItemFile(s.ids[2], "item1")))
		},
		"the spare has another file": func(s *tenants) error {
			return os.WriteFile(filepath.Join(spare(s), address.EnvDir(s.ids[2]), "other"), nil, 0o644)
		},
		"the spare has no snapshots": func(s *tenants) error { return os.RemoveAll(filepath.Join(spare(s), release.SnapshotDir)) },
		"a snapshot of the spare is cut": func(s *tenants) error {
			path := snapshots(spare(s))[len(snapshots(spare(s)))-1]
			return errors.Join(os.Remove(path), os.WriteFile(path, []byte("cut"), 0o644))
		},
		"a snapshot of the spare is a directory": func(s *tenants) error {
			return os.Mkdir(filepath.Join(spare(s), release.SnapshotDir, "x.snap"), 0o755)
		},
		"a file of the current release is missing": func(s *tenants) error {
			return os.Remove(filepath.Join(currentDir(s.t, s.c.Out), address.ItemFile(s.ids[2], "item1")))
		},
		"and there is no spare": func(s *tenants) error {
			return errors.Join(os.RemoveAll(spare(s)), os.Remove(filepath.Join(currentDir(s.t, s.c.Out), address.ItemFile(s.ids[2], "item1"))))
		},
		"snapshots of the current release are missing": func(s *tenants) error {
			return errors.Join(os.RemoveAll(spare(s)), os.RemoveAll(filepath.Join(currentDir(s.t, s.c.Out), release.SnapshotDir)))
		},
		"the note of what was built is missing": func(s *tenants) error {
			return os.Remove(filepath.Join(s.c.Out, release.ReleasesDir, ".inputs"))
		},
		"the note is damaged": func(s *tenants) error {
			return os.WriteFile(filepath.Join(s.c.Out, release.ReleasesDir, ".inputs"), []byte("{}"), 0o600)
		},
		"the note is no file": func(s *tenants) error {
			path := filepath.Join(s.c.Out, release.ReleasesDir, ".inputs")
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o755))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTenants(t, 4)
			s.steady()
			s.now() // what follows is later than the manifest of each release
			if err := damage(s); err != nil {
				t.Fatal(err)
			}
			if name == "a file of the current release is missing" {
				if r := s.build("nothing"); r.Repaired != 1 {
					t.Errorf("%d files were repaired", r.Repaired)
				}
			}
			for i := range 3 {
				s.edit(s.ids[1], "item0", fmt.Sprint("after", i))
				s.settle()
				s.build(fmt.Sprint("edit ", i))
			}
		})
	}
}

// A build does not take environments of a release that has other items by its view.
func TestCarriedView(t *testing.T) {
	early := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, v := range map[string]View{"statuses": {Visible: &visibility.Rules{Statuses: []string{"Published"}}}, "a time": {At: early}} {
		t.Run(name, func(t *testing.T) {
			s := newTenants(t, 2)
			for id, status := range map[string]string{"draft": "Draft", "later": "Published"} {
				text := strings.Replace(item(id, "Page", status, "02"), `"CreatedAt"`, `"PublishedAt":"2021-01-01T00:00:00Z","CreatedAt"`, 1)
				if err := os.WriteFile(filepath.Join(s.c.Content, s.ids[0], id+".json"), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			s.settle()
			session, err := NewSession(s.c)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second is of files that are not young
				if _, err := session.Build(t.Context(), v); err != nil {
					t.Fatal(err)
				}
			}
			s.build(name)
		})
	}
}
