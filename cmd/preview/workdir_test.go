package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestRemoveLeft: a start removes the directories of this user's killed previews, and
// no similar ones.
func TestRemoveLeft(t *testing.T) {
	temp, elsewhere := t.TempDir(), t.TempDir()
	make := func(dir string, names ...string) string {
		t.Helper()
		dir = filepath.Join(temp, dir)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	make(workDirPrefix + "1") // killed before it was marked
	make(workDirPrefix+"2", markName)
	make(workDirPrefix+"3", markName, publicName)

	make(workDirPrefix+"4", publicName)                   // no mark
	make(workDirPrefix+"5", markName, publicName, "mine") // has a foreign file
	make(workDirPrefix+"six", markName)
	make("preview-7", markName)
	stranger := make(workDirPrefix+"8", markName)
	if os.Chown(stranger, os.Geteuid()+1, -1) != nil { // only root can
		_ = os.RemoveAll(stranger)
	}
	lock, err := lockDir(make(workDirPrefix+"9", markName))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := os.WriteFile(filepath.Join(elsewhere, markName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(temp, workDirPrefix+"10")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(temp, workDirPrefix+"11"), nil, 0o600); err != nil {
		t.Fatal(err)
	}

	want := entriesOf(t, temp)
	for _, gone := range []string{"1", "2", "3"} {
		want = slices.DeleteFunc(want, func(name string) bool { return name == workDirPrefix+gone })
	}
	removeOrphans(temp, func(message string) { t.Error(message) })
	if got := entriesOf(t, temp); !slices.Equal(got, want) {
		t.Errorf("left %v, want %v", got, want)
	}
	if got := entriesOf(t, elsewhere); len(got) != 1 {
		t.Errorf("behind the link %v", got)
	}
}

// TestOneForEachDirectory: a second preview does not build into a directory of --out.
func TestOneForEachDirectory(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	warn := func(message string) { t.Error(message) }
	dir := filepath.Join(t.TempDir(), "out")
	first, err := openWorkDir(dir, warn)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := openWorkDir(dir, warn); err == nil || !strings.Contains(err.Error(), "another preview builds into "+dir) {
		t.Errorf("the second: %v, %v", s, err)
	}
	if err := first.remove(); err != nil {
		t.Fatal(err)
	}
	again, err := openWorkDir(dir, warn)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.remove(); err != nil {
		t.Error(err)
	}
	if got := entriesOf(t, dir); !slices.Equal(got, []string{markName}) {
		t.Errorf("left %v", got)
	}
}

func entriesOf(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestStartsAtOnce: previews that start concurrently get directories of their own,
// which no other start removes.
func TestStartsAtOnce(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	warn := func(message string) { t.Error(message) }
	var others sync.WaitGroup
	ended := make(chan struct{})
	for range 2 {
		others.Go(func() {
			for {
				select {
				case <-ended:
					return
				default:
					removeOrphans(temp, warn)
				}
			}
		})
	}
	for range 100 {
		s, err := openWorkDir("", warn)
		if err != nil {
			t.Error(err)
			break
		}
		if got := entriesOf(t, s.dir); !slices.Equal(got, []string{markName, publicName}) {
			t.Errorf("%s holds %v", s.dir, got)
		}
		if err := s.remove(); err != nil {
			t.Error(err)
		}
	}
	close(ended)
	others.Wait()
	removeOrphans(temp, warn) // removes a directory that its start has not locked yet
	if left := entriesOf(t, temp); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}
