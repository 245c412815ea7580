package diff

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/address/addresstest"
	"contentedge/generator"
	"contentedge/generator/checksums"
)

// content is items by environment and id, each with a template and a text.
type content map[string][2]string

// build makes a release of items.
func (c content) build(t *testing.T, pageSize int) *checksums.List {
	t.Helper()
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "public")
	for key, v := range c {
		env, id, _ := strings.Cut(key, "/")
		b, err := json.Marshal(map[string]any{"ContentID": id, "Name": id, "TemplateName": v[0], "CreatedAt": "2024-01-01T00:00:00Z", "Data": map[string]string{"text": v[1]}})
		if err = errors.Join(err, os.MkdirAll(filepath.Join(dir, env), 0o755), os.WriteFile(filepath.Join(dir, env, id+".json"), b, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	order, _ := generator.Defaults()
	_, err := generator.Build(t.Context(), generator.BuildConfig{Content: dir, Out: out, Lists: generator.DefaultLists, Order: order, PageSize: pageSize,
		BudgetFiles: generator.DefaultBudgetFiles, BudgetBytes: generator.DefaultBudgetBytes})
	if err != nil {
		t.Fatal(err)
	}
	l, err := checksums.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// compare returns all differences by name.
func compare(t *testing.T, old, new *checksums.List) (map[string]File, *Summary) {
	t.Helper()
	files, last := map[string]File{}, ""
	s, err := Compare(t.Context(), old, new, func(f File) error {
		if f.Name <= last {
			t.Errorf("%s after %s", f.Name, last)
		}
		files[f.Name], last = f, f.Name
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, s
}

// digests reads all files of a release but its manifest and list.
func digests(t *testing.T, l *checksums.List) map[string]checksums.Sum {
	t.Helper()
	out := map[string]checksums.Sum{}
	err := fs.WalkDir(os.DirFS(l.Dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == "manifest.json" || name == "files.sha256" {
			return err
		}
		b, err := os.ReadFile(filepath.Join(l.Dir, name))
		out[name] = sha256.Sum256(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// naive finds what differs by reading every file.
func naive(t *testing.T, old, new *checksums.List) map[string]Kind {
	out := map[string]Kind{}
	a, b := digests(t, old), digests(t, new)
	for name, sum := range a {
		if now, ok := b[name]; !ok {
			out[name] = Removed
		} else if now != sum {
			out[name] = Changed
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			out[name] = Added
		}
	}
	return out
}

// TestDiff edits a release of two environments, and shows which items differ, and which cache keys of
// a CDN are to be purged.
func TestDiff(t *testing.T) {
	old := content{
		"a/Content_1": {"T", "x"},
		"b/Content_2": {"T", "x"},
	}.build(t, 5)
	for _, tt := range []struct {
		name     string
		content  content
		pageSize int
		items    Counts
		keys     string
	}{
		{
			"the same content does not differ",
			content{
				"a/Content_1": {"T", "x"},
				"b/Content_2": {"T", "x"},
			}, 5, Counts{}, "",
		},
		{
			"an item that changes changes the lists of its environment",
			content{
				"a/Content_1": {"T", "y"},
				"b/Content_2": {"T", "x"},
			}, 5, Counts{Changed: 1}, "lists-a",
		},
		{
			"a new environment is all new",
			content{
				"a/Content_1": {"T", "x"},
				"b/Content_2": {"T", "x"},
				"c/Content_1": {"T", "x"},
			}, 5, Counts{Added: 1}, "env-c lists-c",
		},
		{
			"an environment that goes is purged",
			content{
				"a/Content_1": {"T", "x"},
			}, 5, Counts{Removed: 1}, "env-b lists-b",
		},
		{
			"other defaults change every environment, but no item",
			content{
				"a/Content_1": {"T", "x"},
				"b/Content_2": {"T", "x"},
			}, 6, Counts{}, "env-a env-b lists-a lists-b",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, s := compare(t, old, tt.content.build(t, tt.pageSize))
			if got := strings.Join(s.Keys, " "); got != tt.keys || s.Items != tt.items {
				t.Errorf("keys %q, items %+v; want %q, %+v", got, s.Items, tt.keys, tt.items)
			}
		})
	}
}

// TestAgainstEveryByte edits content at random and compares with who reads every file.
func TestAgainstEveryByte(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 5))
	c := content{}
	put := func() {
		c[fmt.Sprintf("%s/Content_%d", []string{"a", "a-b", "b"}[rnd.IntN(3)], rnd.IntN(40))] =
			[2]string{fmt.Sprint("T", rnd.IntN(3)), strings.Repeat("long text ", rnd.IntN(300))}
	}
	for range 50 {
		put()
	}
	old := c.build(t, 5)
	for range 8 {
		for range rnd.IntN(4) {
			put()
		}
		if rnd.IntN(2) == 0 {
			keys := slices.Sorted(maps.Keys(c))
			delete(c, keys[rnd.IntN(len(keys))])
		}
		new := c.build(t, 5)
		got, s := compare(t, old, new)
		want := naive(t, old, new)
		counts, items := map[Kind]int{}, Counts{}
		for name, kind := range want {
			counts[kind]++
			if strings.Contains(name, "/contents/") && strings.HasSuffix(name, ".json") {
				items.add(kind)
			}
			if got[name].Kind != kind {
				t.Errorf("%s: %q, want %q", name, got[name].Kind, kind)
			}
		}
		if len(got) != len(want) || s.Added != counts[Added] || s.Changed != counts[Changed] || s.Removed != counts[Removed] || s.Items != items {
			t.Errorf("%d files, want %d; %+v", len(got), len(want), s)
		}
		checkKeys(t, got, s)
		old = new
	}
}

// checkKeys proves that every answer has its key, and that its addresses lead to its file.
func checkKeys(t *testing.T, files map[string]File, s *Summary) {
	t.Helper()
	for name, f := range files {
		r, ok := address.ParsePath("/" + name)
		if !ok || !strings.HasSuffix(name, ".json") {
			if f.Key != "" || f.URLs != nil {
				t.Errorf("%+v", f)
			}
			continue
		}
		env, id, isItem := f.Item()
		if key := "item-" + r.ID; r.Kind == address.Item && (f.Key != key || !isItem || env != r.Env || id != r.ID) {
			t.Errorf("%+v", f)
		}
		if key := "lists-" + r.Env; r.Kind == address.ListFile && (f.Key != key || isItem || !slices.Contains(s.Keys, key)) {
			t.Errorf("%+v, %q", f, s.Keys)
		}
		for _, url := range f.URLs {
			if file, ok := addresstest.Map(http.MethodGet, url, address.Defaults{Sort: "CreatedAt", Size: 5}); !ok || file != name {
				t.Errorf("%s leads to %s, not to %s", url, file, name)
			}
		}
	}
}

func TestItemName(t *testing.T) {
	for file, want := range map[string]string{`{"status":200,"data":{"Status":"a","Name":"b \u00e9"}}`: "b é", `{"data":[]}`: "", "": "", "x": ""} {
		if got := ItemName([]byte(file)); got != want {
			t.Errorf("%s: %q", file, got)
		}
	}
	l := content{"a/Content_1": {"T", "x"}}.build(t, 5)
	b, err := os.ReadFile(filepath.Join(l.Dir, address.ItemFile("a", "Content_1")))
	if got := ItemName(b); err != nil || got != "Content_1" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestNone compares with no release: everything is added.
func TestNone(t *testing.T) {
	l := content{"a/Content_1": {"T", "x"}, "b/Content_2": {"T", "x"}}.build(t, 5)
	none := checksums.None()
	defer none.Close()
	files, s := compare(t, none, l)
	if len(files) != s.Added || s.Items != (Counts{Added: 2}) || s.Old != "" || strings.Join(s.Keys, " ") != "env-a env-b lists-a lists-b" {
		t.Errorf("%+v", s)
	}
	if _, s := compare(t, l, none); s.Items != (Counts{Removed: 2}) || s.Removed != len(files) {
		t.Errorf("%+v", s)
	}
}

func TestCompareEnds(t *testing.T) {
	old, new := content{"a/Content_1": {"T", "x"}}.build(t, 5), content{"a/Content_1": {"T", "y"}}.build(t, 5)
	stop := errors.New("stop")
	if _, err := Compare(t.Context(), old, new, func(File) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if _, err := Compare(ctx, old, new, func(File) error { return nil }); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
}
