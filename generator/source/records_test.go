package source

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/generator/source/documents"
	"contentedge/generator/source/items"
)

// TestRecords shows which Markdown, YAML, TOML and CSV files are content, and what is said of the others.
func TestRecords(t *testing.T) {
	const rules = "sources: [{files: posts/**}, {files: '*.yaml'}]"
	for _, tt := range []struct {
		name     string
		files    map[string]string
		paths    string
		problems string
		skipped  string
	}{
		{"Markdown is content where there is no JSON", map[string]string{"e/a.md": "", "e/b/_index.md": "", "e/b/_draft.md": "", "e/c.yaml": "", "e/d.csv": "", "e/E.MARKDOWN": ""},
			"e/E.MARKDOWN e/a.md e/b/_index.md", "",
			"e: 2 files of kinds no source reads: 1 .csv, 1 .yaml (to read the .csv files too, write this into e/_environment.yaml:\n    sources:\n      - files: \"**/*.MARKDOWN\"\n      - files: \"**/*.md\"\n      - files: \"**/*.csv\"\n        id: {from: COLUMN}\n        dates: [{created: COLUMN}])"},
		{"pages of folders in languages", map[string]string{"e/_index.ja.md": "", "e/x/_index.pt-br.md": "", "e/_index.draft.md": "", "e/_index.ja.yaml": "", "e/_other.ja.md": "", "e/.index.ja.md": ""}, "e/_index.ja.md e/x/_index.pt-br.md", "", ""},
		{"pages of folders in the languages of the settings", map[string]string{"e/_environment.yaml": "languages: [en, fil]", "e/_index.ja.md": "", "e/_index.fil.md": "", "e/a.md": ""}, "e/_index.fil.md e/a.md", "", ""},
		{"files that are no items", map[string]string{"e/a.md": "", "e/b.txt": ""}, "e/a.md", "",
			"e: 1 file of a kind no source reads: 1 .txt (Markdown files are items here, and other files come along if an item names them as its media; all others are left out)"},
		{"posts of Jekyll", map[string]string{"e/a.md": "", "e/_posts/b.md": "", "e/_posts/c.markdown": "", "e/_posts/_d.md": "", "e/f/_posts/x.png": "", "e/_drafts/y.md": ""}, "e/a.md", "",
			`e: Markdown whose file or folder has a name that begins with "_" is passed over: e/_drafts/, e/_posts/ (to read it, name it in a rule of _environment.yaml, for example files: "_drafts/**")`},
		{"posts of Jekyll by a rule", map[string]string{"e/_environment.yaml": "sources: [{files: _posts/**}, {files: notes/_d.md}]", "e/a.md": "", "e/_posts/b.md": "", "e/_posts/_c.md": "", "e/_drafts/y.md": "", "e/notes/_d.md": ""}, "e/_posts/b.md e/notes/_d.md", "", `e: Markdown whose file or folder has a name that begins with "_" is passed over: e/_drafts/; e: 1 file that no rule reads: 1 .md`},
		{"files of other programs", map[string]string{"e/a.md": "", "e/package.json": `{"name":"site"}`, "e/tsconfig.base.json": "// x\n{\"a\":1}", "e/b/blog.11tydata.json": "{}", "e/node_modules/x/y.json": "{", "e/b/package-lock.json": `[{"a":{"ContentID":1}}]`}, "e/a.md", "", ""},
		{"unless they hold items", map[string]string{"e/package.json": ` [{"name": "x", "ContentID": "a"}]`, "e/tsconfig.json": `{"Data":{`, "e/b.json": "{}"}, "e/b.json e/package.json e/tsconfig.json", "", ""},
		{"JSON that holds no items", map[string]string{"e/a.md": "", "e/blog.json": `{"layout":"post"}`, "e/x/code.json": `{"a":{"message":"b"}}`, "e/y.ndjson": `{"n":1}`, "e/z.json": "[]", "e/broken.json": `{"a": tru`}, "e/a.md", "",
			"e: JSON files that hold no items are passed over: e/blog.json, e/broken.json, e/x/code.json, e/y.ndjson, e/z.json (list them under ignore in _environment.yaml, or turn them into items with generator import json)"},
		{"JSON with rules", map[string]string{"e/_environment.yaml": rules, "e/posts/a.md": "", "e/c.yaml": "", "e/data.json": `{"a":1}`, "e/item.json": `{"Name":"a"}`}, "e/c.yaml e/item.json e/posts/a.md", "",
			"e: JSON files that hold no items are passed over: e/data.json"},
		{"JSON without Markdown is an error where it is read", map[string]string{"e/blog.json": `{"layout":"post"}`}, "e/blog.json", "", ""},
		{"ignored files, folders and links", map[string]string{"e/_environment.yaml": "ignore: [swagger, '*.tpl.md', /b.json, nothing]", "e/swagger/a.json": "{", "e/x/swagger/b.md": "", "e/a.md": "", "e/a.tpl.md": "", "e/b.json": "{", "e/c/swagger": "-> /etc"}, "e/a.md", "",
			"e/_environment.yaml:1:40: nothing matches this pattern of ignore: nothing"},
		{"links that are not content", map[string]string{"e/a.md": "", "e/logo.svg": "-> ../../art/logo.svg", "e/x/b.png": "-> gone.png", "e/c.md": "-> gone.md"}, "e/a.md", "e/c.md: this link leads nowhere",
			"e: links that lead to no file of the content folder are passed over: e/logo.svg, e/x/b.png"},
		{"a folder with the content of a site", map[string]string{"e/.obsidian/app.json": "{}", "e/a.md": ""}, "e/a.md", "", "e: this looks like an Obsidian site (generator import markdown obsidian e --env ENV reads more of the site, where the site is)"},
		{"pages beside environments", map[string]string{"README.md": "", "about.md": "", "_index.md": "", "_draft.md": "", "e/a.md": ""}, "e/a.md", "",
			"Markdown files next to the environments are not read: _index.md, about.md"},
		{"pages where environments are expected", map[string]string{"about.md": "", "b.md": ""}, "", "the content folder has no environment, but 2 Markdown files", ""},
		{"a site of Hugo", map[string]string{"hugo.toml": "", "content/a.md": "", "layouts/x.html": "", "package.json": "{}"}, "", "this looks like a Hugo site, not a folder of environments", ""},
		{"a site of Jekyll as an environment", map[string]string{"e/_config.yml": "", "e/_posts/a.md": "", "e/package.json": "{}", "f/a.md": ""}, "f/a.md", "e: this looks like a Jekyll site, not an environment", ""},
		{"a site of Astro", map[string]string{"astro.config.mjs": "", "src/content/blog/a.md": ""}, "", "this looks like an Astro site, not a folder of environments", ""},
		{"settings of a site without its content", map[string]string{"src/a.md": "", "hugo.toml": "", "_config.yml": ""}, "src/a.md", "", ""},
		{"beside JSON it is not, without rules", map[string]string{"e/a.md": "", "e/b.ndjson": ""}, "e/b.ndjson", "",
			"e: 1 file of a kind no source reads: 1 .md (to read the .md files too, write this into e/_environment.yaml:\n    sources:\n      - files: \"**/*.md\")"},
		{"saved searches are no content", map[string]string{"e/a.md": "", "e/_searches/b.json": "{}", "e/_searches/c.md": ""}, "e/a.md", "", "e: 1 file of a kind no source reads: 1 .md"},
		{"each environment by itself", map[string]string{"e/a.md": "", "f/b.json": ""}, "e/a.md f/b.json", "", ""},
		{"rules say what else is content", map[string]string{"e/_environment.yaml": rules, "e/posts/a.md": "", "e/posts/b.csv": "", "e/c.yaml": "", "e/d.md": "", "e/e.json": ""},
			"e/c.yaml e/e.json e/posts/a.md e/posts/b.csv", "", "e: 1 file that no rule reads: 1 .md (.json, .ndjson and .jsonl files are read, and the files of the rules in e/_environment.yaml)"},
		{"a rule without a file is mentioned", map[string]string{"e/_environment.yaml": rules, "e/posts/a.md": ""}, "e/posts/a.md", "", "e/_environment.yaml:1:30: no file matches this rule: *.yaml"},
		{"settings without rules change nothing", map[string]string{"e/_environment.yaml": "timezone: Europe/Berlin", "e/a.md": ""}, "e/a.md", "", ""},
		{"wrong settings have places", map[string]string{"e/_environment.yaml": "timezone: x\nsource: []\n", "e/a.md": "", "e/b.json": ""}, "e/b.json",
			`e/_environment.yaml:1:11: timezone is "x", which is not a time zone; e/_environment.yaml:2:1: the key "source" is not known here`, ""},
		{"settings of other names", map[string]string{"e/_environment.yml": "", "e/_Environment.json": "", "e/a.md": ""}, "e/a.md",
			"e/_Environment.json: the settings of an environment are not read from a file of this name; e/_environment.yml: the settings of an environment are not read from a file of this name", ""},
		{"settings of other folders", map[string]string{"_environment.yaml": "", "e/f/_environment.yaml": "", "e/a.md": ""}, "e/a.md",
			"_environment.yaml: the settings of an environment have no effect here; e/f/_environment.yaml: the settings of an environment have no effect here", ""},
		{"settings may be a link", map[string]string{"e/_environment.yaml": "-> ../shared.yaml", "shared.yaml": "sources: [{files: b.md}]", "e/a.md": "", "e/b.md": ""}, "e/b.md", "", "e: 1 file that no rule reads: 1 .md"},
		{"but not out of the content", map[string]string{"e/_environment.yaml": "-> /etc/passwd", "e/a.md": ""}, "", "e/_environment.yaml: this link leaves the content folder", ""},
		{"a folder is no settings", map[string]string{"e/_environment.yaml/a.md": "", "e/b.json": ""}, "e/b.json", "e/_environment.yaml: the settings of an environment are a file", ""},
		{"large settings are refused", map[string]string{"e/_environment.yaml": strings.Repeat("#", 1<<20+1)}, "", "e/_environment.yaml: this file has 1048577 bytes; a .yaml file may have 1048576", ""},
		{"Markdown files may be links", map[string]string{"e/a.md": "-> ../f/b.md", "f/b.md": "", "e/c.md": "-> /etc/passwd"}, "e/a.md f/b.md", "e/c.md: this link leaves the content folder", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, tt.files)
			tree, err := List(context.Background(), dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			var paths, skipped []string
			for _, f := range tree.Files {
				paths = append(paths, f.Path)
			}
			said := func(p Problem) string {
				return strings.TrimPrefix(strings.ReplaceAll(p.Error(), dir+"/", ""), dir+": ")
			}
			var problems []string
			for _, p := range tree.Problems {
				problems = append(problems, said(p))
			}
			for _, p := range tree.Skipped {
				text := said(p)
				if strings.Contains(tt.skipped, " (") {
					text += " (" + strings.ReplaceAll(p.Hint, dir+"/", "") + ")"
				}
				skipped = append(skipped, text)
			}
			if got := strings.Join(paths, " "); got != tt.paths {
				t.Errorf("paths %s\nwant %s", got, tt.paths)
			}
			if got := strings.Join(problems, "; "); got != tt.problems {
				t.Errorf("problems %s\nwant %s", got, tt.problems)
			}
			if got := strings.Join(skipped, "; "); got != tt.skipped {
				t.Errorf("skipped %s\nwant %s", got, tt.skipped)
			}
		})
	}
}

