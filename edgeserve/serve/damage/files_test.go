package damage

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"contentedge/edgeserve/engine/releasedir/releasetest"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/serve/generation"
)

// releaseOf serves a release of n environments.
func (n *testNode) releaseOf(count int, text, before string) (dir string) {
	n.t.Helper()
	dir = n.t.TempDir()
	envs := map[string]string{}
	for i := range count {
		envs[fmt.Sprintf("env%03d", i)] = "old"
	}
	envs["env001"] = text
	releasetest.Write(n.t, dir, envs, before)
	g, err := generation.Open(dir, n.served)
	if err != nil {
		n.t.Fatal(err)
	}
	n.served.Release()
	n.served = g
	return dir
}

// CheckFiles looks at some files each time, and at each in turn, also while releases follow each other.
func TestCheckFilesTakesTurns(t *testing.T) {
	const count = 2*FilesPerCheck + 10
	n := newNode(t)
	first := n.releaseOf(count, "a", "")
	w := New(n, 0)
	w.CheckFiles()
	if w.next != fmt.Sprintf("env%03d", FilesPerCheck) {
		t.Fatalf("the next one is %s", w.next)
	}
	n.releaseOf(count, "b", first)
	w.CheckFiles()
	cut := filepath.Join(n.served.Dir.Fingerprint.Dir, filepath.FromSlash(n.served.Dir.Manifest.Environments[count-1].Snapshot.File))
	early := filepath.Join(n.served.Dir.Fingerprint.Dir, filepath.FromSlash(n.served.Dir.Manifest.Environments[20].Snapshot.File))
	if err := os.Truncate(cut, 100); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(early, time.Time{}, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if len(n.damage) > 0 || len(w.requests) > 0 {
		t.Fatal("seen too early")
	}
	w.CheckFiles()
	if len(n.damage) != 1 {
		t.Fatalf("damage %q", n.damage)
	}
	if err := os.Truncate(cut, n.served.Dir.Manifest.Environments[count-1].Snapshot.Bytes); err != nil { // no longer too short
		t.Fatal(err)
	}
	w.CheckFiles()
	if w.CheckFiles(); len(w.requests) != 1 {
		t.Error("a file that was written to asks for no pass")
	}
}

// A pass goes on where the next release has what it has not read: if each release began a pass, none would end.
func TestPassGoesOnInTheNextRelease(t *testing.T) {
	n := newNode(t)
	dir := n.releaseOf(4, "a", "")
	w := New(n, time.Hour)
	var p pass
	read := func() snapshot.DocID { // how many environments were read
		for before := p.env; p.env == before && !p.ended; {
			if !p.step(w) {
				t.Fatalf("damage %q", n.damage)
			}
		}
		return snapshot.DocID(p.env)
	}
	read()
	began := p.began
	dir = n.releaseOf(4, "b", dir) // env001 is the next one
	if got := read(); got != 2 || p.began != began || p.gen != n.served {
		t.Errorf("after a change of the next environment the pass is at %d", got)
	}
	n.releaseOf(3, "b", dir)
	if got := read(); got != 3 || n.whole != 1 || p.done > p.total {
		t.Errorf("at %d after %d of %d bytes, %d whole passes", got, p.done, p.total, n.whole)
	}
	n.releaseOf(1, "b", dir)
	read()
	n.releaseOf(5, "c", dir)
	if read(); n.whole != 1 {
		t.Error("a pass ended early")
	}
}

// The environments behind the one that is read may all be gone.
func TestPassEndsWithFewerEnvironments(t *testing.T) {
	n := newNode(t)
	n.releaseOf(4, "a", "")
	w := New(n, time.Hour)
	p := pass{}
	for p.env < 3 {
		p.step(w)
	}
	n.releaseOf(2, "a", "")
	if p.step(w); !p.ended || n.whole != 1 {
		t.Errorf("at %d, %d whole passes", p.env, n.whole)
	}
}
