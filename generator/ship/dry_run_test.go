// These tests hold that a dry run says what the command would do, and writes nothing.

package ship

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/store/storetest"
	"contentedge/generator/removal"
)

// TestDryRuns runs each command dry, then in earnest: both say the same. A dry run sends no
// request but reads.
func TestDryRuns(t *testing.T) {
	w := newWorld(t)
	first := w.publish(build(t, 0)).Build
	w.publish(build(t, 1))
	w.publish(build(t, 2))
	var writes []string
	w.wire.Set(func(_ int, r *http.Request) storetest.Fault {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			writes = append(writes, r.Method+" "+r.URL.Path)
		}
		return storetest.Fault{}
	})
	moved := func(m *Moved, err error) (any, error) {
		if err != nil {
			return nil, err
		}
		return [3]any{m.Build, m.Sequence, m.Changed}, nil
	}
	for _, c := range []struct {
		name string
		run  func(c PublishConfig) (any, error)
	}{
		{"promote", func(c PublishConfig) (any, error) { return moved(Promote(t.Context(), c, first)) }},
		{"promote again", func(c PublishConfig) (any, error) { return moved(Promote(t.Context(), c, first)) }},
		{"rollback", func(c PublishConfig) (any, error) { return moved(Rollback(t.Context(), c)) }},
		{"renew", func(c PublishConfig) (any, error) { return moved(Renew(t.Context(), c, 0)) }},
		{"renew a sequence", func(c PublishConfig) (any, error) { return moved(Renew(t.Context(), c, 42)) }},
		{"repair", func(c PublishConfig) (any, error) {
			r, err := Repair(t.Context(), c)
			return fmt.Sprintf("%+v", *r), err
		}},
		{"repair from a directory", func(c PublishConfig) (any, error) {
			c.Public = build(t, 2)
			r, err := Repair(t.Context(), c)
			return fmt.Sprintf("%+v", *r), err
		}},
		{"publish", func(c PublishConfig) (any, error) {
			c.Public = build(t, 3)
			r, err := Publish(t.Context(), c)
			return fmt.Sprintf("%+v", *r), err
		}},
		{"gc", func(c PublishConfig) (any, error) {
			r, err := GC(t.Context(), c, 1)
			slices.Sort(r.Kept)
			return [2]string{strings.Join(r.Kept, " "), strings.Join(r.Removed, " ")}, err
		}},
	} {
		if strings.HasPrefix(c.name, "repair") {
			p, _, err := currentPointer(t.Context(), w.s)
			if err == nil {
				err = w.s.Delete(t.Context(), root(p.Build)+"cda/rest/v1/site/contents/Content_0039.json")
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		before, _, err := currentPointer(t.Context(), w.s)
		if err != nil {
			t.Fatal(err)
		}
		writes = nil
		would, err := c.run(PublishConfig{Store: w.s, DryRun: true})
		if err != nil || len(writes) > 0 {
			t.Errorf("%s: a dry run ends with %v and wrote %v", c.name, err, writes)
		}
		if after, _, err := currentPointer(t.Context(), w.s); err != nil || *after != *before {
			t.Errorf("%s: a dry run moved the pointer from %+v to %+v, %v", c.name, before, after, err)
		}
		does, err := c.run(PublishConfig{Store: w.s})
		if err != nil || does != would {
			t.Errorf("%s: it did %v, %v, and the dry run said %v", c.name, does, err, would)
		}
	}
	if p, _, err := currentPointer(t.Context(), w.s); err != nil || p.Sequence != 43 {
		t.Errorf("the commands ended with %+v, %v", p, err)
	}
}

// TestDryRunsRefuse: what a command refuses, its dry run refuses with the same words.
func TestDryRunsRefuse(t *testing.T) {
	w := newWorld(t)
	small := w.publish(buildOf(t, 10, 0)).Build
	w.publish(build(t, 0))
	for _, dry := range []bool{true, false} {
		if _, err := Promote(t.Context(), PublishConfig{Store: w.s, DryRun: dry}, small); !errors.As(err, new(*removal.Error)) {
			t.Errorf("dry %t: a promotion that removes too much: %v", dry, err)
		}
		if _, err := Promote(t.Context(), PublishConfig{Store: w.s, DryRun: dry}, "0123456789abcdef"); !errors.Is(err, ErrNoRelease) {
			t.Errorf("dry %t: a promotion of nothing: %v", dry, err)
		}
	}
}
