package items

import (
	"strings"
	"testing"

	"contentedge/generator/source/documents"
	"contentedge/generator/source/environment"
)

// readIn reads the item of a file of an environment with settings and languages. pages are the Targets of links by
// language and path.
func readIn(t *testing.T, settings, path, text string, among []string, pages map[string]documents.Target) *recorder {
	t.Helper()
	s, faults := environment.Parse([]byte(settings))
	if s == nil {
		t.Fatal(settings, faults)
	}
	rules := Rules{Settings: s, Rule: s.DefaultRule(), Languages: among}
	if len(s.Rules) > 0 {
		rules.Rule = &s.Rules[0]
	}
	r := &recorder{reader: FormatOf(path).NewReader(rules)}
	r.reader.Load(documents.Input{Text: []byte(text), Env: "site", Path: path, Ask: func(q documents.Question) string {
		if q.Kind != documents.LinkQuestion || q.Env != "site" || q.Path != "" {
			return ""
		}
		return pages[strings.ReplaceAll(q.Key, "\n", " ")].Answer()
	}})
	r.reader.Documents(r)
	return r
}

// TestPaths: an item of a file has the path and the language of the file, unless the file says others.
func TestPaths(t *testing.T) {
	const head = "---\ndate: 2024-01-02\n"
	const twice = "languages: [en, ja]"
	for name, tt := range map[string]struct{ settings, path, text, wantPath, wantLanguage, slug, said string }{
		"a file":                         {"", "docs/a b/C.md", head + "---\n", `"docs/a b/C"`, "", `"c"`, ""},
		"the page of a folder":           {"", "docs/v1/index.md", head + "---\n", `"docs/v1"`, "", `"v1"`, ""},
		"with an underscore":             {"", "docs/_index.mdx", head + "---\n", `"docs"`, "", `"docs"`, ""},
		"the page of the environment":    {"", "index.md", head + "---\n", `""`, "", `"index"`, ""},
		"a translation":                  {"", "docs/a.ja.md", head + "---\n", `"docs/a"`, `"ja"`, `"a"`, ""},
		"a translation of a folder":      {"", "docs/_index.ja.md", head + "---\n", `"docs"`, `"ja"`, `"docs"`, ""},
		"another word":                   {"", "docs/a.fr.md", head + "---\n", `"docs/a.fr"`, "", `"a.fr"`, ""},
		"a dated translation":            {"sources: [{dates: [name]}]", "2024-01-02-a.ja.md", "", `"2024-01-02-a"`, `"ja"`, `"a"`, ""},
		"the default language":           {twice, "a.md", head + "---\n", `"a"`, `"en"`, `"a"`, ""},
		"a language of the file":         {twice, "a.ja.md", head + "language: fr\n---\n", `"a"`, `"fr"`, `"a"`, ""},
		"a lang of the file":             {twice, "a.ja.md", head + "lang: fr\n---\n", `"a"`, `"fr"`, `"a"`, ""},
		"a lang that may be anything":    {"", "a.md", head + "lang: go\n---\n", `"a"`, "", `"a"`, ""},
		"a path of the file":             {"", "a.md", head + "path: x/y\n---\n", `"x/y"`, "", `"a"`, `3:7? the path "x/y" of the item differs from the path of its file`},
		"the same path with slashes":     {"", "docs/a.md", head + "path: /docs/a/\n---\n", `"/docs/a/"`, "", `"a"`, ""},
		"the root":                       {"", "docs/a.md", head + "path: /\n---\n", `"/"`, "", `"a"`, `the path "/" of the item`},
		"an empty path":                  {"", "docs/a.md", head + "path: ' '\n---\n", `"docs/a"`, "", `"a"`, ""},
		"a path without a value":         {"", "docs/a.md", head + "path:\n---\n", `"docs/a"`, "", `"a"`, ""},
		"a path in Data":                 {"", "docs/a.md", head + "Data: {path: z}\n---\n", `"z"`, "", `"a"`, `the path "z" of the item`},
		"an empty path in Data":          {"", "docs/a.md", head + "Data: {path: null}\n---\n", `"docs/a"`, "", `"a"`, ""},
		"a path that is not a text":      {"", "docs/a.md", head + "path: [1]\n---\n", `[1]`, "", `"a"`, ""},
		"YAML":                           {"", "docs/a.ja.yaml", "date: 2024-01-02\n", `"docs/a.ja"`, "", `"a.ja"`, ""},
		"TOML":                           {twice, "docs/index.toml", "date = 2024-01-02\n", `"docs"`, "", `"docs"`, ""},
		"a list":                         {"sources: [{id: {from: c}}]", "docs/a.yaml", "- {c: x, date: 2024-01-02}\n", "", "", "", ""},
		"a list with paths of its own":   {"sources: [{id: {from: c}}]", "docs/a.yaml", "- {c: x, path: null, date: 2024-01-02}\n", "null", "", "", ""},
		"a folder named like a language": {"", "docs.ja/a.md", head + "---\n", `"docs.ja/a"`, "", `"a"`, ""},
		"a file that is only a language": {"", "ja.md", head + "---\n", `"ja"`, "", `"ja"`, ""},
		"a folder of a long, odd name":   {"", strings.Repeat("ü%?#/", 300) + "a.md", head + "---\n", `"` + strings.Repeat("ü%?#/", 300) + `a"`, "", `"a"`, ""},
	} {
		r := readIn(t, tt.settings, tt.path, tt.text, []string{"ja", "pt-br"}, nil)
		if len(r.items) != 1 {
			t.Errorf("%s: no item: %s", name, r.said)
			continue
		}
		got := [3]string{field(r.items[0], PathMember), field(r.items[0], LanguageMember), field(r.items[0], SlugMember)}
		if got != [3]string{tt.wantPath, tt.wantLanguage, tt.slug} {
			t.Errorf("%s: got %q\nof %s", name, got, r.items[0])
		}
		if said := strings.Join(r.said, "\n"); !strings.Contains(said, strings.TrimPrefix(tt.said, "3:7? ")) || (said == "") != (tt.said == "") {
			t.Errorf("%s: said %s", name, said)
		}
	}
}

