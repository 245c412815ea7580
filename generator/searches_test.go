package generator

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/release"
	"contentedge/generator/visibility"
)

// savedSite is a content directory with two items, one of them a draft, and a saved search.
func savedSite(t *testing.T) (dir string, write func(name, text string)) {
	dir = t.TempDir()
	write = func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, "demo", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write("a.json", `{"ContentID":"Content_a","Name":"First","TemplateName":"Page","CreatedAt":"2024-01-01T10:00:00Z"}`)
	write("b.json", `{"ContentID":"Content_b","Name":"Second","TemplateName":"Page","CreatedAt":"2024-01-02T10:00:00Z","Status":"Draft"}`)
	write("_searches/all.json", `{"pages":2,"size":1}`)
	return dir, write
}

// TestSessionSavedSearches: a session follows saved searches, and answers them for its view.
func TestSessionSavedSearches(t *testing.T) {
	dir, write := savedSite(t)
	s := session(t, dir)
	build := func(v View) *release.Search {
		t.Helper()
		if _, err := s.Build(t.Context(), v); err != nil {
			t.Fatal(err)
		}
		return s.last.Load().manifest.Environments[0].Search("all")
	}
	if got := build(View{}); got.TotalItems != 2 || got.Files != 2 || string(got.Body) != `{"size":1}` {
		t.Errorf("%+v", got)
	}
	if got := build(View{Visible: &visibility.Rules{Statuses: []string{"Draft"}}}); got.TotalItems != 1 || got.Files != 1 {
		t.Errorf("of drafts: %+v", got)
	}
	build(View{})
	write("_searches/all.json", `{"query":{"match":{"Name":"first"}}}`)
	if got := build(View{}); got.TotalItems != 1 {
		t.Errorf("after an edit: %+v", got)
	}
	if c := s.Changes().Environments; len(c) != 1 || c[0].ID != "demo" || !c[0].Lists || len(c[0].Items) > 0 {
		t.Errorf("changes: %+v", c)
	}
	build(View{})
	if c := s.Changes().Environments; len(c) > 0 {
		t.Errorf("changes of nothing: %+v", c)
	}
	for _, text := range []string{`{"size":"x"}`, `{"query":{"query_string":{"query":"("}}}`, `{"query":{"range":{"CreatedAt":{"gt":"now"}}}}`} {
		write("_searches/all.json", text)
		_, err := s.Build(t.Context(), View{})
		wrong, ok := errors.AsType[*ContentError](err)
		if !ok || !strings.Contains(wrong.Error(), "\n"+filepath.Join(dir, "demo", "_searches", "all.json")+":1:") {
			t.Errorf("%s: %v", text, err)
		}
	}
	write("_searches/all.json", `{}`)
	if got := build(View{}); got.TotalItems != 2 {
		t.Errorf("mended: %+v", got)
	}
}

// TestSavedSearchLimits: a target's and a budget's limits hold for saved searches.
func TestSavedSearchLimits(t *testing.T) {
	dir, write := savedSite(t)
	c := BuildConfig{Visible: visibility.Everything(), Content: dir, Out: filepath.Join(t.TempDir(), "public"), Lists: "-", NoSync: true, Target: "cloudflare-pages", Compress: "none"}
	write("big.json", `{"ContentID":"Content_c","Name":"Big","TemplateName":"Page","CreatedAt":"2024-01-01T10:00:00Z","Data":{"text":"`+strings.Repeat("x", 13<<20)+`"}}`)
	write("big2.json", `{"ContentID":"Content_d","Name":"Big","TemplateName":"Page","CreatedAt":"2023-01-01T10:00:00Z","Data":{"text":"`+strings.Repeat("y", 13<<20)+`"}}`)
	c.PageSize = 1
	if _, err := Build(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	write("_searches/all.json", `{"query":{"match":{"Name":"big"}}}`)
	_, err := Build(t.Context(), c)
	if limit, ok := errors.AsType[*LimitError](err); !ok || !strings.Contains(limit.Error(), "searches/all.json could have 272") {
		t.Errorf("a page of 26 MiB: %v", err)
	}
	write("_searches/all.json", `{"pages":5,"size":1}`)
	c.BudgetFiles = 8
	if r, err := Plan(t.Context(), c); !errors.As(err, new(*BudgetError)) || r.SearchFiles != 5 {
		t.Errorf("a plan over its budget: %+v, %v", r, err)
	}
	c.BudgetFiles = 9
	if _, err := Plan(t.Context(), c); err != nil {
		t.Error(err)
	}
}
