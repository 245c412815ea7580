package ship

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/store/storetest"
	"contentedge/generator/diff"
)

// changesIn returns the names of the files of changes in the store.
func (w *world) changesIn() (names []string) {
	w.t.Helper()
	for info, err := range w.s.List(w.t.Context(), "changes/") {
		if err != nil {
			w.t.Fatal(err)
		}
		names = append(names, strings.TrimSuffix(strings.TrimPrefix(info.Key, "changes/"), ".json"))
	}
	return names
}

// TestChanges publishes four releases, promotes and rolls back, and collects what is old. Each command that makes a
// release current leaves the changes to it before the pointer names it.
func TestChanges(t *testing.T) {
	w := newWorld(t)
	var warned []string
	c := PublishConfig{Store: w.s, ChangesFrom: 2, Warn: func(m string) { warned = append(warned, m) }}
	var builds []string
	for n := range 4 {
		c.Public = build(t, n)
		r, err := Publish(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		builds = append(builds, r.Build)
		puts := w.requests("PUT")
		pointer := slices.IndexFunc(puts, func(p string) bool { return strings.HasPrefix(p, "current.json") })
		if last := slices.IndexFunc(puts, func(p string) bool { return strings.HasPrefix(p, "changes/") }); last > pointer || (last < 0) != (n == 0) {
			t.Errorf("release %d: changes are put %d., the pointer %d.", n, last, pointer)
		}
	}
	name := func(from, to int) string { return builds[from] + "-" + builds[to] }
	check := func(after string, want ...string) {
		t.Helper()
		slices.Sort(want)
		if got := w.changesIn(); !slices.Equal(got, want) {
			t.Errorf("after %s: %q, want %q", after, got, want)
		}
	}
	var all []string
	for to := range builds {
		all = append(all, w.toOf(builds[to])...)
	}
	if got := w.changesIn(); len(got) != 1+2+2 || len(all) != len(got) || !slices.Contains(got, name(2, 3)) {
		t.Errorf("%q", got)
	}
	var changes diff.Changes
	if err := json.Unmarshal(w.object("changes/"+name(2, 3)+".json"), &changes); err != nil || len(changes.Environments) != 1 || len(changes.Environments[0].Updated) != 3 {
		t.Errorf("%+v, %v", changes, err)
	}
	notice, err := CurrentNotice(t.Context(), w.s)
	if err != nil || notice.Build != builds[3] || notice.Previous != builds[2] || notice.Changes != "changes/"+name(2, 3)+".json" || notice.Sequence != 4 {
		t.Errorf("%+v, %v", notice, err)
	}

	before := len(w.changesIn())
	if _, err := Promote(t.Context(), c, builds[0]); err != nil {
		t.Fatal(err)
	}
	if got := w.changesIn(); len(got) != before+2 || !slices.Contains(got, name(3, 0)) {
		t.Errorf("after a promotion: %q", got)
	}
	c.ChangesFrom = 0
	if _, err := Rollback(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if got := w.changesIn(); len(got) != before+2 {
		t.Errorf("after a rollback without changes: %q", got)
	}
	w.overwrite("changes/"+builds[0]+"-0123456789abcdef.json", []byte("{}")) // as an interrupted gc leaves it
	if _, err := GC(t.Context(), c, 1); err != nil {
		t.Fatal(err)
	}
	check("gc", append(w.toOf(builds[3]), w.toOf(builds[0])...)...)
	if len(warned) > 0 {
		t.Errorf("warned: %q", warned)
	}
}

// toOf returns the names of the changes to a build.
func (w *world) toOf(build string) []string {
	return slices.DeleteFunc(w.changesIn(), func(name string) bool { return !strings.HasSuffix(name, "-"+build) })
}

// TestChangesFail: without its changes a release becomes current all the same, and a warning says so.
func TestChangesFail(t *testing.T) {
	w := newWorld(t)
	w.publish(build(t, 0))
	w.faults(func(_ int, r *http.Request) storetest.Fault {
		if r.Method == "PUT" && strings.Contains(r.URL.Path, "/changes/") {
			return storetest.Fault{Status: http.StatusForbidden}
		}
		return storetest.Fault{}
	})
	var warned []string
	r, err := Publish(t.Context(), PublishConfig{Store: w.s, Public: build(t, 1), ChangesFrom: 5, Warn: func(m string) { warned = append(warned, m) }})
	if err != nil || !r.Changed || len(warned) != 1 || !strings.Contains(warned[0], "the changes from release") || len(w.changesIn()) > 0 {
		t.Errorf("%+v, %v, warned %q, %q", r, err, warned, w.changesIn())
	}
}

// TestNoticeOfNothing: a store without a current release has nothing to tell.
func TestNoticeOfNothing(t *testing.T) {
	w := newWorld(t)
	if n, err := CurrentNotice(t.Context(), w.s); err == nil {
		t.Errorf("%+v", n)
	}
	w.publish(build(t, 0))
	if n, err := CurrentNotice(t.Context(), w.s); err != nil || n.Previous != "" || n.Changes != "" {
		t.Errorf("%+v, %v", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := CurrentNotice(ctx, w.s); err == nil {
		t.Error("a cancelled request succeeds")
	}
}
