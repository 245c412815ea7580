package environment

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"contentedge/generator/source/documents"
	"contentedge/generator/source/markdown"
	"contentedge/generator/source/record"
)

// faultsOf parses settings and returns the faults, a line each: line:column: message (hint).
func faultsOf(text string) string {
	_, faults := Parse([]byte(text))
	var b strings.Builder
	for _, f := range faults {
		fmt.Fprintf(&b, "%d:%d: %s", f.Line, f.Col, f.Message)
		if f.Hint != "" {
			fmt.Fprintf(&b, " (%s)", f.Hint)
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

const whole = `timezone: Europe/Berlin
people: {created: Web team}
sources:
  - files: posts/**
    template: Article
    id: {from: slug}
    name: {from: title}
    dates: [front matter, name, git]
    status: {from: draft, "true": Draft, else: Published}
    people: {created: author}
    body: {text: body, html: html}
    references: {author: people}
  - files: data/events.csv
    template: {from: type}
    dates: [{created: starts_on}, file]
    body: {html: false}
    types: {price: number}
    lists: {tags: "|"}
    group: sku
  - files: "**"
include: {Article: [Data.author, Data.section], Page: 2, Landing: {paths: [Data.blocks], levels: 3}}
used-in: [Tag, Person]
search: {exclude: [Data.body.content], include: [Data.html, Data.body.content.text]}
`

// TestEnvironment shows what _environment.yaml may say.
func TestEnvironment(t *testing.T) {
	s, faults := Parse([]byte(whole))
	if len(faults) > 0 {
		t.Fatal(faultsOf(whole))
	}
	article, event, rest := &s.Rules[0], &s.Rules[1], &s.Rules[2]
	for _, tt := range []struct {
		name      string
		got, want any
	}{
		{"dates without a zone are of a time zone", s.Timezone.String(), "Europe/Berlin"},
		{"people of items without others", s.People, People{Created: "Web team"}},
		{"the first rule that matches a file is the file's", []*Rule{s.RuleOf("posts/2024/a.md"), s.RuleOf("data/events.csv"), s.RuleOf("about.md")}, []*Rule{article, event, rest}},
		{"a template is a name, or comes from a member", []Template{article.Template, event.Template}, []Template{{Name: "Article"}, {From: "type"}}},
		{"ids and names come from members", []string{article.ID, article.Name, event.ID}, []string{"slug", "title", ""}},
		{"dates come from several sources", event.Dates, []DateSource{{DateMembers, People{Created: "starts_on"}}, {Kind: DateFile}}},
		{"by default from three", rest.Dates, article.Dates},
		{"a status depends on a member", article.Status, Status{From: "draft", Table: map[string]string{"true": "Draft"}, Else: "Published", Place: record.Place{Line: 9, Col: 13}}},
		{"people of a rule are members", article.People, People{Created: "author"}},
		{"the text and its HTML have names", []Body{article.Body, event.Body}, []Body{{"body", "html"}, {"body", ""}}},
		{"references lead to folders", article.References, []Reference{{"author", "people"}}},
		{"columns of CSV have types and separators", [][]Column{event.Types, event.Lists}, [][]Column{{{"price", "number"}}, {{"tags", "|"}}}},
		{"rows of CSV become one item by a column", event.Group, "sku"},
		{"references whose items are included, all of them or some, and how far", s.Include, []Include{
			{"Article", []Path{{"Data.author", record.Place{Line: 21, Col: 21}}, {"Data.section", record.Place{Line: 21, Col: 34}}}, 1, record.Place{Line: 21, Col: 11}},
			{"Page", nil, 2, record.Place{Line: 21, Col: 49}},
			{"Landing", []Path{{"Data.blocks", record.Place{Line: 21, Col: 76}}}, 3, record.Place{Line: 21, Col: 58}},
		}},
		{"items that have a list of those that refer to them", s.UsedIn, UsedIn{Templates: []Path{{"Tag", record.Place{Line: 22, Col: 11}}, {"Person", record.Place{Line: 22, Col: 16}}}}},
		{"paths that searches do not see", s.Search.Exclude, []Path{{"Data.body.content", record.Place{Line: 23, Col: 20}}}},
		{"the HTML of Markdown is found only where search includes it", fmt.Sprint(s.LeftOut([]string{"Data.html"}), Default().LeftOut([]string{"Data.html"})), "Data.body.content; except Data.body.content.text Data.html"},
		{"but below them", s.Search.Include[1].Text, "Data.body.content.text"},
	} {
		if got, want := fmt.Sprintf("%+v", tt.got), fmt.Sprintf("%+v", tt.want); got != want {
			t.Errorf("%s: got %s, want %s", tt.name, got, want)
		}
	}
	if s, faults := Parse([]byte("# nothing yet\n")); len(faults) > 0 || s.Timezone != time.UTC || len(s.Rules) > 0 {
		t.Error("an empty file has no settings", s, faults)
	}
}

// TestHTML: what becomes of HTML is a setting that all rules depend on.
func TestHTML(t *testing.T) {
	keys := map[string]bool{}
	for text, want := range map[string]markdown.RawHTML{"timezone: UTC": "safe", "html: escape": "escape", "html: raw": "raw"} {
		s, faults := Parse([]byte(text + "\nsources: [{files: '*.md'}]\n"))
		if len(faults) > 0 || s.HTML != want {
			t.Errorf("%s: %v %v", text, s, faults)
			continue
		}
		keys[s.Rules[0].Key], keys[s.DefaultRule().Key] = true, true
	}
	if len(keys) != 6 {
		t.Errorf("%d different keys of three settings with a rule, and without", len(keys))
	}
}

// TestFaults: every fault has its place, and all of them are found in one run.
func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"sorces: []\ntimezone: Berlin\n": `1:1: the key "sorces" is not known here (did you mean sources? known are timezone, people, html, sources, ignore, languages, links, include, used-in, search)` + "\n" +
			`2:11: timezone is "Berlin", which is not a time zone (write a name of the IANA database, for example Europe/Berlin or UTC)`,
		"timezone: Local":                                 `1:11: timezone is "Local", which is not a time zone (write a name of the IANA database, for example Europe/Berlin or UTC)`,
		"html: sanitize":                                  `1:7: html is "sanitize", which is not known (known are safe, escape, raw)`,
		"sources: []":                                     "1:10: sources is empty (leave it out, or give it entries)",
		"sources: [{}]":                                   "1:11: a rule is empty (leave it out, or give it members)",
		"sources: {}":                                     "1:10: sources must be a list, not an object",
		"sources: [posts/**]":                             "1:11: a rule must be a mapping, not a string",
		"people: {created: 1}":                            "1:19: created must be a text, not a number",
		"people: {author: A}":                             `1:10: the key "author" is not known here (known are created, updated, published)`,
		"sources:\n- file: a.md\n  body: 1":               `2:3: the key "file" is not known here (did you mean files? known are files, template, id, name, dates, status, people, body, references, types, lists, group)` + "\n3:9: body must be a mapping, not a number",
		"sources: [{files: posts}]":                       `1:19: the pattern matches only files named "posts", which rules do not read (for the files of a folder write posts/**; rules take .md, .markdown, .mdx, .yaml, .yml, .toml, .csv files)`,
		"sources: [{files: a.json}]":                      `1:19: the pattern matches only files named "a.json", which rules do not read (for the files of a folder write a.json/**; rules take .md, .markdown, .mdx, .yaml, .yml, .toml, .csv files)`,
		"sources: [{files: .drafts/**}]":                  `1:19: no file is read below ".drafts" (names that begin with "." are passed over: rename the folder or the file)`,
		"ignore: []":                                      "1:9: ignore is empty (leave it out, or give it entries)",
		"ignore: notes":                                   "1:9: ignore must be a list, not a string",
		"ignore: [a, a]":                                  `1:13: "a" is given twice`,
		"ignore: ['**']":                                  "1:10: the pattern ** ignores the whole environment (remove the folder of the environment instead)",
		"ignore: [/]":                                     `1:10: the pattern is empty (write "**" for all files, or leave files out)`,
		"ignore: [a/../b]":                                "1:10: the pattern a/../b is not a path below the environment (write it without / at the beginning, without // and without dots as names, for example posts/**)",
		"ignore: ['!a.md']":                               "1:10: a pattern cannot exclude files (list the files that are not content under ignore)",
		"sources: [{files: /posts/**}]":                   "1:19: the pattern /posts/** is not a path below the environment (write it without / at the beginning, without // and without dots as names, for example posts/**)",
		"sources: [{files: posts/}]":                      "1:19: a pattern matches files, not folders (write posts/**)",
		`sources: [{files: "!a.md"}]`:                     "1:19: a pattern cannot exclude files (list the files that are not content under ignore)",
		`sources: [{files: 'a\*.md'}]`:                    `1:19: a pattern has no \ (write / between folders)`,
		`sources: [{files: "{a,b.md"}]`:                   "1:19: a } is missing in this pattern (a pattern has *, **, ? and {a,b})",
		`sources: [{files: "{a,{b,c}}.md"}]`:              "1:19: the braces of this pattern do not close one after the other (a pattern has *, **, ? and {a,b})",
		`sources: [{files: "a**.md"}]`:                    "1:19: ** stands for whole folders: a / is missing next to it (a pattern has *, **, ? and {a,b})",
		"sources:\n- {files: a/**}\n- files: a/b/*.md":    "3:3: no file can match this rule: the rule in line 2 takes all files of a/b/*.md (the first rule that matches wins: move this one before it, or remove it)",
		"sources:\n- template: A\n- {files: a.md}":        "3:3: no file can match this rule: the rule in line 2 takes all files of a.md (the first rule that matches wins: move this one before it, or remove it)",
		"sources: [{id: slug}]":                           "1:16: id must be a mapping, not a text (to take it from a member, write {from: slug})",
		"sources: [{id: {form: slug}}]":                   `1:17: the key "form" is not known here (did you mean from? known are from)`,
		"sources: [{dates: []}]":                          "1:19: dates is empty (leave it out, or give it entries)",
		"sources: [{dates: git}]":                         "1:19: dates must be a list, not a string",
		"sources: [{dates: [frontmatter]}]":               `1:20: a source of dates is "frontmatter", which is not known (did you mean front matter? known are front matter, name, git, file)`,
		"sources: [{dates: [file, git]}]":                 "1:19: no source of dates is asked after file: every file has one (write file last)",
		"sources: [{status: {'true': Draft}}]":            `1:20: status has no from (name the member, for example {from: draft, "true": Draft, else: Published})`,
		"sources: [{body: {html: true}}]":                 "1:25: html must be a text, not a boolean",
		"sources: [{body: {html: body}}]":                 `1:18: the text and its HTML cannot both be the member "body" (give them two names, or write html: false)`,
		"sources: [{references: {a: ../b}}]":              `1:28: "../b" is not a folder below the environment (write the folder of the items, for example people, or a file of items without its extension)`,
		"sources: [{types: {a: float}}]":                  `1:23: the type of "a" is "float", which is not known (known are text, number, boolean)`,
		`sources: [{lists: {a: ""}}]`:                     `1:23: the separator of "a" is empty (write what stands between the values, for example "|")`,
		"include: {A: [author]}":                          `1:15: "author" is not a path in an item's Data (write the keys that lead to the reference, joined by dots, for example Data.author)`,
		"include: {A: 4}":                                 `1:14: include is "4"; it must be a list of paths, or the levels of references from 1 to 3 (1 includes the items that an item refers to, 2 also the items that the included ones refer to; [Data.author] follows that reference only)`,
		"include: {A: {level: 2}}":                        `1:15: the key "level" is not known here (did you mean levels? known are paths, levels)`,
		"include: {A: {paths: [Data.a, Data.a]}}":         `1:31: "Data.a" is given twice`,
		"used-in: [A, A]":                                 `1:14: "A" is given twice`,
		"used-in: Person":                                 `1:10: used-in must be a list, not a string`,
		"search: {exclude: [Data.a, Data.a]}":             `1:28: "Data.a" is given twice`,
		"search: {include: [Data.a]}":                     `1:20: search: nothing leaves out "Data.a" (an include is an exception below an excluded path; remove it, or exclude a path above)`,
		"search: {exclude: [Data.a], include: [Data.a]}":  `1:20: search: "Data.a" is in both lists (remove it from one list)`,
		"search: {exclude: [Data.ab], include: [Data.a]}": `1:40: search: nothing leaves out "Data.a" (an include is an exception below an excluded path; remove it, or exclude a path above)`,
		"search: {exclude: [Data.a, Name]}":               `1:28: search: "Name" cannot be left out (lists and searches need Name; paths of Data and members of your own can be left out)`,
		"search: {exclude: []}":                           "1:19: exclude is empty (leave it out, or give it entries)",
		"languages: en":                                   "1:12: languages must be a list, not a string",
		"languages: []":                                   "1:12: languages is empty (leave it out, or give it entries)",
		"languages: [en, e n, en, '../x']":                `1:17: the language "e n" is not a code (write codes such as en, pt-BR or zh-Hans)` + "\n" + `1:22: the language "en" is given twice (remove one of the two)` + "\n" + `1:26: the language "../x" is not a code (write codes such as en, pt-BR or zh-Hans)`,
		"links: [x]":                                      "1:8: links must be a text, not an array",
		"links: '{path}/'":                                `1:8: links is "{path}/", which is not an address (begin it with / or https://, for example links: /{path}/)`,
		"links: //x/{path}":                               `1:8: links is "//x/{path}", which is not an address (begin it with / or https://, for example links: /{path}/)`,
		"links: 'javascript:{path}'":                      `1:8: links is "javascript:{path}", which is not an address (begin it with / or https://, for example links: /{path}/)`,
		"links: /{pth}/":                                  `1:8: links has the placeholder "{pth}", which is not known (did you mean path? known are path, slug, language, id, template)`,
		"links: /{language}/":                             `1:8: links is "/{language}/", which is the same for many items (add {path}, {slug} or {id}, for example links: /{path}/)`,
		"links: '/{path'":                                 `1:8: links is "/{path", whose braces do not close (write a placeholder as {path})`,
		"links: '/path}{id}'":                             `1:8: links is "/path}{id}", whose braces do not close (write a placeholder as {path})`,
		"links: '/{{path}}'":                              `1:8: links is "/{{path}}", whose braces do not close (write a placeholder as {path})`,
		"links: '/{}{path}'":                              `1:8: links is "/{}{path}", whose braces do not close (write a placeholder as {path})`,
		"links: '/ {path}'":                               `1:8: links is "/ {path}", which has a character that no address has (escape it with %)`,
		"links: '/" + strings.Repeat("a", 2000) + "'":     "1:8: links has 2001 bytes; it may have 1000",
		"people: {created: ' '}":                          "1:19: created is empty (leave it out, or give it a value)",
	} {
		if got := faultsOf(text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

// TestAddress: a pattern gives addresses without empty folders, and nothing in a value breaks them.
func TestAddress(t *testing.T) {
	root := documents.Target{ID: "Content_1"}
	page := documents.Target{ID: "Content_2", Path: "docs/a b/ü?#%&+\"<", Slug: "s/t", Language: "ja", Template: "T"}
	const escaped = "docs/a%20b/%C3%BC%3F%23%25%26%2B%22%3C"
	for pattern, want := range map[string][2]string{
		"/{path}/":                           {"/", "/" + escaped + "/"},
		"/{path}":                            {"/", "/" + escaped},
		"/{path}.html":                       {"/index.html", "/" + escaped + ".html"},
		"/{language}/{path}/":                {"/", "/ja/" + escaped + "/"},
		"https://x.example/{language}{path}": {"https://x.example/", "https://x.example/ja" + escaped},
		"/docs/{path}/{language}/":           {"/docs/", "/docs/" + escaped + "/ja/"},
		"/{template}/{slug}?id={id}":         {"/?id=Content_1", "/T/s/t?id=Content_2"},
		"/{id}":                              {"/Content_1", "/Content_2"},
	} {
		s, faults := Parse([]byte("links: '" + pattern + "'"))
		if s == nil {
			t.Fatal(pattern, faults)
		}
		if got := [2]string{s.Links.Address(root), s.Links.Address(page)}; got != want {
			t.Errorf("%s: got %q", pattern, got)
		}
	}
	if got := Default().Links.Address(page); got != "" {
		t.Error(got)
	}
}

// TestKeys: settings that items depend on are in the keys of all rules.
func TestKeys(t *testing.T) {
	seen := map[string]string{}
	for _, text := range []string{"", "timezone: Europe/Berlin", "people: {created: A}", "languages: [en]", "languages: [en, ja]", "languages: [ja, en]", "links: /{path}/", "links: /{id}/"} {
		for _, rules := range []string{"", "\nsources: [{template: T}]"} {
			s, faults := Parse([]byte(text + rules))
			if s == nil {
				t.Fatal(text, faults)
			}
			key := s.DefaultRule().Key
			if rules != "" {
				key = s.Rules[0].Key
			}
			if other, ok := seen[key]; ok {
				t.Errorf("%q and %q have one key", text+rules, other)
			}
			seen[key] = text + rules
		}
	}
}

// TestGlob shows what patterns match.
func TestGlob(t *testing.T) {
	for _, tt := range []struct{ pattern, yes, no string }{
		{"**", "a.md a/b.md a/b/c.csv", ""},
		{"*.md", "a.md .md", "a/b.md a.mdxx"},
		{"**/*.md", "a.md a/b.md a/b/c.md", "a.csv"},
		{"posts/**", "posts/a.md posts/b/c.md", "posts.md a/posts/b.md postsx/a.md"},
		{"posts/*", "posts/a.md", "posts/b/c.md"},
		{"a/**/z.md", "a/z.md a/b/z.md a/b/c/z.md", "a/bz.md z.md"},
		{"a?.md", "ab.md aü.md", "a.md abc.md a/.md"},
		{"{a,bc}/*.{md,csv}", "a/x.md bc/y.csv", "b/x.md a/x.toml"},
		{"data/events.csv", "data/events.csv", "data/events.csv.csv data/Events.csv data/eventsxcsv"},
		{"[slug]/$(x)+.md", "[slug]/$(x)+.md", "s/x.md"},
	} {
		g, err := parseGlob(tt.pattern, Endings)
		if err != nil {
			t.Fatal(tt.pattern, err)
		}
		for _, path := range strings.Fields(tt.yes) {
			if !g.Match(path) {
				t.Errorf("%s does not match %s", tt.pattern, path)
			}
		}
		for _, path := range strings.Fields(tt.no) {
			if g.Match(path) {
				t.Errorf("%s matches %s", tt.pattern, path)
			}
		}
	}
}

// TestIgnore shows what patterns of ignore match: paths of files and of folders.
func TestIgnore(t *testing.T) {
	for _, tt := range []struct{ pattern, yes, no string }{
		{"package.json", "package.json a/b/package.json", "package.jsonx a/xpackage.json"},
		{"/notes", "notes", "a/notes"},
		{"notes/", "notes a/notes", "notes.md"},
		{"docs/api", "docs/api", "api a/docs/api docs/api2"},
		{"docs/**", "docs/a docs/a/b.md", "docs"},
		{"**/test/*.json", "test/a.json x/test/a.json", "test/a/b.json"},
		{"{a,b}.toml", "a.toml x/b.toml", "c.toml"},
		{"_data", "_data x/_data", "data"},
		{".vitepress/dist", ".vitepress/dist", "dist"},
	} {
		s, faults := Parse([]byte("ignore: ['" + tt.pattern + "']"))
		if len(faults) > 0 {
			t.Fatal(tt.pattern, faults)
		}
		for _, path := range strings.Fields(tt.yes) {
			if s.Ignoring(path) != 0 {
				t.Errorf("%s does not match %s", tt.pattern, path)
			}
		}
		for _, path := range strings.Fields(tt.no) {
			if s.Ignoring(path) != -1 {
				t.Errorf("%s matches %s", tt.pattern, path)
			}
		}
	}
}

// TestHostile: nothing makes reading settings or matching paths slow, or reports without end.
func TestHostile(t *testing.T) {
	rules := "sources:\n" + strings.Repeat("- {files: 'a/*', dates: []}\n", 10_000)
	long := strings.Repeat("k", 1<<20-10)
	for name, text := range map[string]string{
		"10,000 rules":     rules,
		"a key of 1 MB":    long + ": 1",
		"a value of 1 MB":  "timezone: " + long,
		"a file of 2 MB":   strings.Repeat("#", 2<<20),
		"deep brackets":    strings.Repeat("[", 100_000),
		"a long pattern":   "sources: [{files: '" + strings.Repeat("*a", 600) + ".md'}]",
		"a bomb":           "a: &a [1,1,1,1,1,1,1,1,1,1]\n" + "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]",
		"10,000 bad paths": "search: {exclude: [" + strings.Repeat("x,", 10_000) + "x]}",
	} {
		begin := time.Now()
		s, faults := Parse([]byte(text))
		if took := time.Since(begin); s != nil || len(faults) == 0 || len(faults) > maxFaults+20 || took > 20*time.Second {
			t.Errorf("%s: %d faults in %s", name, len(faults), took)
		}
		for _, f := range faults {
			if len(f.Message)+len(f.Hint) > 2000 {
				t.Errorf("%s: a message of %d bytes", name, len(f.Message)+len(f.Hint))
			}
		}
	}
	g, err := parseGlob(strings.Repeat("*a", 490)+"/**/*.md", Endings)
	if err != nil {
		t.Fatal(err)
	}
	// Trying the stars one after the other would take ages.
	path, begin := strings.Repeat("a", 4000), time.Now()
	if g.Match(path) || time.Since(begin) > 20*time.Second {
		t.Errorf("matching took %s", time.Since(begin))
	}
}

// FuzzParse: whatever the file holds, reading it ends, and either gives settings or says why not.
func FuzzParse(f *testing.F) {
	f.Add(whole)
	f.Add("sources:\n- files: '{a,b}/**/*.md'\n  dates: [{updated: x}]\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, faults := Parse([]byte(text))
		if s == nil && len(faults) == 0 {
			t.Error("neither settings nor a fault")
		}
		for _, fault := range faults {
			if fault.Line < 1 || fault.Col < 1 || fault.Message == "" {
				t.Errorf("%+v", fault)
			}
		}
		if s != nil {
			s.RuleOf("posts/a.md")
		}
	})
}
