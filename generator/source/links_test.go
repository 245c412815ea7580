package source

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"contentedge/generator/source/documents"
	"contentedge/generator/source/items"
	"contentedge/generator/visibility"
)

// linker asks which items links lead to, in a folder that changes.
type linker struct {
	t      *testing.T
	dir    string
	folder *Folder
	tree   *Tree
}

// list lists the folder at a time.
func (l *linker) list(at time.Time) {
	l.t.Helper()
	tree, err := l.folder.List(context.Background(), nil)
	if err != nil || len(tree.Problems) > 0 {
		l.t.Fatal(tree, err)
	}
	l.tree = tree
	rules := visibility.Rules{}
	tree.SetVisible(func(it visibility.Item) bool { return visibility.Visible(it, &rules, at.UnixMilli()) })
}

// ask returns the template of the item that a link leads to: each file has another one; "hidden" for an item that is left out.
func (l *linker) ask(language, target string) string {
	l.t.Helper()
	answer, err := l.tree.Answer(context.Background(), documents.Question{Kind: documents.LinkQuestion, Env: "e", Key: documents.LinkKey(language, target)})
	if err != nil {
		l.t.Fatal(err)
	}
	to := documents.TargetOf(answer)
	if to.Hidden {
		if answer != to.ID || !strings.HasPrefix(answer, "Content_") {
			l.t.Errorf("%q tells more than an id", answer)
		}
		return "hidden"
	}
	return to.Template
}

func day(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }

// TestLinks: which item a link leads to, and that it is another when the file or the time is another.
func TestLinks(t *testing.T) {
	l := &linker{t: t, dir: t.TempDir()}
	page := func(name, more string) string {
		return "---\ndate: 2024-01-02\nTemplateName: " + name + "\n" + more + "---\n"
	}
	put(t, l.dir, map[string]string{
		"e/index.md": page("root", ""), "e/index.ja.md": page("root-ja", ""), "e/docs/_index.md": page("docs", ""), "e/docs/a.md": page("a", ""), "e/docs/a.ja.md": page("a-ja", ""),
		"e/docs/a.fr.md": page("a-fr", ""), "e/docs/only.ja.md": page("only-ja", ""), "e/docs/v1.2.mdx": page("v1.2", ""), "e/docs/b/index.fr.md": page("b-fr", ""),
		"e/docs/draft.md": page("d", "draft: true\n"), "e/docs/later.md": page("later", "publishDate: 2026-01-10\n"), "e/docs/over.md": page("over", "expiryDate: 2026-01-10\n"),
		"e/docs/private.md": page("p", "Status: Private\n"), "e/docs/broken.md": "---\n: [\n", "e/docs/undated.md": "", "f/other.md": page("other", ""),
	})
	l.folder = NewFolder(l.dir)
	l.list(day(5))
	for _, tt := range []struct{ language, target, want string }{
		{"", "index.md", "root"}, {"ja", "index.md", "root-ja"}, {"fr", "index.md", "root"}, {"", "./", "root"}, {"ja", ".", "root-ja"}, {"", "", "root"},
		{"", "docs/a.md", "a"}, {"ja", "docs/a.md", "a-ja"}, {"ja", "docs/a", "a-ja"}, {"fr", "docs/a", "a-fr"}, {"", "docs/a.ja.md", "a-ja"}, {"fr", "docs/a.ja.md", "a-ja"}, {"", "docs/a/", ""},
		{"", "docs", "docs"}, {"", "docs/", "docs"}, {"ja", "docs/_index.md", "docs"}, {"", "docs/index.md", ""}, {"", "docs/only.md", ""}, {"ja", "docs/only.md", "only-ja"}, {"", "docs/only", "only-ja"},
		{"fr", "docs/b/index.md", "b-fr"}, {"", "docs/b/", "b-fr"}, {"", "docs/v1.2.mdx", "v1.2"}, {"", "docs/v1.2", "v1.2"}, {"", "docs/v1.2.md", ""}, {"", "docs/A.md", ""},
		{"", "docs/draft.md", "hidden"}, {"", "docs/draft", "hidden"}, {"", "docs/private.md", "hidden"}, {"", "docs/later.md", "hidden"}, {"", "docs/over.md", "over"},
		{"", "docs/broken.md", ""}, {"", "../f/other.md", ""}, {"", "other.md", ""}, {"", "docs//a.md", ""}, {"\x00", "\x00.md", ""},
	} {
		if got := l.ask(tt.language, tt.target); got != tt.want {
			t.Errorf("%q in %q leads to %q, not %q", tt.target, tt.language, got, tt.want)
		}
	}
	l.list(day(10))
	if later, over := l.ask("", "docs/later.md"), l.ask("", "docs/over.md"); later != "later" || over != "hidden" {
		t.Errorf("at another time: %s, %s", later, over)
	}
	put(t, l.dir, map[string]string{"e/docs/draft.md": page("public", ""), "e/docs/a.md": page("a", "draft: true\n")})
	if err := os.Remove(filepath.Join(l.dir, "e/docs/a.ja.md")); err != nil {
		t.Fatal(err)
	}
	l.list(day(10))
	if draft, a, ja := l.ask("", "docs/draft.md"), l.ask("", "docs/a.md"), l.ask("ja", "docs/a.md"); draft != "public" || a != "hidden" || ja != "hidden" {
		t.Errorf("after a change: %s, %s, %s", draft, a, ja)
	}
}

// TestReferencesInLanguages: a reference leads to the translation in its own language.
func TestReferencesInLanguages(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"e/people/jane.md": "", "e/people/jane.ja.md": "", "e/people/jane.fr.md": "", "e/people/bob.ja.md": "", "e/people/both.ja.md": "", "e/people/both.fr.md": ""})
	tree, err := List(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(language, value string) string {
		answer, err := tree.Answer(context.Background(), documents.Question{Kind: items.ReferenceQuestion, Env: "e", Key: items.ReferenceKey("people", language, value)})
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	ids := map[string]bool{ask("", "jane"): true, ask("ja", "jane"): true, ask("fr", "jane"): true}
	if len(ids) != 3 || ask("de", "jane") != ask("", "jane") || ask("", "bob") != ask("ja", "bob") || ask("", "bob") == "" {
		t.Errorf("got %v, bob %s", ids, ask("", "bob"))
	}
	if got := ask("", "both"); !strings.HasPrefix(got, items.Several) {
		t.Errorf("both is %s", got)
	}
}
