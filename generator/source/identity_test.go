// These tests change files and look at their identities.

package source

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// opened returns the identity of the only file below dir when it is opened, and when listed.
func opened(t *testing.T, dir string) (read, listed Identity) {
	t.Helper()
	tree, err := List(context.Background(), dir, nil)
	if err != nil || len(tree.Files) != 1 {
		t.Fatal(tree, err)
	}
	r, err := tree.Files[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return r.Identity(), tree.Files[0].Identity()
}

// TestIdentity: every change makes another identity, even one that keeps size and time.
func TestIdentity(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"e/a.json": "one"})
	path := filepath.Join(dir, "e/a.json")
	was, listed := opened(t, dir)
	if !was.Same(listed) || was.Same(Identity{}) || (Identity{}).Same(Identity{}) {
		t.Errorf("opened %v, listed %v", was, listed)
	}
	for was.Young() { // the file does not change: it grows old
		was, _ = opened(t, dir)
	}
	if runtime.GOOS != "linux" {
		t.Skip("only size and time are known here")
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("two"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	is, listed := opened(t, dir)
	if was.Same(is) || was.Same(listed) {
		t.Error("a file with other bytes, and the size and time of before, is taken for the old one")
	}
}

// TestYoung: a file that changed a moment ago may change again at the same time.
func TestYoung(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"a": ""})
	info, err := os.Stat(filepath.Join(dir, "a"))
	if err != nil {
		t.Fatal(err)
	}
	changed, _, _ := system(info)
	at := time.Unix(0, changed)
	if !IdentityOf(info, at).Young() || !IdentityOf(info, at.Add(tick/2)).Young() || IdentityOf(info, at.Add(2*coarseTick)).Young() {
		t.Error("the age of a file is not judged by its last change")
	}
}
