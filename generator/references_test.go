// These tests build environments that follow references: the files of items include others, and lists name the items
// that refer to an item.

package generator

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/verify"
)

// opened is a release that is answered from its snapshots alone.
func opened(t *testing.T, out string) *answer.Release {
	t.Helper()
	dir := currentDir(t, out)
	b, err := os.ReadFile(filepath.Join(dir, release.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	m, err := release.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	readers := map[string]*snapshot.Reader{}
	for _, e := range m.Environments {
		if readers[e.ID], err = snapshot.Open(filepath.Join(dir, e.Snapshot.File)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = readers[e.ID].Close() })
	}
	return answer.FromSnapshots(m, readers)
}

// TestReferences builds random items, and compares each file of an item, and of those that refer to it, with the
// response of a node that has no files. verify finds no fault in the release.
func TestReferences(t *testing.T) {
	seed := rand.Uint64()
	s := &site{rnd: rand.New(rand.NewPCG(seed, 0)), items: map[string]*edited{}}
	for range 60 {
		s.add("a")
	}
	for _, refs := range []string{"include: {Page: 1}", "include: {Page: 3, Post: [Data.refs.to]}\nused-in: true", "used-in: [Post]"} {
		for _, rules := range []string{"", "{exclude: [Data.refs]}"} {
			s.refs, s.rules = refs, rules
			c := BuildConfig{NoSync: true, Compress: "none", Out: t.TempDir(), Content: s.write(t)}
			r := build(t, c)
			found, err := verify.Dir(t.Context(), c.Out)
			if err != nil || len(found.Problems) > 0 {
				t.Fatalf("seed %d, %s: %v, %v", seed, refs, err, found.Problems)
			}
			site, files, lists := opened(t, c.Out), current(t, c.Out), 0
			for name, body := range files {
				route, ok := address.ParsePath("/" + name)
				if !ok || route.Kind != address.Item && route.Kind != address.UsedIn {
					continue
				}
				if route.Kind == address.UsedIn {
					lists++
				}
				response, p, err := site.Respond("/"+name, nil)
				if err != nil || p != nil || string(response.Body) != body || response.File != name {
					t.Errorf("seed %d, %s, %s: %v %v\n%s\nwant\n%s", seed, refs, name, err, p, response.Body, body)
				}
			}
			if _, used := site.Manifest.References("a"); used.Any() != (lists > 0) || site.Manifest.Format != 7 {
				t.Errorf("%s: %d lists in a release of format %d", refs, lists, site.Manifest.Format)
			}
			plan, err := Plan(t.Context(), BuildConfig{Content: c.Content, Compress: "none"})
			if err != nil || plan.ItemFiles+plan.UsedInFiles+plan.ListFiles+plan.SearchFiles+plan.Media+1 < r.Files || plan.UsedInFiles != lists {
				t.Errorf("%s: the plan %+v, the release %d files, %v", refs, plan, r.Files, err)
			}
		}
	}
}

// refItem is a line of an item that refers to others.
func refItem(id, template string, refs ...string) string {
	return fmt.Sprintf(`{"ContentID":%q,"Name":"N %s","TemplateName":%q,"CreatedAt":"2024-01-01T00:00:00Z","Data":{"to":{"Type":"Reference","ReferenceType":"Content","ContentIDs":["%s"]}}}`+"\n",
		id, id, template, strings.Join(refs, `","`))
}

// refSite writes a folder of an environment.
func refSite(t *testing.T, settings, items string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"_environment.yaml": settings, "items.ndjson": items} {
		if err := os.MkdirAll(filepath.Join(dir, "site"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "site", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestTooManyIncluded: an item that would include too many others is an error with its place, and nothing is written.
func TestTooManyIncluded(t *testing.T) {
	var items strings.Builder
	ids := make([]string, 1001)
	for i := range ids {
		ids[i] = fmt.Sprintf("i%d", i)
		items.WriteString(refItem(ids[i], "Leaf"))
	}
	items.WriteString(refItem("root", "Root", ids...))
	c := BuildConfig{NoSync: true, Compress: "none", Out: filepath.Join(t.TempDir(), "public"), Content: refSite(t, "include: {Root: 1}", items.String())}
	_, err := Build(t.Context(), c)
	wrong, ok := errors.AsType[*ContentError](err)
	if !ok || len(wrong.Diagnostics) == 0 {
		t.Fatal(err)
	}
	d := wrong.Diagnostics[len(wrong.Diagnostics)-1]
	if d.Line != 1002 || !strings.HasSuffix(d.File, "items.ndjson") || !strings.Contains(d.Message, `"root" would include more than 1000 items`) || !strings.Contains(d.Hint, `template "Root"`) {
		t.Errorf("%+v", d)
	}
	if _, err := os.Stat(c.Out); err == nil {
		if entries, _ := os.ReadDir(c.Out); len(entries) > 0 {
			t.Errorf("%d files are left", len(entries))
		}
	}
}

// TestPopularItem: the list of an item that many others refer to shows the first of them, and counts all.
func TestPopularItem(t *testing.T) {
	var items strings.Builder
	for i := range 1200 {
		items.WriteString(refItem(fmt.Sprintf("i%04d", i), "Leaf", "star", "star"))
	}
	items.WriteString(refItem("star", "Star"))
	c := BuildConfig{NoSync: true, Compress: "none", Out: t.TempDir(), Content: refSite(t, "used-in: [Star]", items.String())}
	build(t, c)
	name := address.UsedInFile("site", "star")
	body := current(t, c.Out)[name]
	if n := strings.Count(body, "ContentID"); n != 1000 || !strings.HasSuffix(body, `,"totalItems":1200}`) || !strings.HasPrefix(body, `{"status":200,"data":[{"Name":"N i0000","TemplateName":"Leaf","ContentID":"i0000"},`) {
		t.Errorf("%d items: %.200s", n, body)
	}
	site := opened(t, c.Out)
	response, p, err := site.Respond("/"+name, nil)
	if err != nil || p != nil || string(response.Body) != body {
		t.Errorf("%v %v: %.200s", err, p, response.Body)
	}
	for target, code := range map[string]string{address.UsedInFile("site", "i0001"): "unknown_used_in", address.UsedInFile("site", "gone"): "unknown_item"} {
		if _, p, _ := site.Respond("/"+target, nil); p == nil || p.Code != code {
			t.Errorf("%s: %+v", target, p)
		}
	}
}

// TestRelatedChanges: a session names the items whose responses changed because of others.
func TestRelatedChanges(t *testing.T) {
	article, page := refItem("a", "Article", "p"), refItem("b", "Page", "q")
	content := refSite(t, "include: {Article: 1}\nused-in: [Person]", article+page+refItem("p", "Person")+refItem("q", "Person"))
	s, err := NewSession(BuildConfig{Content: content, Out: t.TempDir(), NoSync: true, Compress: "none"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, items, related string }{
		{"the first build", article + page + refItem("p", "Person") + refItem("q", "Person"), ""},
		{"an item that another one includes", article + page + refItem("p", "Person", "x") + refItem("q", "Person"), "a"},
		{"it goes", article + page + refItem("q", "Person"), "a"},
		{"it comes back", article + page + refItem("p", "Person") + refItem("q", "Person"), "a"},
		{"an item refers to another one than before", article + refItem("b", "Page", "p") + refItem("p", "Person") + refItem("q", "Person"), "p,q"},
		{"nothing else", article + refItem("b", "Page", "p") + refItem("p", "Person") + refItem("q", "Person"), ""},
	} {
		if err := os.WriteFile(filepath.Join(content, "site", "items.ndjson"), []byte(tt.items), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Build(t.Context(), View{AllowRemoval: true}); err != nil {
			t.Fatal(tt.name, err)
		}
		related := ""
		for _, e := range s.Changes().Environments {
			related += strings.Join(e.Related, ",")
		}
		if related != tt.related {
			t.Errorf("%s: related are %q, want %q", tt.name, related, tt.related)
		}
	}
}
