package edgeserve

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

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
			s.damage.Suspect(c.cause)
			if c.suspected {
				waitFor(t, "a verdict", func() bool { return s.telemetry.node.Scrubs.Value()+s.telemetry.node.Damaged.Value() > 0 })
			}
			if s.current.Served.Load() == g != c.stays || s.telemetry.node.Damaged.Value() > 0 == c.stays {
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
