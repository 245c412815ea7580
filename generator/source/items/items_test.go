package items

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"contentedge/generator/source/documents"
	"contentedge/generator/source/environment"
	"contentedge/generator/uuid"
)

// recorder writes down what a Reader gives: items, and findings with their places.
type recorder struct {
	reader documents.Reader
	items  []string
	said   []string
}

func (r *recorder) Document(d documents.Document) {
	r.items = append(r.items, string(r.reader.JSON()[d.Start:d.End]))
}

func (r *recorder) Fault(at int, message, hint string) {
	line, col := r.reader.Place(at)
	r.said = append(r.said, fmt.Sprintf("%d:%d error: %s (%s)", line, col, message, hint))
}

func (r *recorder) Repeat(at int, kind *documents.Kind, value string) {
	line, col := r.reader.Place(at)
	what := "warning"
	if kind.Error {
		what = "error"
	}
	r.said = append(r.said, fmt.Sprintf("%d:%d %s: %s", line, col, what, strings.NewReplacer("%s", documents.Quoted(value), "%v", value).Replace(kind.One)))
}

func (r *recorder) Media(at int, url string) {
	line, col := r.reader.Place(at)
	r.said = append(r.said, fmt.Sprintf("%d:%d media: %s", line, col, url))
}

func (r *recorder) Link(at int, url string, to documents.Target) {
	line, col := r.reader.Place(at)
	r.said = append(r.said, fmt.Sprintf("%d:%d link: %s %v", line, col, url, to))
}

func (r *recorder) IsField([]byte) bool { return false }
func (r *recorder) Stopped() bool       { return false }

// answers are the answers that the tests give, by kind and key.
var answers = map[string]string{
	"git a.md": "1700000000 1700086400", "git shallow.md": "!the git repository is shallow\nfetch it",
	"reference people\n\njane": "Content_jane", "reference people\n\nbob": "Content_bob", "reference people\n\ntwins": "!a.md, b.md",
	"media x.png": "/cda/media/site/hash/x.png",
}

var modified = time.Date(2020, 2, 3, 4, 5, 6, 0, time.UTC)

// read reads a file of the environment site by the first rule of some settings, or by the default rule.
func read(t testing.TB, settings, path, text string, lenient bool) *recorder {
	t.Helper()
	s, faults := environment.Parse([]byte(settings))
	if s == nil {
		t.Fatal(settings, faults)
	}
	rules := Rules{Settings: s, Rule: s.DefaultRule(), Lenient: lenient}
	if len(s.Rules) > 0 {
		rules.Rule = &s.Rules[0]
	}
	r := &recorder{reader: FormatOf(path).NewReader(rules)}
	for range 2 { // the second time, memory of the first is reused
		r.items, r.said = nil, nil
		r.reader.Load(documents.Input{Text: []byte(text), Env: "site", Path: path, Modified: modified, Ask: func(q documents.Question) string {
			key := q.Key
			if q.Kind == GitQuestion {
				key = q.Path
			}
			return answers[q.Kind+" "+key]
		}})
		r.reader.Documents(r)
	}
	return r
}

// field returns the JSON of a member of an item, or of its Data.
func field(item, name string) string {
	var found string
	for _, at := range []string{`"` + name + `":`} {
		if _, rest, ok := strings.Cut(item, at); ok {
			found = rest
		}
	}
	depth, quoted := 0, false
	for i, c := range found {
		switch {
		case c == '"' && (i == 0 || found[i-1] != '\\'):
			quoted = !quoted
		case quoted:
		case strings.ContainsRune("{[", c):
			depth++
		case strings.ContainsRune("}]", c) && depth > 0:
			depth--
		case strings.ContainsRune("}],", c) && depth == 0:
			return found[:i]
		}
	}
	return found
}

