package markdownsite

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/generator/imports"
)

// TestNothingLeaks imports sites with pages that their systems do not publish, all with a word that nobody may see: in no
// Published item is that word, in no language. A site whose marks cannot be read is an error.
func TestNothingLeaks(t *testing.T) {
	const page, jekyll = "---\ntitle: SECRET\n---\nSECRET [self](x.md)\n", "---\n{}\n---\n"
	for _, tt := range []struct {
		name, system string
		files        map[string]string
		public       int    // Published items
		fails        string // a part of the error
	}{
		{"cascade", "hugo", map[string]string{"content/a/_index.md": "---\ncascade: {draft: true}\ntitle: SECRET\n---\n", "content/a/x.md": page, "content/a/b/c/x.md": page, "content/ab.md": "[x](a/x.md)"}, 1, ""},
		{"cascade in other cases", "hugo", map[string]string{"content/a/_index.md": "---\nCASCADE:\n- _Target: {Path: '/a/**'}\n  Params: {Draft: TRUE}\n---\n", "content/a/x.md": page}, 1, ""},
		{"the nearest case of a name", "hugo", map[string]string{"content/_index.md": "---\ncascade: {draft: false}\n---\n", "content/a/_index.md": "---\ncascade: {Draft: true}\n---\nSECRET", "content/a/x.md": page}, 1, ""},
		{"cascade of an unknown target", "hugo", map[string]string{"content/_index.md": "---\ncascade: [{target: {kind: page}, draft: true}]\n---\n", "content/x.md": page}, 0, `cascade gives the mark "draft" to some pages only`},
		{"build of an unknown target", "hugo", map[string]string{"content/_index.md": "---\ncascade: [{target: {path: /x, kind: page}, params: {build: {render: never}}}]\n---\n", "content/x.md": page}, 0, `cascade gives the mark "build" to some pages only`},
		{"cascade of the settings", "hugo", map[string]string{"hugo.toml": "[[cascade]]\ndraft = true\n[cascade.target]\npath = '/a/**'\n", "content/a/x.md": page, "content/b.md": "b"}, 1, ""},
		{"cascade of a page in HTML", "hugo", map[string]string{"content/a/_index.html": "---\ncascade: {draft: true}\n---\n<p>", "content/a/x.md": page}, 0, ""},
		{"cascade of a language", "hugo", map[string]string{"hugo.toml": "[languages.en]\n[languages.ja]\n", "content/a/_index.ja.md": "---\ncascade: {draft: true}\n---\nSECRET", "content/a/_index.md": "x", "content/a/x.ja.md": page, "content/a/x.md": "x [y](x.ja.md)"}, 2, ""},
		{"the longest path", "jekyll", map[string]string{"_config.yml": "defaults:\n- {scope: {path: a/b}, values: {published: false}}\n- {scope: {path: ''}, values: {published: true}}\n", "a/b/x.md": page, "y.md": jekyll}, 1, ""},
		{"a path with a type", "jekyll", map[string]string{"_config.yml": "defaults:\n- {scope: {path: a, type: pages}, values: {published: false}}\n- {scope: {path: a}, values: {published: true}}\n", "a/x.md": page}, 0, ""},
		{"the last of two", "jekyll", map[string]string{"_config.yml": "defaults:\n- {scope: {path: a}, values: {published: true}}\n- {scope: {path: a}, values: {Published: false}}\n", "a/x.md": page}, 0, ""},
		{"defaults without a scope", "jekyll", map[string]string{"_config.yml": "defaults:\n- {values: {published: false}}\n", "x.md": page}, 0, ""},
		{"drafts", "jekyll", map[string]string{"_drafts/x.md": page, "a/_drafts/2024-01-01-x.md": page, "_config.yml": "a: b", "y.md": "---\n{}\n---\n[x]({% link _drafts/x.md %}) [z]({% post_url 2024-01-01-x %})"}, 1, ""},
		{"data of folders", "eleventy", map[string]string{".eleventy.js": "", "a/a.json": `{"Draft": true}`, "a/b/x.md": page, "y.md": "[x](a/b/x.md)"}, 1, ""},
		{"draft_docs", "mkdocs", map[string]string{"mkdocs.yml": "draft_docs: |\n  a/\n", "docs/a/x.md": page, "docs/y.md": "[x](a/x.md)"}, 1, ""},
		{"drafts", "hexo", map[string]string{"_config.yml": "a: b", "scaffolds/x.md": page, "source/_drafts/x.md": page, "source/y.md": "{% post_link x %}"}, 1, ""},
		{"drafts", "docusaurus", map[string]string{"docusaurus.config.js": "", "docs/x.md": "---\ndraft: true\n---\nSECRET", "docs/z.md": "---\nunlisted: true\n---\nSECRET", "docs/y.md": "[x](x.md) [z](./z.md)"}, 1, ""},
		{"notes", "obsidian", map[string]string{".obsidian/app.json": "{}", "SECRET.md": "---\npublish: false\naliases: [SECRET2]\n---\nSECRET", "y.md": "y"}, 1, ""},
	} {
		for _, locales := range []string{"", "environments", "member"} {
			if (locales == "") != (tt.name != "cascade of a language") {
				continue
			}
			dir, content := t.TempDir(), filepath.Join(t.TempDir(), "content")
			write(t, dir, tt.files)
			if tt.system == "hugo" && tt.files["hugo.toml"] == "" {
				write(t, dir, map[string]string{"hugo.toml": "a = 1\n"})
			}
			_, err := run(t, tt.system, dir, content, imports.Options{Date: day, Locales: locales})
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("%s, %s: %v", tt.system, tt.name, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s, %s: %v", tt.system, tt.name, err)
			}
			public := publicItems(t, content)
			if len(public) != tt.public || bytes.Contains(bytes.Join(public, nil), []byte("SECRET")) {
				t.Errorf("%s, %s, %s: %d Published items, want %d: %s", tt.system, tt.name, locales, len(public), tt.public, public)
			}
		}
	}
}

// publicItems returns the items of all environments that are Published.
func publicItems(t *testing.T, content string) (public [][]byte) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(content, "*", "imported-markdown.ndjson"))
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			if bytes.Contains(line, []byte(`"Status":"Published"`)) {
				public = append(public, line)
			}
		}
	}
	return public
}
