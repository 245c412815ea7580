package markdownsite

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/imports"
	"contentedge/generator/imports/importstest"
)

// importTree imports a site that a txtar archive holds. Pages without a date have that of 2020.
func importTree(t testing.TB, system, tree string, o imports.Options) *importstest.Result {
	t.Helper()
	files := map[string]string{"pad": ""}
	for _, f := range txtar.Parse([]byte(tree)).Files {
		files[f.Name] = string(f.Data)
	}
	if o.Date.IsZero() {
		o.Date = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return importstest.Import(t, System(system), files, o)
}

// summary lists the items: environment and file, template, status, path, and what else is there.
func summary(t testing.TB, r *importstest.Result) string {
	t.Helper()
	var b strings.Builder
	text := func(id string, path ...string) string { return strings.Trim(r.Item(t, id, path...), `"`) }
	for _, id := range r.Names() {
		fmt.Fprintf(&b, "%s: %s %s /%s", strings.TrimPrefix(id, "site/"), text(id, address.FieldTemplateName), text(id, address.FieldStatus), text(id, "Data", "path"))
		if language := text(id, "Data", "language"); language != "" {
			b.WriteString(" " + language)
		}
		if created := cmp.Or(text(id, address.FieldCreatedAt), text(id, address.FieldPublishedAt)); !strings.HasPrefix(created, "2020-01-01") {
			b.WriteString(" " + created)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestMarkdownsite imports a small site of each system, and shows its items, their HTML, and what is counted.
func TestMarkdownsite(t *testing.T) {
	for _, test := range systemTests {
		t.Run(test.name, func(t *testing.T) {
			r := importTree(t, test.system, test.tree, imports.Options{Locales: test.locales})
			if r.Err != nil {
				t.Fatal(r.Err)
			}
			if got := summary(t, r); got != strings.TrimPrefix(test.items, "\n") {
				t.Errorf("items:\n%s\nwant:%s", got, test.items)
			}
			for id, want := range test.html {
				got := r.Item(t, id, "Data", "html")
				for _, part := range want {
					if quoted := fmt.Sprintf("%q", part); !strings.Contains(got, quoted[1:len(quoted)-1]) {
						t.Errorf("html of %s lacks %q: %s", id, part, got)
					}
				}
			}
			for id, want := range test.data {
				if got := r.Item(t, id, "Data"); !slices.ContainsFunc(want, func(part string) bool { return strings.Contains(got, part) }) {
					t.Errorf("data of %s lacks %q: %s", id, want, got)
				}
			}
			for _, want := range test.said {
				if all := r.Account() + r.Warned(); !strings.Contains(all, want) {
					t.Errorf("nothing says %q:\n%s", want, all)
				}
			}
		})
	}
}

type systemTest struct {
	name, system, locales string
	tree, items           string
	html, data            map[string][]string // parts of Data.html and of Data, by item
	said                  []string            // parts of the account and of the warnings
}

// TestSiteAbove finds the site that a folder is in, however the folder is named.
func TestSiteAbove(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{
		"site/hugo.toml": "", "site/content/posts/a.md": "", "site/other/_config.yml": "", "site/other/_posts/a.md": "", "vault/.obsidian/app.json": "", "vault/notes/a.md": "",
	})
	for _, test := range []struct{ in, dir, name, above string }{
		{".", "site/content/posts", "hugo", "site"},
		{".", "site/content/posts/", "hugo", "site"},
		{".", top + "/site/content", "hugo", top + "/site"},
		{"site/content/posts", ".", "hugo", "../.."},
		{"site/content", "../content/posts", "hugo", ".."},
		{"site", "content/posts", "hugo", "."},
		{".", "site/content", "jekyll", ""},
		{".", "site", "hugo", ""},
		{".", "site/other", "hugo", ""},
		{".", "site/other/_posts", "jekyll", "site/other"},
		{".", "nowhere/content", "hugo", ""},
	} {
		t.Chdir(filepath.Join(top, test.in))
		if got := siteAbove(test.dir, test.name); got != test.above {
			t.Errorf("in %s, %s of %s: %q, not %q", test.in, test.dir, test.name, got, test.above)
		}
	}
	t.Chdir(top)
	if _, err := run(t, "obsidian", "vault/notes", "content", imports.Options{Date: day}); err != nil {
		t.Error("a folder of a vault is refused:", err)
	}
}
