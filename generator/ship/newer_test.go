package ship

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/generator/removal"
)

// publishNewer makes a release current as a newer program would: of a format that this program does not read.
func (w *world) publishNewer(build string) {
	w.t.Helper()
	o, err := readPointer(w.t.Context(), w.s, release.PointerName)
	if err != nil {
		w.t.Fatal(err)
	}
	m := w.object(root(o.Build) + release.ManifestName)
	format := []byte(`{"format":`)
	m = append(fmt.Appendf(nil, `{"format":%d`, release.NewestFormat+1), bytes.TrimLeft(bytes.TrimPrefix(m, format), "0123456789")...)
	w.overwrite(root(build)+release.ManifestName, m)
	next := o.Next(build, m, time.Now()).Of(o.Kind)
	w.overwrite(root(build)+release.PointerName, next.Encode())
	w.overwrite(release.PointerName, next.Encode())
}

// TestBackToAnOlderProgram takes a store back to a release that this program reads, after a newer program has published
// to the store.
func TestBackToAnOlderProgram(t *testing.T) {
	for name, c := range kindConfigs {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			b := w.publishAll(c, 0, 1)
			newer := []string{strings.Repeat("1", 16), strings.Repeat("2", 16)}
			for _, build := range newer {
				w.publishNewer(build)
			}
			c.Store = w.s
			if _, err := Promote(t.Context(), c, newer[0]); !errors.Is(err, release.ErrFormat) {
				t.Errorf("promoted what this program cannot read: %v", err)
			}
			all, err := List(t.Context(), w.s)
			if err != nil || len(all) != 4 {
				t.Fatalf("%+v, %v", all, err)
			}
			for _, r := range all {
				if isNew := r.Build == newer[0] || r.Build == newer[1]; isNew != (r.Format == release.NewestFormat+1) || r.Items != 40 || r.Sent.IsZero() {
					t.Errorf("listed %+v", r)
				}
			}
			m, err := Rollback(t.Context(), c)
			if err != nil || m.Build != b[1] || m.Withdrawn != newer[1] {
				t.Fatalf("%+v, %v", m, err)
			}
			w.expectWithdrawn(newer[1])
		})
	}
}

// TestPublishAfterANewerProgram publishes a release of this program over one that it cannot read.
func TestPublishAfterANewerProgram(t *testing.T) {
	for name, c := range kindConfigs {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.publishAll(c, 0)
			w.publishNewer(strings.Repeat("1", 16))
			c.Store, c.Public = w.s, build(t, 1)
			if r, err := Publish(t.Context(), c); err != nil || !r.Changed || r.Kind != c.Kind {
				t.Errorf("%+v, %v", r, err)
			}
			c.Public, c.Removal = buildOf(t, 2, 0), removal.Limit{}
			w.publishNewer(strings.Repeat("2", 16))
			_, err := Publish(t.Context(), c)
			if _, is := errors.AsType[*removal.Error](err); !is {
				t.Errorf("the guard counts the items of a newer release: %v", err)
			}
		})
	}
}
