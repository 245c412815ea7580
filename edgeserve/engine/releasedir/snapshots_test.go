package releasedir_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/engine/releasedir/releasetest"
)

// names returns n environments with an item each, whose text is the given one.
func names(n int, text string) map[string]string {
	envs := map[string]string{}
	for i := range n {
		envs[fmt.Sprintf("env%03d", i)] = text
	}
	return envs
}

// shared returns the environments whose snapshots two releases share.
func shared(a, b *releasedir.Dir) (envs []string) {
	for i, s := range b.Snapshots {
		if slices.Contains(a.Snapshots, s) {
			envs = append(envs, b.Manifest.Environments[i].ID)
		}
	}
	return envs
}

func open(t *testing.T, before *releasedir.Dir, dir string) *releasedir.Dir {
	t.Helper()
	d, err := releasedir.OpenAfter(before, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// What a release shares with the one before: the snapshots whose files are unchanged.
func TestSharing(t *testing.T) {
	all := names(3, "old")
	for _, c := range []struct {
		name   string
		change func(t *testing.T, envs map[string]string, before *releasedir.Dir) // of the release before
		after  func(t *testing.T, dir, file string)                               // with the file of env001
		want   string
	}{
		{"nothing changed", nil, nil, "env000 env001 env002"},
		{"another item", func(_ *testing.T, envs map[string]string, _ *releasedir.Dir) { envs["env001"] = "new" }, nil, "env000 env002"},
		{"removed", func(_ *testing.T, envs map[string]string, _ *releasedir.Dir) { delete(envs, "env000") }, nil, "env001 env002"},
		{"added in the middle", func(_ *testing.T, envs map[string]string, _ *releasedir.Dir) { envs["env0005"] = "new" }, nil, "env000 env001 env002"},
		{"written to", nil, func(t *testing.T, _, file string) {
			if err := os.Chtimes(file, time.Time{}, time.Unix(1, 0)); err != nil {
				t.Fatal(err)
			}
		}, "env000 env002"},
		{"another file with the same bytes", nil, func(t *testing.T, _, file string) {
			b, err := os.ReadFile(file)
			if err := errors.Join(err, os.Remove(file), os.WriteFile(file, b, 0o644)); err != nil {
				t.Fatal(err)
			}
		}, "env000 env002"},
		{"damaged meanwhile", func(_ *testing.T, _ map[string]string, before *releasedir.Dir) { before.Snapshots[2].SetDamaged() }, nil, "env000 env001"},
	} {
		t.Run(c.name, func(t *testing.T) {
			first, second := t.TempDir(), t.TempDir()
			releasetest.Write(t, first, all, "")
			before := open(t, nil, first)
			envs := maps.Clone(all)
			if c.change != nil {
				c.change(t, envs, before)
			}
			releasetest.Write(t, second, envs, first)
			if c.after != nil {
				file := filepath.Join(second, filepath.FromSlash(before.Manifest.Environment("env001").Snapshot.File))
				c.after(t, second, file)
			}
			now := open(t, before, second)
			if got := strings.Join(shared(before, now), " "); got != c.want {
				t.Errorf("shares %q, want %q", got, c.want)
			}
			if len(now.Snapshots) != len(envs) || len(now.Readers) != len(envs) {
				t.Errorf("%d snapshots and %d readers of %d environments", len(now.Snapshots), len(now.Readers), len(envs))
			}
		})
	}
}

// An environment that is removed and comes back is opened again: nobody held its snapshot meanwhile.
func TestRemovedAndAddedAgain(t *testing.T) {
	dirs := [3]string{t.TempDir(), t.TempDir(), t.TempDir()}
	releasetest.Write(t, dirs[0], names(2, "a"), "")
	releasetest.Write(t, dirs[1], names(1, "a"), dirs[0])
	releasetest.Write(t, dirs[2], names(2, "a"), dirs[0])
	one := open(t, nil, dirs[0])
	two := open(t, one, dirs[1])
	three := open(t, two, dirs[2])
	if got := shared(one, three); len(got) != 1 || got[0] != "env000" {
		t.Errorf("shares %q", got)
	}
}

// Whichever release is closed first, the other one goes on reading what both have.
func TestCloseOneOfTwo(t *testing.T) {
	for _, newFirst := range []bool{false, true} {
		first, second := t.TempDir(), t.TempDir()
		releasetest.Write(t, first, names(2, "a"), "")
		releasetest.Write(t, second, names(2, "a"), first)
		a := open(t, nil, first)
		b, err := releasedir.OpenAfter(a, second, nil)
		if err != nil {
			t.Fatal(err)
		}
		keep, end := b, a
		if newFirst {
			keep, end = a, b
		}
		r := keep.Readers["env000"]
		if end.Close(); len(r.Fragment(0)) == 0 || r.Size() == 0 {
			t.Error("its bytes are gone")
		}
		if keep.Close(); r.Size() != 0 || r.Share() {
			t.Error("the last one did not unmap it")
		}
		end.Snapshots, keep.Snapshots = nil, nil // they are closed
	}
}

// Of a release with a part for each environment, the parts that did not change are not read: here they are missing.
func TestUnchangedPartsAreNotRead(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	releasetest.Write(t, first, names(101, "a"), "")
	before := open(t, nil, first)
	envs := names(101, "a")
	envs["env050"] = "b"
	releasetest.Write(t, second, envs, first)
	for i := range before.Manifest.Environments {
		name := before.Manifest.Environments[i].PartFile().Name
		if err := os.Remove(filepath.Join(second, name)); (err == nil) == (i == 50) {
			t.Fatalf("%s: %v", name, err)
		}
	}
	now := open(t, before, second)
	if got := shared(before, now); len(got) != 100 || slices.Contains(got, "env050") {
		t.Errorf("shares %d, among them the changed one: %v", len(got), slices.Contains(got, "env050"))
	}
}
