// These tests replace a release by ones that lack content of it: what was served stays
// until somebody says that the removal is meant.

package generator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/release"
	"contentedge/generator/visibility"
)

// filled is content of an environment with ten items and one with two.
func filled() map[string]string {
	files := map[string]string{"b/x.json": item("x", "Page", "Published", "01"), "b/y.json": item("y", "Page", "Published", "01")}
	for i := range 10 {
		files[fmt.Sprintf("a/%d.json", i)] = item(fmt.Sprint("i", i), "Page", []string{"Published", "Draft"}[i/4%2], "01")
	}
	return files
}

// without leaves out the first n items of environment a.
func without(n int) map[string]string {
	files := filled()
	for i := range n {
		delete(files, fmt.Sprintf("a/%d.json", i))
	}
	files["a/.keep"] = ""
	return files
}

// renamed returns the items of environment a other ids.
func renamed() map[string]string {
	files := without(10)
	for i := range 10 {
		files[fmt.Sprintf("a/%d.json", i)] = item(fmt.Sprint("j", i), "Page", "Published", "01")
	}
	return files
}

// only keeps one environment.
func only(env string) map[string]string {
	files := filled()
	maps.DeleteFunc(files, func(name, _ string) bool { return !strings.HasPrefix(name, env+"/") })
	return files
}

func TestRemovalIsRefused(t *testing.T) {
	percent := func(n int) *int { return &n }
	tests := []struct {
		name   string
		files  map[string]string
		config BuildConfig
		want   string // "" if it is built
	}{
		{"half", without(5), BuildConfig{}, ""},
		{"more than half", without(6), BuildConfig{}, "a: 10 items now, 4 in the new release, which lacks 6 of the current items: 60%"},
		{"more than half, and written in full", without(6), BuildConfig{Full: true}, "a: 10 items now, 4 in the new release, which lacks 6 of the current items: 60%"},
		{"within a wider bound", without(6), BuildConfig{Removal: Removal{Max: percent(60)}}, ""},
		{"beyond a closer bound", without(1), BuildConfig{Removal: Removal{Max: percent(9)}}, "a: 10 items now, 9 in the new release, which lacks 1 of the current items: 10% (at most 9% may go)"},
		{"emptied", without(10), BuildConfig{Removal: Removal{Max: percent(100)}}, "a: 10 items now, none in the new release"},
		{"as many others", renamed(), BuildConfig{}, "a: 10 items now, 10 in the new release, which lacks 10 of the current items: 100%"},
		{"as many others, and written in full", renamed(), BuildConfig{Full: true}, "a: 10 items now, 10 in the new release, which lacks 10 of the current items: 100%"},
		{"a directory that is gone", only("a"), BuildConfig{}, "b: 2 items now; the new release does not have the environment"},
		{"one environment of two", filled(), BuildConfig{Envs: []string{"b"}}, "a: 10 items now; the new release does not have the environment"},
		{"a status of few", filled(), BuildConfig{Visible: visibility.Rules{Statuses: []string{"Draft"}}}, "a: 10 items now, 4 in the new release, which lacks 6 of the current items: 60%"},
		{"a status of many", filled(), BuildConfig{Visible: visibility.Rules{Statuses: []string{"Published"}}}, ""},
		{"allowed", only("b"), BuildConfig{Removal: Removal{Allow: true}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := tt.config
			c.Content, c.Out, c.NoSync = content(t, filled()), t.TempDir(), true
			c.Envs, c.Visible, c.Full = nil, visibility.Everything(), false
			build(t, c)
			before := tree(t, c.Out)
			c.Content, c.Envs, c.Full = content(t, tt.files), tt.config.Envs, tt.config.Full
			if c.Visible = tt.config.Visible; len(c.Visible.Statuses) == 0 {
				c.Visible = visibility.Everything()
			}
			_, planned := Plan(context.Background(), c)
			_, err := Build(context.Background(), c)
			if tt.want == "" {
				if err != nil || planned != nil {
					t.Fatalf("built with %v, planned with %v", err, planned)
				}
				return
			}
			var refused *RemovalError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), "\n  "+tt.want) {
				t.Fatalf("got %v", err)
			}
			if planned == nil || planned.Error() != err.Error() {
				t.Errorf("the plan says %v", planned)
			}
			if !maps.Equal(tree(t, c.Out), before) {
				t.Error("the output changed")
			}
		})
	}
}

