package verify

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/release"
	"contentedge/generator"
)

// TestSearches: what the manifest says of a saved search is compared with the snapshot.
func TestSearches(t *testing.T) {
	content, out := t.TempDir(), filepath.Join(t.TempDir(), "public")
	for name, text := range map[string]string{
		"a.json":             `{"ContentID":"Content_a","Name":"First","TemplateName":"Page","CreatedAt":"2024-01-01T10:00:00Z"}`,
		"b.json":             `{"ContentID":"Content_b","Name":"Second","TemplateName":"Page","CreatedAt":"2024-01-02T10:00:00Z"}`,
		"_searches/two.json": `{"pages":2,"size":1}`,
	} {
		path := filepath.Join(content, "demo", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := generator.Build(t.Context(), generator.BuildConfig{Content: content, Out: out, NoSync: true}); err != nil {
		t.Fatal(err)
	}
	manifest := filepath.Join(out, "current", release.ManifestName)
	whole, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*release.Search)
		want   string // of a problem; empty: there is none
	}{
		"as built":    {func(*release.Search) {}, ""},
		"total":       {func(s *release.Search) { s.TotalItems++ }, "searches/two.json: the manifest says 3 items in 2 files, the snapshot has 2"},
		"bytes":       {func(s *release.Search) { s.Bytes++ }, "the search two has "},
		"fewer files": {func(s *release.Search) { s.Files = 1 }, "searches/two.2.json: nothing in the manifest or the snapshots accounts for this file"},
		"more files":  {func(s *release.Search) { s.Files = 3 }, "searches/two.3.json: the file is missing"},
		"body":        {func(s *release.Search) { s.Body = json.RawMessage(`{"size":1,"sort":{"Name":"asc"}}`) }, "searches/two.json: differs from what the snapshot answers"},
		"no body":     {func(s *release.Search) { s.Body = json.RawMessage(`{"query":{"x":{}}}`) }, "the snapshot cannot answer it: unknown query"},
	} {
		m, err := release.Parse(whole)
		if err != nil {
			t.Fatal(err)
		}
		c.change(&m.Environments[0].Searches[0])
		if err := os.WriteFile(manifest, m.Encode(), 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := Dir(t.Context(), out)
		if err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(r.Problems, "\n"); c.want == "" && all != "" || !strings.Contains(all, c.want) {
			t.Errorf("%s: %s", name, all)
		}
	}
}
