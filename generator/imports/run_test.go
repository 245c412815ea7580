// These tests import with systems of their own: what all importers share.

package imports_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"contentedge/generator/imports"
	"contentedge/generator/imports/anyjson"
	"contentedge/generator/imports/contentful"
	"contentedge/generator/imports/export"
	"contentedge/generator/imports/importstest"
	"contentedge/generator/imports/strapi"
	"contentedge/generator/imports/wordpress"
	"contentedge/generator/jsontree"
	"contentedge/generator/plaintext"
	"contentedge/generator/visibility"
)

// plain is a system whose exports have an item a line: {"id":…, "type":…, "env":…, "fields":{…}}.
var plain = imports.System{
	Name: "plain", RichText: []plaintext.Format{plaintext.HTML, plaintext.Contentful},
	Read: func(ctx context.Context, j *imports.Job) error {
		return j.Export.Files(ctx, func(f *export.File) error {
			return f.Lines(func(line int, text []byte) error {
				v, err := jsontree.Parse(text)
				if err != nil {
					return f.Explain(text, line, err)
				}
				kind, id := v.Get("type").Str(), v.Get("id").Str()
				j.Read(kind)
				if kind == "miscounted" {
					return nil
				}
				item := &imports.Item{Env: v.Get("env").Str(), Class: "Thing", Type: kind, ID: id, ContentID: j.ContentID("Thing", id), Status: visibility.Published, CreatedAt: v.Get("created").Str(), Data: jsontree.Object()}
				if fields := v.Get("fields"); fields != nil {
					item.Data = fields.Clone()
				}
				if own := v.Get("contentID"); own != nil {
					item.ContentID = own.Str()
				}
				if status := v.Get("status"); status != nil {
					item.Status = status.Str()
				}
				return j.Item(kind, item)
			})
		})
	},
}

func line(id, fields string) string {
	return fmt.Sprintf(`{"id":%q,"type":"t","created":"2024-01-01T00:00:00Z","fields":{%s}}`, id, fields) + "\n"
}

func run(t *testing.T, text string, o imports.Options) *importstest.Result {
	t.Helper()
	return importstest.Import(t, plain, map[string]string{"e.ndjson": text}, o)
}

// tree lists the files below a directory with their texts.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		text, _ := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		all = append(all, rel+" "+string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, "\n")
}

