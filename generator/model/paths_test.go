package model

import (
	"strings"
	"testing"
	"time"
)

// TestPathsClash: two items of one language have no path in common, and one fault names both.
func TestPathsClash(t *testing.T) {
	const head = "---\ndate: 2024-01-02\n"
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
	}{
		"by their files": {map[string]string{"e/a.md": head + "---\n", "e/a/index.md": head + "---\n"},
			`e/a/index.md:1:1: the ContentID "Content_CONTENT" is taken`},
		"by their files, with ids of their own": {map[string]string{"e/a.md": head + "ContentID: x\n---\n", "e/a/index.md": head + "ContentID: y\n---\n"},
			`e/a/index.md:3:12: the path "a" is taken` + "\n  hint: the other one is in e/a.md:3:12; give one item another path"},
		"by what a file says": {map[string]string{"e/a.md": head + "---\n", "e/b.md": head + "path: /a/\n---\n"},
			`e/b.md:1:1: the path "a" is taken` + "\n  hint: the other one is in e/a.md:1:1; give one item another path"},
		"in one language": {map[string]string{"e/a.md": head + "---\n", "e/a.ja.md": head + "---\n", "e/b.ja.md": head + "path: a\n---\n"},
			`e/b.ja.md:1:1: the path "a" is taken in the language "ja"`},
		"in several":                {map[string]string{"e/a.md": head + "---\n", "e/a.ja.md": head + "---\n", "e/a.fr.md": head + "---\n"}, ""},
		"in the default one":        {map[string]string{"e/_environment.yaml": "languages: [en, ja]", "e/a.md": head + "---\n", "e/a.en.md": head + "---\n"}, `the path "a" is taken in the language "en"`},
		"in several environments":   {map[string]string{"e/a.md": head + "---\n", "f/a.md": head + "---\n"}, ""},
		"in another case":           {map[string]string{"e/a.md": head + "---\n", "e/A.md": head + "path: A\n---\n"}, ""},
		"Markdown and YAML":         {map[string]string{"e/_environment.yaml": "sources: [{files: '*.md'}, {files: '*.yaml', id: {from: k}}]", "e/a.md": head + "---\n", "e/a.yaml": "k: 1\ndate: 2024-01-02\n"}, `the path "a" is taken`},
		"a list has none":           {map[string]string{"e/_environment.yaml": "sources: [{files: '*.md'}, {files: '*.yaml', id: {from: k}}]", "e/a.md": head + "---\n", "e/a.yaml": "- {k: 1, date: 2024-01-02, path: a}\n"}, ""},
		"JSON has paths of its own": {map[string]string{"e/a.json": "[" + item("a", `,"Data":{"path":"x"}`) + "," + item("b", `,"Data":{"path":"x"}`) + "]"}, ""},
	} {
		s := newMediaSite(t, tt.files)
		_, said := s.load(Options{At: time.Now()})
		if got := strings.ReplaceAll(said, s.dir+"/", ""); tt.want == "" && strings.Contains(got, "taken") || !strings.Contains(got, strings.Split(tt.want, "CONTENT")[0]) {
			t.Errorf("%s: got %s\nwant %s", name, got, tt.want)
		}
	}
}
