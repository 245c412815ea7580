package ship

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/generator"
	"contentedge/generator/removal"
)

// buildSites makes a release of environments with some items each.
func buildSites(t *testing.T, items map[string]int) string {
	t.Helper()
	content, out := t.TempDir(), filepath.Join(t.TempDir(), "public")
	for env, n := range items {
		if err := os.Mkdir(filepath.Join(content, env), 0o755); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			text := fmt.Sprintf(`{"ContentID":"Content_%d","Name":"n","TemplateName":"T","CreatedAt":"2024-01-01T00:00:00Z"}`, i)
			if err := os.WriteFile(filepath.Join(content, env, fmt.Sprint(i, ".json")), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := generator.Build(t.Context(), generator.BuildConfig{Content: content, Out: out, NoSync: true}); err != nil {
		t.Fatal(err)
	}
	return out
}

// refusedWith reports whether an error is a refusal in these words.
func refusedWith(err error, words string) bool {
	var refused *removal.Error
	return errors.As(err, &refused) && strings.Contains(err.Error(), words)
}

// TestRemovalIsRefused publishes and promotes releases that lack content of the current
// one: nothing is sent and nothing moves until the removal is allowed.
func TestRemovalIsRefused(t *testing.T) {
	w := newWorld(t)
	full := buildSites(t, map[string]int{"a": 4, "b": 2})
	first := w.publish(full).Build
	for words, items := range map[string]map[string]int{
		"a: 4 items now, 1 in the new release, which lacks 3 of the current items: 75% (at most 50% may go)": {"a": 1, "b": 2},
		"b: 2 items now, none in the new release":                                                            {"a": 4, "b": 0},
		"b: 2 items now; the new release does not have the environment":                                      {"a": 4},
	} {
		public := buildSites(t, items)
		w.requests("")
		for _, dry := range []bool{true, false} {
			if r, err := Publish(t.Context(), PublishConfig{Store: w.s, Public: public, DryRun: dry}); !refusedWith(err, words) {
				t.Errorf("%s: %+v, %v", words, r, err)
			}
		}
		if puts := w.requests("PUT"); len(puts) > 0 {
			t.Errorf("%s: sent %v", words, puts)
		}
		w.equal(full)

		r, err := Publish(t.Context(), PublishConfig{Store: w.s, Public: public, Removal: removal.Limit{Allow: true}})
		if err != nil || !r.Changed {
			t.Fatalf("%s: allowed, but %v", words, err)
		}
		if p, err := Rollback(t.Context(), PublishConfig{Store: w.s}); err != nil || p.Build != first {
			t.Fatalf("%s: back again: %+v, %v", words, p, err)
		}
		if p, err := Promote(t.Context(), PublishConfig{Store: w.s}, r.Build); !refusedWith(err, words) {
			t.Errorf("%s: promoted %+v, %v", words, p, err)
		}
		w.equal(full)
		if p, err := Promote(t.Context(), PublishConfig{Store: w.s, Removal: removal.Limit{Allow: true}}, r.Build); err != nil || p.Build != r.Build {
			t.Errorf("%s: allowed, but %v", words, err)
		}
		if p, err := Promote(t.Context(), PublishConfig{Store: w.s}, first); err != nil || p.Build != first {
			t.Fatalf("%s: a release of more: %+v, %v", words, p, err)
		}
	}
}

// TestRollbackIsNotGuarded goes back to a release that has less.
func TestRollbackIsNotGuarded(t *testing.T) {
	w := newWorld(t)
	small := w.publish(buildSites(t, map[string]int{"a": 1})).Build
	w.publish(buildSites(t, map[string]int{"a": 9, "b": 1}))
	if p, err := Rollback(t.Context(), PublishConfig{Store: w.s}); err != nil || p.Build != small {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestUnreadableReleaseGuardsNothing publishes where the current release has lost its
// manifest: that mends the store, and says what nobody could compare.
func TestUnreadableReleaseGuardsNothing(t *testing.T) {
	w := newWorld(t)
	old := w.publish(buildSites(t, map[string]int{"a": 4})).Build
	if _, err := w.s.Put(t.Context(), root(old)+release.ManifestName, strings.NewReader("x"), 1, store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	next := buildSites(t, map[string]int{"a": 1})
	var warnings []string
	if _, err := Publish(t.Context(), PublishConfig{Store: w.s, Public: next, Warn: func(m string) { warnings = append(warnings, m) }}); err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "cannot be read, so removals were not checked") {
		t.Errorf("warnings %q", warnings)
	}
	w.equal(next)
}

// TestWithdrawnItems publishes releases that hold back items of the current one on purpose: these may go, and only
// these.
func TestWithdrawnItems(t *testing.T) {
	for _, kind := range []release.StoreKind{release.KindComplete, release.KindInPlace} {
		w := newWorld(t)
		publish := func(public string, withdrawn ...string) error {
			_, err := Publish(t.Context(), PublishConfig{Store: w.s, Public: public, Kind: kind, Removal: removal.Limit{Withdrawn: func() map[string][]string { return map[string][]string{"a": withdrawn} }}})
			return err
		}
		if err := publish(buildSites(t, map[string]int{"a": 4})); err != nil {
			t.Fatal(err)
		}
		one, none := buildSites(t, map[string]int{"a": 1}), buildSites(t, map[string]int{"a": 0})
		for _, tt := range []struct {
			public, want string
			withdrawn    []string
		}{
			{one, "a: 4 items now, 1 in the new release, which lacks 3 of the current items: 75%", nil},
			{one, "which lacks 3 of the current items: 75%", []string{"Content_7", "Content_8", "Content_9"}},
			{none, "a: 4 items now, none in the new release", []string{"Content_0", "Content_1", "Content_2"}},
			{one, "", []string{"Content_3", "Content_9"}},
		} {
			if err := publish(tt.public, tt.withdrawn...); tt.want == "" && err != nil || tt.want != "" && !refusedWith(err, tt.want) {
				t.Errorf("%v, %q: %v", kind, tt.withdrawn, err)
			}
		}
		if err := publish(none, "Content_0"); err != nil {
			t.Errorf("%v: nothing is left: %v", kind, err)
		}
	}
}
