package damage

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/engine/snapshot/snaptest"
	"contentedge/edgeserve/serve/generation"
	"contentedge/edgeserve/wire/release"
)

// testNode serves a release of one environment.
type testNode struct {
	t      *testing.T
	served *generation.Generation
	damage []string // files
	whole  int
}

func newNode(t *testing.T) *testNode {
	n := &testNode{t: t}
	n.open()
	t.Cleanup(func() { n.served.Release() })
	return n
}

// open writes a release and serves it.
func (n *testNode) open() {
	n.t.Helper()
	dir, env := n.t.TempDir(), snaptest.Env{Items: []string{`{"ContentID":"a"}`, `{"ContentID":"b"}`}}
	snap := snaptest.Bytes(n.t, env)
	sum := sha256.Sum256(snap)
	name := release.SnapshotName("demo", sum)
	m := &release.Manifest{
		Format: release.Format, Defaults: release.Defaults{Sort: "CreatedAt", PageSize: 2},
		Environments: []release.Environment{{ID: "demo", Items: len(env.Items), Snapshot: release.Snapshot{File: name, Bytes: int64(len(snap)), SHA256: hex.EncodeToString(sum[:])}}},
		Checksums:    release.Checksums{SHA256: hex.EncodeToString(sum[:])},
	}
	for name, b := range map[string][]byte{name: snap, release.ManifestName: m.Encode()} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, b, 0o644)); err != nil {
			n.t.Fatal(err)
		}
	}
	g, err := generation.Open(dir, nil)
	if err != nil {
		n.t.Fatal(err)
	}
	if n.served != nil {
		n.served.Release()
	}
	n.served = g
}

func (n *testNode) Served() *generation.Generation { return n.served }

func (n *testNode) Acquire() *generation.Generation {
	if !n.served.Acquire() {
		n.t.Fatal("the generation is closed")
	}
	return n.served
}

func (n *testNode) Damaged(_ *releasedir.Snapshot, file string, _ error) {
	n.damage = append(n.damage, file)
}

func (n *testNode) Whole() { n.whole++ }

// TestDamage shows which failures ask for a fast pass over the snapshots: those that damage may cause.
func TestDamage(t *testing.T) {
	n := newNode(t)
	for _, c := range []struct {
		name  string
		cause any
		asks  int
	}{
		{"a corrupt section", &snapshot.CorruptError{Section: "walk", Detail: "odd"}, 1},
		{"an index out of range", outOfRange(), 1},
		{"a fault outside of the snapshots", &snapshot.FaultError{Addr: 1}, 1},
		{"another failure", errors.New("other"), 0},
		{"no error", "panic", 0},
	} {
		w := New(n, 0)
		w.Suspect(c.cause)
		w.Suspect(c.cause) // asks for no second pass
		if len(w.requests) != c.asks || len(n.damage) > 0 {
			t.Errorf("%s: %d passes are asked for, damage %q", c.name, len(w.requests), n.damage)
		}
	}
}

// outOfRange is the error of a walk that leaves its slice.
func outOfRange() (cause any) {
	defer func() { cause = recover() }()
	return []int{}[min(0, len(os.Args))]
}

// Pieces of a pass are due evenly over the period, and each pass is of the release that is served.
func TestPassTakesItsTime(t *testing.T) {
	n := newNode(t)
	w := New(n, time.Hour)
	var p pass
	if wait := p.advance(t.Context(), w); wait != passWait || p.done != 0 || p.gen != n.served {
		t.Errorf("waits %s after %d bytes", wait, p.done)
	}
	if wait := p.due(time.Hour); wait < 59*time.Minute {
		t.Errorf("a snapshot of one piece is due in %s", wait)
	}
	p.total = 4 * snapshot.PieceLen
	if wait := p.due(time.Hour); wait < 14*time.Minute || wait > 15*time.Minute {
		t.Errorf("the first of four pieces is due in %s", wait)
	}
	p.began = p.began.Add(-time.Hour)
	p.advance(t.Context(), w)
	if n.whole != 1 || p.done != 0 {
		t.Errorf("%d passes; %d bytes of the next", n.whole, p.done)
	}
	first := p.gen
	n.open()
	if p.advance(t.Context(), w); p.gen == first || p.gen != n.served || first.Acquire() {
		t.Error("the pass is of a release that is not served")
	}
}