// TestTranslationsDiffer: translations have ids of their own, and the page of a folder has that of another file of its path.
func TestTranslationsDiffer(t *testing.T) {
	for _, settings := range []string{"", "sources: [{id: {from: slug}}]", "sources: [{id: {from: code}}]"} {
		ids := map[string]string{}
		for _, path := range []string{"docs/a.md", "docs/a.ja.md", "docs/a.pt-br.md"} {
			r := readIn(t, settings, path, "---\ndate: 2024-01-02\ncode: x\n---\n", []string{"ja", "pt-br"}, nil)
			id := field(r.items[0], "ContentID")
			if other := ids[id]; other != "" {
				t.Errorf("%s: %s and %s have one id", settings, other, path)
			}
			ids[id] = path
		}
	}
}

// TestLinks: which links of a text lead to items, and what becomes of them.
func TestLinks(t *testing.T) {
	page := documents.Target{ID: "C", Path: "docs/v2/Größe & x", Slug: "s", Language: "ja", Template: "T"}
	const to = `"/docs/v2/Gr%C3%B6%C3%9Fe%20%26%20x/`
	pages := map[string]documents.Target{
		" docs/v2/p.md": page, " docs/v2/p": page, " docs/v2/": page, " docs/v1/a b.md": page, " ./": {ID: "R"}, " docs/v1/d.md": {ID: "D", Path: "secret", Hidden: true},
	}
	for link, want := range map[string]string{
		"../v2/p.md":             `<a href=` + to + `" data-content-id="C">`,
		"../v2/p.md#a?b":         `<a href=` + to + `#a?b" data-content-id="C">`,
		"../v2/p.md?q=1#a":       `<a href=` + to + `?q=1#a" data-content-id="C">`,
		"../v2/p":                `<a href=` + to + `" data-content-id="C">`,
		"../v2/":                 `<a href=` + to + `" data-content-id="C">`,
		"./../v2/./p.md":         `<a href=` + to + `" data-content-id="C">`,
		"a%20b.md":               `<a href=` + to + `" data-content-id="C">`,
		"<a b.md>":               `<a href=` + to + `" data-content-id="C">`,
		"/docs/v2/p.md":          `<a href=` + to + `" data-content-id="C">`,
		"/docs/v2/p":             `<a href="/docs/v2/p">`,
		"/docs/gone.md":          `<a href="/docs/gone.md">`,
		"../../":                 `<a href="/" data-content-id="R">`,
		"d.md":                   ``,
		"./d.md#x":               ``,
		"gone":                   `<a href="gone">`,
		"#a":                     `<a href="#a">`,
		"?a":                     `<a href="?a">`,
		"//x.example/a.md":       `<a href="//x.example/a.md">`,
		"https://x.example/a.md": `<a href="https://x.example/a.md">`,
		"mailto:a.md":            `<a href="mailto:a.md">`,
		"javascript:a.md":        `<a href="">`,
	} {
		r := readIn(t, "links: /{path}/", "docs/v1/a.md", "---\ndate: 2024-01-02\n---\n[x]("+link+")", nil, pages)
		html := strings.ReplaceAll(field(r.items[0], "html"), `\`, "")
		wantSaid := want == ""
		want = "<p>" + want + "x"
		if !wantSaid {
			want += "</a>"
		}
		if !strings.HasPrefix(html, `"`+want) || (len(r.said) > 0) != wantSaid {
			t.Errorf("%s\n got %s %s\nwant %s", link, html, r.said, want)
		}
	}
}

// TestBrokenLinks: a Markdown file that is not an item is reported once, at its place.
func TestBrokenLinks(t *testing.T) {
	pages := map[string]documents.Target{" d.md": {ID: "D", Hidden: true}, "ja a.md": {ID: "J", Language: "ja"}}
	text := "---\ndate: 2024-01-02\n---\n[x](gone.md) [x](gone.md) [y](../out.mdx) [z](d.md#1) ![i](gone.md)\n\n[w][r]\n\n[r]: Gone.MARKDOWN\n" + strings.Repeat("[r] ", 1000)
	r := readIn(t, "", "a.md", text, nil, pages)
	want := "4:5 link: gone.md {     false}\n4:31 link: ../out.mdx {     false}\n4:47 link: d.md#1 {D     true}\n6:1 link: Gone.MARKDOWN {     false}"
	if got := strings.Join(r.said, "\n"); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	r = readIn(t, "", "b.ja.md", "---\ndate: 2024-01-02\n---\n[x](a.md)", []string{"ja"}, pages)
	if html := field(r.items[0], "html"); !strings.Contains(html, `href=\"a.md\" data-content-id=\"J\"`) {
		t.Error(html)
	}
}