// TestRun: an import replaces its own file, leaves others alone, and writes nothing where something is
// wrong.
func TestRun(t *testing.T) {
	content := filepath.Join(t.TempDir(), "a", "content")
	o := imports.Options{Content: content}
	if r := run(t, line("one", `"title":"One"`)+line("two", `"title":"Two"`), o); r.Err != nil || r.Items != 2 || r.Files[0].Items != 2 {
		t.Fatal(r.Err)
	}
	own := filepath.Join(content, "site", "own.json")
	if err := os.WriteFile(own, []byte(`{"ContentID":"Content_0b6f2a58-6b0e-4c1a-9f5e-2d8f1c7e4a10","Name":"n","TemplateName":"t","CreatedAt":"2024-01-01T00:00:00Z"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := run(t, line("one", `"title":"Again"`), o); r.Err != nil || len(r.Files) != 1 {
		t.Fatal(r.Err)
	}
	before := tree(t, content)
	if strings.Contains(before, "Two") || !strings.Contains(before, "Again") || !strings.Contains(before, "own.json {") || strings.Contains(before, ".tmp") {
		t.Fatalf("after a second import: %s", before)
	}
	for name, tt := range map[string]struct{ text, want string }{
		"a fault":             {line("a", "") + "{", "e.ndjson:2:"},
		"an account":          {line("a", "") + `{"type":"miscounted"}`, `1 of "miscounted" were read, but 0 became items`},
		"an id twice":         {line("a", "") + line("a", ""), "have the same id"},
		"an id of own.json":   {`{"id":"x","type":"t","contentID":"content_0b6f2a58-6b0e-4c1a-9f5e-2d8f1c7e4a10","created":"2024-01-01T00:00:00Z"}`, "own.json"},
		"a date that is none": {`{"id":"x","type":"t","created":"yesterday"}`, `a build would refuse the items of this export` + "\n" + content + `/site/imported-plain.ndjson:1:`},
		"no date":             {`{"id":"x","type":"t"}`, `items without a date: 1 (first t "x")`},
		"one of two":          {line("a", "") + `{"id":"b","type":"t","env":"site-b","created":"never"}`, "site-b/imported-plain.ndjson"},
		"no environment":      {`{"id":"b","type":"t","env":"../x","created":"2024-01-01T00:00:00Z"}`, "is not an environment id"},
		"a large item":        {line("a", `"x":"`+strings.Repeat("x", 16<<20)+`"`), "an item may have 16777216"},
		"a long line":         {strings.Repeat("x", export.MaxLine+1), "this line has more than 32.0 MiB"},
	} {
		r := run(t, tt.text, o)
		if r.Err == nil || !strings.Contains(r.Err.Error(), tt.want) {
			t.Errorf("%s: %v", name, r.Err)
		}
		if after := tree(t, content); after != before {
			t.Errorf("%s: the content has changed: %s", name, after)
		}
	}
	dry := imports.Options{Content: content, DryRun: true}
	for _, text := range []string{line("a", "") + `{"type":"miscounted"}`, `{"id":"x","type":"t","created":"yesterday"}`} {
		if r := run(t, text, dry); r.Err == nil || tree(t, content) != before {
			t.Errorf("a dry run of %s: %v", text, r.Err)
		}
	}
	if r := run(t, line("dry", ""), dry); r.Err != nil || r.Items != 1 || r.Files[0].Items != 1 || tree(t, content) != before {
		t.Errorf("a dry run: %v, %s", r.Err, tree(t, content))
	}
	if r := run(t, line("a", ""), imports.Options{Content: content, Env: "../x"}); r.Err == nil {
		t.Error("an environment outside of the content")
	}
	for _, file := range []string{"a.json", "a.txt", "../a.ndjson", "_a.ndjson", ".a.ndjson", "x/a.ndjson"} {
		if r := run(t, line("a", ""), imports.Options{Content: content, File: file}); r.Err == nil {
			t.Errorf("the file %q is accepted", file)
		}
	}
}

// TestOtherFilesDoNotMatter: an import goes on where another file of the environment is wrong, and it
// may be of any age.
func TestOtherFilesDoNotMatter(t *testing.T) {
	content := t.TempDir()
	if err := errors.Join(os.MkdirAll(content+"/site", 0o755), os.WriteFile(content+"/site/broken.json", []byte("{"), 0o644), os.WriteFile(content+"/site/notes.md", []byte("# x"), 0o644)); err != nil {
		t.Fatal(err)
	}
	if r := run(t, line("a", ""), imports.Options{Content: content}); r.Err != nil {
		t.Error(r.Err)
	}
}

// TestMarkdownBeside: Markdown that was content without rules is not read beside an import, which says so.
func TestMarkdownBeside(t *testing.T) {
	content := t.TempDir()
	if err := errors.Join(os.MkdirAll(content+"/site", 0o755), os.WriteFile(content+"/site/a.md", []byte("# x"), 0o644)); err != nil {
		t.Fatal(err)
	}
	o := imports.Options{Content: content}
	if r := run(t, line("a", ""), o); r.Err != nil || !strings.Contains(r.Warned(), "not read any more: 1\n  hint: ") {
		t.Errorf("%v %s", r.Err, r.Warned())
	}
	if err := os.WriteFile(content+"/site/_environment.yaml", []byte("sources:\n  - files: \"**/*.md\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := run(t, line("b", ""), o); r.Err != nil || strings.Contains(r.Warned(), "not read") {
		t.Errorf("%v %s", r.Err, r.Warned())
	}
}

// TestTwoAtOnce: an import ends where another one writes the same file, and takes over what a killed one
// left.
func TestTwoAtOnce(t *testing.T) {
	content := t.TempDir()
	temp := filepath.Join(content, "site", ".imported-plain.ndjson.tmp")
	if err := errors.Join(os.MkdirAll(filepath.Dir(temp), 0o755), os.WriteFile(temp, []byte(strings.Repeat("left\n", 1000)), 0o644), os.WriteFile(temp+".old", []byte("left"), 0o644)); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(temp)
	if err == nil {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		t.Fatal(err)
	}
	o := imports.Options{Content: content}
	if r := run(t, line("a", ""), o); r.Err == nil || !strings.Contains(r.Err.Error(), "another import is writing here") {
		t.Errorf("two at once: %v", r.Err)
	}
	_ = f.Close()
	for range 2 {
		if r := run(t, line("a", ""), o); r.Err != nil {
			t.Error(r.Err)
		}
	}
	if got := tree(t, content); strings.Contains(got, "left") || strings.Contains(got, ".tmp") {
		t.Error(got)
	}
}

// TestWideItems: objects with very many members take time in proportion.
func TestWideItems(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures time, which the race detector takes")
	}
	var fields, codes, meta strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&fields, `"f%d":1,`, i)
		fmt.Fprintf(&codes, `"l%d":1,`, i)
		fmt.Fprintf(&meta, `<wp:postmeta><wp:meta_key>k%d</wp:meta_key><wp:meta_value>x</wp:meta_value></wp:postmeta>`, i)
	}
	const post = `<rss xmlns:wp="http://wordpress.org/export/1.2/"><channel><item><title>x</title><wp:post_id>1</wp:post_id><wp:post_type>post</wp:post_type>` +
		`<wp:status>publish</wp:status><wp:post_date_gmt>2024-01-01 00:00:00</wp:post_date_gmt>`
	row := `{"type":"api::a.a","id":1,"data":{` + fields.String() + `"createdAt":"2024-01-01T00:00:00Z","publishedAt":"2024-01-01T00:00:00Z"}}`
	large := `{"assets":[{"sys":{"id":"p"},"fields":{"file":{"en":{"url":"//x/y.png"}},"more":{"en":[` + strings.Repeat("1,", 100_000) + `1]}}}],"entries":[{"sys":{"id":"a","createdAt":"2024-01-01T00:00:00Z"},"fields":{"x":{"en":[` +
		strings.Repeat(`{"sys":{"type":"Link","linkType":"Asset","id":"p"}},`, 10_000) + `1]}}}]}`
	for _, tt := range []struct {
		system     imports.System
		name, text string
		want       string
	}{
		{plain, "e.txt", line("a", strings.ReplaceAll(fields.String(), ":1", `:"<p>x</p>"`)+`"z":1`), ""},
		{anyjson.System(anyjson.Options{ID: ".z", Created: ".d"}), "e.json", `[{` + fields.String() + `"z":1,"d":"2024-01-01"}]`, ""},
		{wordpress.System(wordpress.Options{}), "e.xml", post + meta.String() + "</item></channel></rss>", ""},
		{strapi.System, "e.tar", importstest.Tar(t, map[string]string{"entities/entities_00001.jsonl": row}), ""},
		{contentful.System, "e.json", large, ""},
		{contentful.System, "e.json", `{"entries":[{"sys":{"id":"a","createdAt":"2024-01-01T00:00:00Z"},"fields":{"x":{` + codes.String() + `"z":1}}}]}`, "the export has 100001 locales; it may have 1000"},
	} {
		start := time.Now()
		r := importstest.Import(t, tt.system, map[string]string{tt.name: tt.text}, imports.Options{})
		if (r.Err == nil) != (tt.want == "") || r.Err != nil && !strings.Contains(r.Err.Error(), tt.want) || time.Since(start) > 20*time.Second {
			t.Errorf("%s, after %s: %v", tt.system.Name, time.Since(start), r.Err)
		}
	}
}

// TestLeftovers: files of earlier imports that this one does not replace are named.
func TestLeftovers(t *testing.T) {
	o := imports.Options{Content: t.TempDir()}
	two := line("a", "") + `{"id":"b","type":"t","env":"site-de","created":"2024-01-01T00:00:00Z"}` + "\n"
	if r := run(t, two, o); r.Err != nil || r.Warned() != "items without a title are named by their id: 2 (first t \"a\")\n" {
		t.Fatalf("%v %s", r.Err, r.Warned())
	}
	if r := run(t, line("a", ""), o); r.Err != nil || !strings.Contains(r.Warned(), "site-de/imported-plain.ndjson is of an earlier import and stays") {
		t.Errorf("%v %s", r.Err, r.Warned())
	}
	if r := run(t, " \n", o); r.Err != nil || !strings.Contains(r.Warned(), "the export has no items") || !strings.Contains(r.Warned(), "site/imported-plain.ndjson is of an earlier import and stays") {
		t.Errorf("%v %s", r.Err, r.Warned())
	}
	if r := run(t, line("c", ""), imports.Options{Content: o.Content, File: "second.ndjson"}); r.Err != nil || !strings.Contains(tree(t, o.Content), "imported-plain.ndjson {") {
		t.Errorf("%v", r.Err)
	}
}

// TestTexts: plain text stands behind rich text, at any depth, and never in place of a field.
func TestTexts(t *testing.T) {
	r := run(t, line("a", `"html":"<p>One</p><p>two</p>","in":[{"body":{"nodeType":"document","content":[{"nodeType":"text","value":"deep"}]},"z":1}],"empty":"<p></p>","has":"<p>x</p>","hasText":7,"plain":"a"`), imports.Options{})
	want := `{"html":"<p>One</p><p>two</p>","htmlText":"One\ntwo","in":[{"body":{"nodeType":"document","content":[{"nodeType":"text","value":"deep"}]},"bodyText":"deep","z":1}],"empty":"<p></p>","has":"<p>x</p>","hasText":7,"plain":"a"}`
	if got := r.Item(t, "a", "Data"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if !strings.Contains(r.Warned(), "a member hasText exists") {
		t.Error(r.Warned())
	}
}

// TestNames: a title or the like, else the id.
func TestNames(t *testing.T) {
	for fields, want := range map[string]string{
		`"name":"n","title":" a\n b "`: `"a b"`, `"slug":{"_type":"slug","current":"s"}`: `"s"`, `"heading":""`: `"a"`, `"label":{"en":"E"}`: `"E"`, `"title":"ann@example.com"`: `"a"`,
	} {
		if got := run(t, line("a", fields), imports.Options{}).Item(t, "a", "Name"); got != want {
			t.Errorf("%s: %s", fields, got)
		}
	}
	r := run(t, strings.Replace(line("a", ""), `"type"`, `"status":"wip","type"`, 1), imports.Options{})
	if r.Item(t, "a", "Status") != `"wip"` || !strings.Contains(r.Warned(), `the status "wip" is passed on as it is: 1 (t "a")`) {
		t.Error(r.Warned())
	}
}

func mapped(t *testing.T, name, text string) (*imports.Mapping, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return imports.ReadMapping(path, nil)
}

// TestMapping: a mapping file, in JSON and in YAML, changes what becomes of a type.
func TestMapping(t *testing.T) {
	for name, text := range map[string]string{
		"m.json": `{"types":{"t":{"template":"Article","name":{"from":"seo.title"},"status":{"from":"state","wip":"Draft","else":"Published"},"fields":{"b":"body","drop":null,"a":"taken"},"references":["next","all","in.ref"]},"u":{"skip":true},"gone":{}}}`,
		"m.yaml": "types:\n  t:\n    template: Article\n    name: {from: .seo.title}\n    status: {from: state, wip: Draft, else: Published}\n    fields: {b: body, drop: null, a: taken}\n    references: [next, all, in.ref]\n  u: {skip: true}\n  gone: {}\n",
	} {
		m, err := mapped(t, name, text)
		if err != nil {
			t.Fatal(err)
		}
		r := run(t, line("x", `"seo":{"title":"S"},"state":"wip","b":"<p>w</p>","drop":1,"next":"y","all":["y",7],"in":{"ref":"x"},"a":1,"taken":2`)+line("y", `"state":"live"`)+strings.Replace(line("z", ""), `"t"`, `"u"`, 1), imports.Options{Mapping: m})
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		y := r.Item(t, "y", "ContentID")
		for _, row := range [][3]string{
			{"x", "TemplateName", `"Article"`}, {"x", "Name", `"S"`}, {"x", "Status", `"Draft"`}, {"y", "Status", `"Published"`}, {"x", "Data.next.ContentIDs", "[" + y + "]"}, {"x", "Data.drop", ""},
			{"x", "Data.body", `"<p>w</p>"`}, {"x", "Data.bodyText", `"w"`}, {"x", "Data.in.ref.ContentIDs", "[" + r.Item(t, "x", "ContentID") + "]"}, {"x", "Data.a", "1"}, {"x", "Data.taken", "2"},
		} {
			if got := r.Item(t, row[0], strings.Split(row[1], ".")...); got != row[2] {
				t.Errorf("%s: %s of %s is %s, want %s", name, row[1], row[0], got, row[2])
			}
		}
		if r.Account() != "1 t item: Article Draft\n1 t item: Article Published\n1 u skipped: the mapping file skips this type \n" {
			t.Error(r.Account())
		}
		for _, want := range []string{`names the type "gone", which the export lacks`, "a keeps its name, as taken exists"} {
			if !strings.Contains(r.Warned(), want) {
				t.Errorf("%s: %s lacks %q", name, r.Warned(), want)
			}
		}
	}
	m, err := mapped(t, "m.json", `{"types":{"t":{"fields":{"nope":"x"}}}}`)
	if r := run(t, line("a", ""), imports.Options{Mapping: m}); err != nil || !strings.Contains(r.Warned(), `names the field "nope" of "t", which no item has`) {
		t.Error(err, r.Warned())
	}
}

// TestMappingIsStrict: what means nothing is refused, with line and column.
func TestMappingIsStrict(t *testing.T) {
	for text, want := range map[string]string{
		`{`: "m.json:1:", `[]`: "1:1: a mapping file must be an object", `{"type":{}}`: `1:9: a mapping file has no member "type"`, `{"types":[]}`: "types must be an object", "{\"types\":{\n\"t\":{\"templat\":\"x\"}}}": `2:16: a type has no member "templat"`,
		`{"types":{"t":{"skip":"yes"}}}`: "skip must be true or false", `{"types":{"t":{"name":"title"}}}`: "name must be an object", `{"types":{"t":{"name":{"from":"a","x":"y"}}}}`: `name has no member "x"`, `{"types":{"t":{"status":{"a":"b"}}}}`: "status names no field",
		`{"types":{"t":{"fields":{"a":1}}}}`: "a field's new name must be a text", `{"types":{"t":{"references":"a"}}}`: "references must be an array", `{"types":{"t":{"keep":[1]}}}`: "a field must be a text", `{"types":{"t":{"template":""}}}`: "template must be a text",
	} {
		if _, err := mapped(t, "m.json", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := mapped(t, "m.yaml", "types:\n  t:\n    templat: x\n"); err == nil || !strings.Contains(err.Error(), "m.yaml:3:14: a type has no member") {
		t.Error(err)
	}
	if _, err := mapped(t, "m.yaml", "types: [\n"); err == nil {
		t.Error("broken YAML is accepted")
	}
}

func FuzzMapping(f *testing.F) {
	f.Add([]byte(`{"types":{"t":{"template":{"from":"a"},"name":{"from":"seo.title"},"status":{"from":"state","wip":"Draft","else":"P"},"fields":{"b":"body","drop":null},"references":["next"],"keep":["x"]},"u":{"skip":true}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, name := range []string{"m.json", "m.yaml"} {
			m, err := mapped(t, name, string(text))
			if (m == nil) == (err == nil) {
				t.Fatalf("%q: %v, %v", text, m, err)
			}
			if err == nil {
				run(t, line("a", `"a":"x","state":"wip","b":{"title":1},"next":["y"]`), imports.Options{Mapping: m, DryRun: true})
			}
		}
	})
}

// TestManyItems: items come out in the order of their ids, whatever their number.
func TestManyItems(t *testing.T) {
	var text strings.Builder
	for i := range 5000 {
		text.WriteString(line(fmt.Sprint("id", i), fmt.Sprintf(`"title":"%d"`, i)))
	}
	r := run(t, text.String(), imports.Options{})
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	b, _ := os.ReadFile(r.Files[0].Name)
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if len(lines) != 5000 || !slices.IsSorted(lines) || int64(len(b)) != r.Files[0].Bytes {
		t.Errorf("%d lines, %d bytes", len(lines), len(b))
	}
}
