package edgeserve

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"contentedge/edgeserve/engine/snapshot"
)

// TestSuspicionIsLookedInto: a request that fails in a way that damage may cause does not take
// a whole release away, and does find a damaged one.
func TestSuspicionIsLookedInto(t *testing.T) {
	walk := &snapshot.CorruptError{Section: "walk", Detail: "odd"}
	for name, c := range map[string]struct {
		cause            any
		damage           bool
		suspected, stays bool
	}{
		"an odd walk, whole":       {walk, false, true, true},
		"an odd walk, damaged":     {walk, true, true, false},
		"an index, whole":          {outOfRange(), false, true, true},
		"an index, damaged":        {outOfRange(), true, true, false},
		"another failure, damaged": {errors.New("other"), true, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			site.write(t, dir)
			s, _ := startServer(t, func(c *ServerConfig) { c.Public, c.Scrub = dir, 0 })
			if err := s.Reload(t.Context()); err != nil {
				t.Fatal(err)
			}
			g := s.current.Served.Load()
			if c.damage {
				overwriteSnapshot(t, dir)
			}
			s.findDamage(c.cause)
			if c.suspected {
				waitFor(t, "a verdict", func() bool { return s.telemetry.scrubs.Value()+s.telemetry.damaged.Value() > 0 })
			}
			if s.current.Served.Load() == g != c.stays || len(s.scrubRequests) > 0 || s.telemetry.damaged.Value() > 0 == c.stays {
				t.Errorf("it is served on: %v", !c.stays)
			}
		})
	}
}

// outOfRange is the error of a walk that leaves its slice.
func outOfRange() (cause any) {
	defer func() { cause = recover() }()
	return []int{}[min(0, len(os.Args))]
}

// overwriteSnapshot changes a byte in place.
func overwriteSnapshot(t *testing.T, dir string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "snapshots", "*"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	f, err := os.OpenFile(found[0], os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b [1]byte
	if _, err := f.ReadAt(b[:], 100); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 1
	if _, err := f.WriteAt(b[:], 100); err != nil {
		t.Fatal(err)
	}
}

// TestPassTakesItsTime: pieces are due evenly over the period, and a new release begins anew.
func TestPassTakesItsTime(t *testing.T) {
	dir := t.TempDir()
	site.write(t, dir)
	s, _ := newServer(t, func(c *ServerConfig) { c.Public, c.Scrub = dir, time.Hour })
	if err := s.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer s.Swap(nil)
	var p pass
	if wait := p.advance(t.Context(), s); wait != scrubWait || p.done != 0 || p.gen != s.current.Served.Load() {
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
	p.advance(t.Context(), s)
	if s.telemetry.scrubs.Value() != 1 || s.telemetry.scrubbedAt.Load() == 0 || p.done != 0 {
		t.Errorf("%d passes; %d bytes of the next", s.telemetry.scrubs.Value(), p.done)
	}
	first := p.gen
	if err := s.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p.advance(t.Context(), s); p.gen == first || p.gen != s.current.Served.Load() || first.Generation.Acquire() {
		t.Error("the pass is of a release that is not served")
	}
}