// A release that an older program made guards what it counts.
func TestRemovalFromAnOlderRelease(t *testing.T) {
	out := t.TempDir()
	build(t, BuildConfig{Visible: visibility.Everything(), Content: content(t, filled()), Out: out})
	name := filepath.Join(out, "current", release.ManifestName)
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	older := strings.Replace(string(b), `"format":7`, `"format":2`, 1)
	if err := os.WriteFile(name, []byte(older), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = Build(context.Background(), BuildConfig{Visible: visibility.Everything(), Content: content(t, without(10)), Out: out})
	if want := "a: 10 items now, none in the new release"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if r := build(t, BuildConfig{Visible: visibility.Everything(), Content: content(t, filled()), Out: out}); r.Unchanged || slices.ContainsFunc(r.Warnings, func(d Diagnostic) bool { return strings.Contains(d.Message, "cannot be read") }) {
		t.Errorf("%+v", r)
	}
}

// Where a part of the release is damaged, the guard goes by what is left of it.
func TestRemovalFromADamagedRelease(t *testing.T) {
	tests := []struct {
		name, damaged string
		files         map[string]string
		refused       bool
		warning       string
	}{
		{"numbers of the manifest", "snapshots/a-*.snap", without(6), true, ""},
		{"numbers hide what was replaced", "snapshots/a-*.snap", renamed(), false, ""},
		{"no list of checksums", "files.sha256", without(6), true, ""},
		{"no manifest", "manifest.json", without(6), false, "the current release cannot be read, so removals were not checked: bad manifest"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := t.TempDir()
			build(t, BuildConfig{Content: content(t, filled()), Out: out})
			names, err := filepath.Glob(filepath.Join(out, "current", tt.damaged))
			if err != nil || len(names) != 1 {
				t.Fatal(names, err)
			}
			if err := os.WriteFile(names[0], []byte("damaged"), 0o644); err != nil {
				t.Fatal(err)
			}
			r, err := Build(context.Background(), BuildConfig{Content: content(t, tt.files), Out: out})
			var refused *RemovalError
			if errors.As(err, &refused) != tt.refused || !tt.refused && err != nil {
				t.Fatalf("got %v", err)
			}
			if tt.warning != "" && !slices.ContainsFunc(r.Warnings, func(d Diagnostic) bool { return strings.HasPrefix(d.Message, tt.warning) }) {
				t.Errorf("warnings %v", r.Warnings)
			}
		})
	}
}

// A session may be allowed to remove items in one build, and is guarded in the next.
func TestRemovalAllowedOnce(t *testing.T) {
	c := BuildConfig{Content: content(t, filled()), Out: t.TempDir(), NoSync: true}
	s, err := NewSession(c)
	if err != nil {
		t.Fatal(err)
	}
	build := func(v View) error { _, err := s.Build(t.Context(), v); return err }
	replace := func(files map[string]string) {
		if err := errors.Join(os.RemoveAll(c.Content), os.CopyFS(c.Content, os.DirFS(content(t, files)))); err != nil {
			t.Fatal(err)
		}
	}
	if err := build(View{}); err != nil {
		t.Fatal(err)
	}
	replace(without(6))
	var refused *RemovalError
	if err := build(View{}); !errors.As(err, &refused) {
		t.Errorf("not refused: %v", err)
	}
	if err := build(View{AllowRemoval: true}); err != nil {
		t.Error(err)
	}
	replace(without(10))
	if err := build(View{}); !errors.As(err, &refused) {
		t.Errorf("not refused after a build that was allowed to: %v", err)
	}
}