// TestReferences: a value names an item of a folder, of any format, by id or slug.
func TestReferences(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{
		"e/_environment.yaml": "sources:\n- {files: 'people/*.yaml', id: {from: key}}\n- {files: '*.yaml', id: {from: code}}\n- files: '**'\n",
		"e/people/jane.md":    "---\nslug: jd\n---\n", "e/people/2024-01-02-bob.md": "", "e/people/list.yaml": "- {key: k1, slug: s1}\n- {key: k2}\n",
		"e/people/json.json": `{"ContentID":"json-id","Data":{"slug":"json-slug"}}`, "e/people/lines.ndjson": `{"ContentID":"line-id"}`,
		"e/people/twin/a.md": "---\nslug: twin\n---\n", "e/people/twin/b.md": "---\nslug: twin\n---\n", "e/people/broken.md": "---\n: [\n",
		"e/rooms.yaml": "- {code: A}\n- {code: B}\n", "e/other/x.md": "",
	})
	folder := NewFolder(dir)
	var tree *Tree
	ask := func(folder, value string) string {
		answer, err := tree.Answer(context.Background(), documents.Question{Kind: items.ReferenceQuestion, Env: "e", Key: items.ReferenceKey(folder, "", value)})
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(answer, dir, "")
	}
	list := func() {
		t.Helper()
		var err error
		if tree, err = folder.List(context.Background(), nil); err != nil || len(tree.Problems) > 0 {
			t.Fatal(tree, err)
		}
	}
	list()
	for _, tt := range []struct {
		folder, value string
		found         bool
	}{
		{"people", "jd", true}, {"people", "jane", false}, {"people", "bob", true}, {"people", "k1", true}, {"people", "s1", true}, {"people", "k2", true},
		{"people", "json-id", true}, {"people", "json-slug", true}, {"people", "line-id", true}, {"people", "x", false}, {"people", "list", false}, {"people", "", false},
		{"rooms", "A", true}, {"rooms", "C", false}, {"room", "A", false}, {"other", "x", true}, {"other", ask("other", "x"), true}, {"nothing", "x", false},
	} {
		if got := ask(tt.folder, tt.value); (got != "") != tt.found || strings.HasPrefix(got, items.Several) {
			t.Errorf("%s of %s is %q", tt.value, tt.folder, got)
		}
	}
	if got, want := ask("people", "twin"), items.Several+"/e/people/twin/a.md, /e/people/twin/b.md"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if ask("people", "jd") != ask("people", ask("people", "jd")) {
		t.Error("an id leads to another item than its slug")
	}
	put(t, dir, map[string]string{"e/people/jane.md": "---\nslug: other\n---\n"})
	if err := os.Remove(filepath.Join(dir, "e/people/twin/b.md")); err != nil {
		t.Fatal(err)
	}
	list()
	if ask("people", "jd") != "" || ask("people", "other") == "" || strings.HasPrefix(ask("people", "twin"), items.Several) {
		t.Error("a change is not noticed")
	}
}