// TestItems shows which item a file is, member by member.
func TestItems(t *testing.T) {
	const dated = "date: 2024-01-02\n"
	id := func(name string) string { return `"` + uuid.Content(name) + `"` }
	for _, tt := range []struct {
		name, settings, path, text string
		field, want                string
	}{
		{"the path is the id", "", "posts/hello.md", "---\n" + dated + "---\n", "ContentID", id("site/posts/hello")},
		{"index is the folder", "", "posts/hello/index.md", "---\n" + dated + "---\n", "ContentID", id("site/posts/hello")},
		{"so is _index", "", "posts/_index.md", "---\n" + dated + "---\n", "ContentID", id("site/posts")},
		{"at the top it is the environment", "", "index.md", "---\n" + dated + "---\n", "ContentID", id("site")},
		{"the file may give an id", "", "a.md", "---\nContentID: my-id\n" + dated + "---\n", "ContentID", `"my-id"`},
		{"an id comes from a member", "sources: [{id: {from: code}}]", "posts/2024/a.md", "---\ncode: 7\n" + dated + "---\n", "ContentID", id("site/posts/7")},
		{"a UUID is kept", "sources: [{id: {from: code}}]", "a.md", "---\ncode: 0B6F2A58-6b0e-4c1a-9f5e-2d8f1c7e4a10\n" + dated + "---\n", "ContentID", `"Content_0b6f2a58-6b0e-4c1a-9f5e-2d8f1c7e4a10"`},
		{"a slug is made of the path", "sources: [{id: {from: slug}}]", "posts/x/2024-01-02-My Post.md", "", "ContentID", id("site/posts/my-post")},
		{"in a list the file is the name space", "sources: [{id: {from: code}}]", "data/rooms.yaml", "- {code: A, date: 2024-01-02}\n- {code: B, date: 2024-01-02}\n", "ContentID", id("site/data/rooms/A")},

		{"the first folder is the template", "", "posts/2024/a.md", "---\n" + dated + "---\n", "TemplateName", `"posts"`},
		{"page at the top", "", "a.md", "---\n" + dated + "---\n", "TemplateName", `"page"`},
		{"a list has the template of its name", "sources: [{id: {from: code}}]", "data/rooms.yaml", "- {code: A, date: 2024-01-02}\n- {code: B, date: 2024-01-02}\n", "TemplateName", `"rooms"`},
		{"a rule names the template", "sources: [{template: Article}]", "a.md", "---\n" + dated + "---\n", "TemplateName", `"Article"`},
		{"or the member with it", "sources: [{template: {from: type}}]", "a.md", "---\ntype: Talk\n" + dated + "---\n", "TemplateName", `"Talk"`},
		{"the file itself comes first", "sources: [{template: Article}]", "a.md", "---\nTemplateName: Special\n" + dated + "---\n", "TemplateName", `"Special"`},

		{"a title is the name", "", "a.md", "---\ntitle: Hello\n" + dated + "---\n# Head\n", "Name", `"Hello"`},
		{"else the first heading", "", "a.md", "---\n" + dated + "---\n\nText\n\n## *Head* & more\n# Other\n", "Name", `"Head & more"`},
		{"also without HTML", "sources: [{body: {html: false}}]", "a.md", "---\n" + dated + "---\nHead\n====\n", "Name", `"Head"`},
		{"else the file", "", "posts/my-file.md", "---\n" + dated + "title: ''\n---\n", "Name", `"my-file"`},
		{"a number is a text here", "", "a.md", "---\ntitle: 2024\n" + dated + "---\n", "Name", `"2024"`},
		{"a rule names the member", "sources: [{name: {from: params.label}}]", "a.md", "---\ntitle: T\nparams: {label: L}\n" + dated + "---\n", "Name", `"L"`},

		{"a date is the creation", "", "a.md", "---\n" + dated + "---\n", "CreatedAt", `"2024-01-02T00:00:00Z"`},
		{"in a time zone", "timezone: Europe/Berlin", "a.md", "---\n" + dated + "---\n", "CreatedAt", `"2024-01-01T23:00:00Z"`},
		{"other systems have other names", "", "a.md", "---\npubDate: 'Jul 08 2022'\nlastmod: 2023-01-29 18:30:22 -0800\n---\n", "PublishedAt", `"2022-07-08T00:00:00Z"`},
		{"the file may give all fields", "", "a.md", "---\ndate: 2020-01-01\nUpdatedAt: 2024-01-02 10:00\n---\n", "UpdatedAt", `"2024-01-02T10:00:00Z"`},
		{"published: yes is no date", "", "2024-01-03-a.md", "---\npublished: yes\nlastUpdated: false\n---\n", "CreatedAt", `"2024-01-03T00:00:00Z"`},
		{"the name may begin with a date", "", "posts/2024-01-03-a/index.md", "", "CreatedAt", `"2024-01-03T00:00:00Z"`},
		{"else git has it", "", "a.md", "", "UpdatedAt", `"2023-11-15T22:13:20Z"`},
		{"a rule orders the sources", "sources: [{dates: [name, front matter]}]", "2024-01-03-a.md", "---\n" + dated + "---\n", "CreatedAt", `"2024-01-03T00:00:00Z"`},
		{"and names members", "sources: [{dates: [{created: a.b, updated: c}]}]", "a.md", "---\n" + dated + "a: {b: 2021-01-01}\n---\n", "CreatedAt", `"2021-01-01T00:00:00Z"`},
		{"the last may be the file", "sources: [{dates: [{created: x}, file]}]", "a.md", "", "UpdatedAt", `"2020-02-03T04:05:06Z"`},

		{"a draft", "", "a.md", "---\ndraft: true\n" + dated + "---\n", "Status", `"Draft"`},
		{"a draft in a word that YAML 1.1 reads", "", "a.md", "---\ndraft: yes\n" + dated + "---\n", "Status", `"Draft"`},
		{"a draft in capitals", "", "a.md", "---\nDraft: true\n" + dated + "---\n", "Status", `"Draft"`},
		{"a title in capitals", "", "a.md", "---\nTitle: Hello\n" + dated + "---\n# Head\n", "Name", `"Hello"`},
		{"a title as it is usual", "", "a.md", "---\nTITLE: Loud\ntitle: Hello\n" + dated + "---\n", "Name", `"Hello"`},
		{"a date in capitals", "", "a.md", "---\nDate: 2024-01-02\n---\n", "CreatedAt", `"2024-01-02T00:00:00Z"`},
		{"a draft after a language", "", "a.md", "---yaml\ntitle: C\ndraft: true\n" + dated + "---\nsecret\n", "Status", `"Draft"`},
		{"a draft in JSON between lines", "", "a.md", "---json\n{\"title\":\"E\",\"draft\":true,\"date\":\"2024-01-02\"}\n---\nsecret\n", "Status", `"Draft"`},
		{"a draft in TOML between lines", "", "a.md", "---toml\ndraft = true\ndate = 2024-01-02\n---\nsecret\n", "Status", `"Draft"`},
		{"a draft in quotes", "", "a.md", "---\ndraft: \"True\"\n" + dated + "---\n", "Status", `"Draft"`},
		{"no draft", "", "a.md", "---\ndraft: no\npublished: yes\n" + dated + "---\n", "Status", ""},
		{"an unpublished item in a word", "", "a.md", "---\npublished: no\n" + dated + "---\n", "Status", `"Draft"`},
		{"a status by a rule, of a word", `sources: [{status: {from: draft, "true": Secret, else: Live}}]`, "a.md", "---\ndraft: yes\n" + dated + "---\n", "Status", `"Secret"`},
		{"Jekyll's draft", "", "a.md", "---\npublished: false\n" + dated + "---\n", "Status", `"Draft"`},
		{"a status by a rule", `sources: [{status: {from: draft, "true": Secret, else: Live}}]`, "a.md", "---\ndraft: true\n" + dated + "---\n", "Status", `"Secret"`},
		{"other values", `sources: [{status: {from: draft, "true": Secret, else: Live}}]`, "a.md", "---\n" + dated + "---\n", "Status", `"Live"`},
		{"a status as written", `sources: [{status: {from: state}}]`, "a.md", "---\nstate: InReview\n" + dated + "---\n", "Status", `"InReview"`},
		{"a status of all", `sources: [{status: Draft}]`, "a.md", "---\n" + dated + "---\n", "Status", `"Draft"`},

		{"people of the environment", "people: {created: Web team}", "a.md", "---\n" + dated + "---\n", "CreatedBy", `"Web team"`},
		{"people of the file", "people: {created: Web team}\nsources: [{people: {created: authors}}]", "a.md", "---\nauthors: [Jane, {name: Bob}]\n" + dated + "---\n", "CreatedBy", `"Jane, Bob"`},

		{"members keep their order, then body, html and slug", "", "a.md", "---\nz: 1.50\na: [x]\n" + dated + "---\nHi *you*\n", "Data", `{"z":1.50,"a":["x"],"date":"2024-01-02","body":"Hi *you*\n","html":"<p>Hi <em>you</em></p>\n","slug":"a","path":"a"}`},
		{"members with other names", "sources: [{body: {text: t, html: h}}]", "a.md", "---\n" + dated + "---\nHi\n", "Data", `{"date":"2024-01-02","t":"Hi\n","h":"<p>Hi</p>\n","slug":"a","path":"a"}`},
		{"no html", "sources: [{body: {html: false}}]", "a.md", "---\nslug: s\n" + dated + "---\nHi\r\n", "Data", `{"slug":"s","date":"2024-01-02","body":"Hi\r\n","path":"a"}`},
		{"an image leads to the release", "", "a.md", "---\n" + dated + "---\n![i](x.png)\n", "html", `"<p><img src=\"/cda/media/site/hash/x.png\" alt=\"i\"></p>\n"`},
		{"Data of the file is joined", "sources: [{id: {from: k}}]", "a.yaml", "k: 1\nData: {title: T}\n" + dated, "Data", `{"k":1,"title":"T","date":"2024-01-02","slug":"a","path":"a"}`},
		{"status in lower case is a member like others", "", "a.md", "---\nstatus: x\nname: N\n" + dated + "---\n", "Data", `{"status":"x","name":"N","date":"2024-01-02","body":"","html":"","slug":"a","path":"a"}`},
		{"MDX is what is left without components", "html: raw", "a.mdx", "---\n" + dated + "---\nimport X from 'x'\n\n<X>\n  *a*<script>b</script>\n</X>\n", "html", `"<p><em>a</em></p>\n"`},
		{"the heading of MDX", "sources: [{body: {html: false}}]", "a.mdx", "---\n" + dated + "---\n<X>\n    # A {b}\n</X>\n", "Name", `"A"`},
		{"safe HTML", "", "a.md", "---\n" + dated + "---\n<b onclick=c>d</b>\n", "html", `"<p><b>d</b></p>\n"`},
		{"HTML as text", "html: escape", "a.md", "---\n" + dated + "---\n<b>d</b>\n", "html", `"<p>&lt;b&gt;d&lt;/b&gt;</p>\n"`},
		{"HTML as written", "html: raw", "a.md", "---\n" + dated + "---\n<b onclick=c>d</b>\n", "html", `"<p><b onclick=c>d</b></p>\n"`},
		{"an image in HTML leads to the release", "", "a.md", "---\n" + dated + "---\n<img src=x.png>\n", "html", `"<img src=\"/cda/media/site/hash/x.png\">\n"`},
		{"CSV", "sources: [{id: {from: code}, dates: [{created: on}], types: {n: number}, lists: {tags: '|'}}]", "data/x.csv", "code,on,n,tags\nA,2024-01-02,1.50,a|b\n", "Data", `{"code":"A","on":"2024-01-02","n":1.50,"tags":["a","b"]}`},
		{"rows of CSV with one key", "sources: [{id: {from: code}, dates: [{created: on}], group: code}]", "data/x.csv", "code,on,n\nA,2024-01-02,1\nA,,2\n", "Data", `{"code":"A","on":"2024-01-02","rows":[{"n":"1"},{"n":"2"}]}`},
		{"one entry is a list too", "sources: [{id: {from: code}}]", "data/rooms.yaml", "- {code: A, date: 2024-01-02}\n", "ContentID", id("site/data/rooms/A")},
		{"TOML", "", "a.toml", "date = 2024-01-02\nn = 1\n", "Data", `{"date":"2024-01-02","n":1,"slug":"a","path":"a"}`},

		{"a value refers to an item", "sources: [{references: {author: people}}]", "a.md", "---\nauthor: jane\n" + dated + "---\n", "author", `{"Type":"Reference","ReferenceType":"Content","ContentIDs":["Content_jane"]}`},
		{"a list to several", "sources: [{references: {a.by: people}}]", "a.md", "---\na: [{by: [jane, bob, nobody]}, {by: null}]\n" + dated + "---\n", "a", `[{"by":{"Type":"Reference","ReferenceType":"Content","ContentIDs":["Content_jane","Content_bob","nobody"]}},{"by":null}]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := read(t, tt.settings, tt.path, tt.text, false)
			if len(r.items) == 0 || slices.ContainsFunc(r.said, func(s string) bool { return strings.Contains(s, " error: ") }) {
				t.Fatalf("no item: %s", r.said)
			}
			if got := field(r.items[0], tt.field); got != tt.want {
				t.Errorf("got %s\nwant %s\nof %s", got, tt.want, r.items[0])
			}
		})
	}
}

// TestFindings: what is wrong is said at its place in the file, and the item is left out.
func TestFindings(t *testing.T) {
	const dated = "date: 2024-01-02\n"
	for _, tt := range []struct{ name, settings, path, text, want string }{
		{"an id in another case", "", "a.md", "---\n" + dated + "contentId: x\n---\n", `3:1 error: the key "contentId" is not a field, but ContentID is (write ContentID; keys are case-sensitive)`},
		{"a date that is none", "", "a.md", "---\ntitle: x\ndate: 2023-01-29 18:30:22 2023 -0800\n---\n", `3:7 error: date "2023-01-29 18:30:22 2023 -0800" is not a date (write it like 2025-01-31, 2025-01-31 09:00:00 +0100 or 2025-01-31T09:00:00Z)`},
		{"no date", "sources: [{dates: [front matter]}]", "a.md", "", "1:1 error: no date: no source of dates of the rule has one"},
		{"not in git", "", "b.md", "", "1:1 error: no date: the file has none, and git does not have the file"},
		{"no git", "", "shallow.md", "", "1:1 error: no date: the file has none, and the git repository is shallow"},
		{"a list without ids", "", "a.yaml", "- {code: A, date: 2024-01-02}\n- {code: B, date: 2024-01-02}\n", "1:3 error: this file is a list of items, and nothing identifies each item (in _environment.yaml name the member that does, for example id: {from: code}, or give each a ContentID)\n" +
			"2:3 error: this file is a list of items, and nothing identifies each item (in _environment.yaml name the member that does, for example id: {from: code}, or give each a ContentID)"},
		{"no value for the id", "sources: [{id: {from: code}}]", "a.md", "---\n" + dated + "code: ' '\n---\n", `3:7 error: the item has no "code", by which the rule identifies it (give it one, or change id in _environment.yaml)`},
		{"no template", "sources: [{template: {from: type}}]", "a.md", "---\n" + dated + "---\n", `2:1 error: the item has no "type", which names its template (give it one, or change template in _environment.yaml)`},
		{"a date in capitals that is none", "", "a.md", "---\nDate: soon\n---\n", `2:7 error: Date "soon" is not a date (write it like 2025-01-31, 2025-01-31 09:00:00 +0100 or 2025-01-31T09:00:00Z)`},
		{"a draft that may be none", "", "a.md", "---\n" + dated + "draft: maybe\n---\n", `3:8 error: draft must be true or false, not "maybe" (write draft: true or draft: false)`},
		{"an unknown status", `sources: [{status: {from: draft, "true": Draft}}]`, "a.md", "---\n" + dated + "draft: false\n---\n", `3:8 error: draft is "false", which has no status in the rule (in _environment.yaml add it to status, or add else: Published)`},
		{"a person who is a list", "sources: [{people: {created: by}}]", "a.md", "---\n" + dated + "by: {id: 1}\n---\n", "3:5 error: by must be a name, not an object (an object may have a member name)"},
		{"two texts", "", "a.md", "---\n" + dated + "body: x\n---\nText\n", `3:1 error: the front matter has the member "body", and so has the text (rename it, or in _environment.yaml give the text another member, for example body: {text: content})`},
		{"a member twice", "", "a.md", "---\n" + dated + "a: 1\nData: {a: 2}\n---\n", `4:8 error: the key "a" is given twice, inside and outside of Data (keep one of the two)`},
		{"a reference that two items have", "sources: [{references: {by: people}}]", "a.md", "---\n" + dated + "by: [jane, twins]\n---\n", `3:12 error: "twins" is the id or slug of several items of "people": a.md, b.md (write the ContentID of the one that is meant, or give the items different slugs)`},
		{"a reference that is an object", "sources: [{references: {by: people}}]", "a.md", "---\n" + dated + "by: {a: 1}\n---\n", `3:5 error: by must be a text or a list of texts, as it refers to items of "people", not an object ()`},
		{"an error of the format", "", "a.yaml", "a: 1\na: 2\n", `2:1 error: the key "a" is given twice in this mapping (it is given first at 1:1; keep one of the two)`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := read(t, tt.settings, tt.path, tt.text, false)
			if got := strings.Join(r.said, "\n"); got != tt.want || len(r.items) > 0 {
				t.Errorf("got %s\nwant %s\nitems %s", got, tt.want, r.items)
			}
		})
	}
	for _, tt := range []struct{ name, settings, path, text, want string }{
		{"a preview shows what has no date", "", "b.md", "", "1:1 warning: the item has no date: it is shown with the time of modification of its file, but a build refuses it"},
		{"dates of files differ between clones", "sources: [{dates: [file]}]", "b.md", "", "1:1 warning: the item has the time of modification of its file as its date"},
		{"HTML in the text", "", "a.md", "---\n" + dated + "---\na <b>c</b> <iframe></iframe>\n", `4:12 warning: the text has HTML that html leaves out: iframe`},
		{"components", "", "a.mdx", "---\n" + dated + "---\na\n\n<B c={d}>e</B> {f}\n", `6:1 warning: components are left out of html: B, {…}`},
		{"a title that is a list", "", "a.md", "---\ntitle: [a, b]\n" + dated + "---\n", `2:8 warning: title is not a text, so that it is not the name of the item`},
		{"an image", "", "a.md", "\n[a](b) ![i](y.png)\n", "2:13 media: y.png"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := read(t, tt.settings, tt.path, tt.text, true)
			if got := strings.Join(r.said, "\n"); got != tt.want || len(r.items) != 1 {
				t.Errorf("got %s\nwant %s\nitems %s", got, tt.want, r.items)
			}
		})
	}
}

// TestLookalikes: a draft whose front matter is not read is an error, not an item.
func TestLookalikes(t *testing.T) {
	const block = "---\ntitle: D\ndraft: true\n---\nsecret\n"
	for text, want := range map[string]string{
		" " + block:                           "1:2 error: this seems to be front matter, but spaces are before it (",
		"<!-- c -->\n" + block:                "2:1 error: this seems to be front matter, but a comment is in or before it (",
		"\u200b" + block:                      "1:2 error: this seems to be front matter, but invisible characters are in or before it (",
		"\n" + block:                          "2:1 error: this seems to be front matter, but blank lines are before it (",
		"---coffee" + block[3:]:               "1:1 error: this seems to be front matter, but its language is not known (",
		strings.ReplaceAll(block, "\n", "\r"): "1:4 error: there is a carriage return without a line feed here (",
	} {
		for _, path := range []string{"a.md", "a.markdown", "a.mdx"} {
			r := read(t, "sources: [{dates: [front matter, name, file]}]", path, text, true)
			if len(r.items) > 0 || len(r.said) != 1 || !strings.HasPrefix(r.said[0], want) {
				t.Errorf("%q: got %s\nwant %s", text, r.said, want)
			}
		}
	}
}

// TestEndings: the settings know the extensions of all formats.
func TestEndings(t *testing.T) {
	var all []string
	for _, f := range Formats {
		all = append(all, f.Extensions...)
	}
	if !slices.Equal(all, environment.Endings) {
		t.Errorf("formats have %s, settings %s", all, environment.Endings)
	}
}

// TestHostile: hostile files end with a finding or an item, in bounded time.
func TestHostile(t *testing.T) {
	long := strings.Repeat("k", 1<<20)
	const rules = "sources: [{id: {from: id}, references: {a: b}, dates: [{created: a.b.c}, name]}]"
	for name, tt := range map[string]struct{ path, text string }{
		"a key of 1 MB":          {"a.md", "---\n" + long + ": 1\n---\n"},
		"a title of 1 MB":        {"a.md", "---\ntitle: " + long[:1<<19] + "\n---\n"},
		"a heading of 1 MB":      {"a.md", "# " + long[:1<<20-10]},
		"10,000 members":         {"2024-01-02-a.toml", strings.Repeat("", 1) + numbered("k%d = 1\n", 9_000)},
		"a path of many folders": {"2024-01-02-" + strings.Repeat("a/", 2000) + "x.md", ""},
		"many references":        {"2024-01-02-a.yaml", "id: 1\na: [" + strings.Repeat("x,", 20_000) + "x]\n"},
		"many rows":              {"2024-01-02.csv", "id,x\n" + numbered("%d,y\n", 50_000)},
		"many images":            {"2024-01-02-a.md", strings.Repeat("![i](x.png) ", 5000)},
		"deep values":            {"2024-01-02-a.yaml", "id: " + strings.Repeat("[", 400) + strings.Repeat("]", 400)},
	} {
		begin := time.Now()
		r := read(t, rules, tt.path, tt.text, false)
		if took := time.Since(begin); took > 20*time.Second || len(r.items)+len(r.said) == 0 {
			t.Errorf("%s: %d items, %d findings in %s", name, len(r.items), len(r.said), took)
		}
	}
}

func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// FuzzMarkdown: whatever a file holds, it gives an item that is valid JSON with places in the file, or
// findings.
func FuzzMarkdown(f *testing.F) {
	f.Add("---\ntitle: A\ndate: 2024-01-02\nid: x\na: [b, {c: d}]\n---\n# Head\n![i](x.png)\n", "posts/a.md")
	f.Add("+++\nid = 1\ndate = 2024-01-02\n+++\n", "2024-01-02-a.md")
	f.Add("- {id: 1, Data: {a: b}, CreatedBy: x}\n", "data/a.yaml")
	f.Add("id,a\n1,x|y\n", "a.csv")
	f.Fuzz(func(t *testing.T, text, path string) {
		if FormatOf(path) == nil {
			t.Skip()
		}
		r := read(t, "sources: [{id: {from: id}, references: {a: b, a.c: d}, status: {from: s, x: Y}, people: {created: a}, lists: {a: '|'}}]", path, text, true)
		lines := 1 + strings.Count(text, "\n")
		if len(r.items)+len(r.said) == 0 && FormatOf(path).Markdown {
			t.Error("neither an item nor a finding")
		}
		for at := range r.reader.JSON() {
			if line, col := r.reader.Place(at); line < 1 || line > lines || col < 1 {
				t.Fatalf("the offset %d is at %d:%d of %d lines", at, line, col, lines)
			}
		}
	})
}
