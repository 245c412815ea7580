package anyjson

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contentedge/generator/imports"
	"contentedge/generator/imports/importstest"
	"contentedge/generator/jsontree"
)

// TestLanguage shows what members of a mapping file do, one by one.
func TestLanguage(t *testing.T) {
	for _, tt := range []struct {
		name, mapping, text string
		path, want          string
	}{
		{"a value that is a list", `value: [".all[].name"]`, `{"tags":{"all":[{"name":"a"},{},{"name":"b"}]},"none":{"all":[]},"other":{"all":[{}]}}`, "Data", `{"id":"x","d":1600000000,"tags":["a","b"],"none":[],"other":{"all":[{}]}}`},
		{"a name of several texts", `name: [".data[].runs[].text"]`, `{"data":{"no":1,"t":{"runs":[{"text":"One "},{"text":"two"}]}}}`, "Name", `"One two"`},
		{"the name of the file", `type: {from: [.kind, file name]}`, `{}`, "TemplateName", `"posts"`},
		{"before it a path", `type: {from: [.kind, file name]}`, `{"kind":"k"}`, "TemplateName", `"k"`},
		{"the name of the file as a word", `template: {from: file name, posts: Article}`, `{}`, "TemplateName", `"Article"`},
		{"more fields", `data: .at, also: [.slug, .gone, .none]`, `{"at":{"a":1},"slug":"s","none":null}`, "Data", `{"a":1,"slug":"s"}`},
		{"a list in a text", `lists: {tags: ","}, numbers: [n, tags]`, `{"tags":" 1, 2.0 ,x","n":"7","in":{"n":" 1e2 ","tags":""},"other":"1,2"}`, "Data", `{"id":"x","d":1600000000,"tags":[1,2.0,"x"],"n":7,"in":{"n":1e2,"tags":[]},"other":"1,2"}`},
		{"no number", `numbers: [n, m]`, `{"n":"","m":"1,50"}`, "Data", `{"id":"x","d":1600000000,"n":null,"m":"1,50"}`},

		{"the strictest status counts", `status: [.a, {from: .b, "true": Archived, else: null}]`, `{"a":"published","b":true}`, "Status", `"Archived"`},
		{"in any order", `status: [{from: .b, "true": Published, else: null}, .a]`, `{"a":"draft","b":true}`, "Status", `"Draft"`},
		{"null says nothing", `status: [.a, {from: .b, "true": Archived, "false": null}]`, `{"a":"live","b":false}`, "Status", `"Published"`},
		{"nothing said is a draft", `status: [{from: .b, "true": Published, else: null}]`, `{"b":false}`, "Status", `"Draft"`},
		{"marks are one of them", `status: [{from: marks}, {from: .b, "true": Archived, else: null}]`, `{"draft":true,"b":false}`, "Status", `"Draft"`},
		{"marks of which only the known count", `status: [.a, {from: marks, else: null}]`, `{"a":"live","status":"sold out","private":"ask us","draft":true}`, "Status", `"Draft"`},
		{"a known mark that it is public counts", `status: [.a, {from: marks, else: null}]`, `{"status":"published"}`, "Status", `"Published"`},
		{"no mark says nothing", `status: [.a, {from: marks, else: null}]`, `{"title":"A"}`, "Status", `"Draft"`},
		{"a member that a rule takes is not a mark", `status: [{from: .status, pending: Published}, {from: marks}]`, `{"status":"pending"}`, "Status", `"Published"`},
		{"a member that a rule could take is one", `status: [{from: [.a, .status], "1": Published}, {from: marks}]`, `{"a":1,"status":"pending"}`, "Status", `"InReview"`},
		{"the strictest of a list", `status: {from: ".a[].b", x: Published}`, `{"a":[{"b":"x"},{"b":"draft"}]}`, "Status", `"Draft"`},
		{"an object without a text", `status: {from: .a, "": Published}`, `{"a":{"b":{}}}`, "Status", `"an object"`},
		{"the strictest in an object", `status: {from: .a, "": Published}`, `{"a":{"en":"published","de":"draft","fr":null}}`, "Status", `"Draft"`},
		{"without a mark it is public", `status: [{from: marks}, {from: .b, "true": Archived, else: null}]`, `{"draft":false}`, "Status", `"Published"`},

		{"a condition at a path", `links: [{has: [.in.id], where: {.in.kind: page}, id: .in.id}]`, `{"to":{"in":{"id":"x","kind":"page"}},"no":{"in":{"id":"x","kind":"other"}}}`, "Data.to.Type", `"Reference"`},
		{"another kind", `links: [{has: [.in.id], where: {.in.kind: page}, id: .in.id}]`, `{"no":{"in":{"id":"x","kind":"other"}}}`, "Data.no", `{"in":{"id":"x","kind":"other"}}`},
		{"an object that stays", `links: [{has: [ref], id: .ref, inline: true}]`, `{"to":{"ref":"gone","title":"T"},"is":{"ref":"x"}}`, "Data.to", `{"ref":"gone","title":"T"}`},
		{"an object that becomes a link", `links: [{has: [ref], id: .ref, inline: true}]`, `{"is":{"ref":"x"}}`, "Data.is.Type", `"Reference"`},
		{"several of which one is unknown", `links: [{has: [ref], id: .ref, inline: true}]`, `{"to":{"ref":["x","gone"]}}`, "Data.to", `{"ref":["x","gone"]}`},

		{"a file in a text", `media: [{pattern: '(?P<url>https://cdn/\S+)'}]`, `{"a":"https://cdn/x.PNG","b":"see https://cdn/x.png","c":"https://other/x.png"}`, "Data.a.Extension", `"png"`},
		{"a text around an address is none", `media: [{pattern: '(?P<url>https://cdn/\S+)'}]`, `{"b":"see https://cdn/x.png","c":"https://cdn/x.png, and more"}`, "Data", `{"id":"x","d":1600000000,"b":"see https://cdn/x.png","c":"https://cdn/x.png, and more"}`},
		{"addresses without commas are a text", `media: [{pattern: '(?P<url>https://cdn/\S+)'}]`, `{"b":"https://cdn/x https://cdn/y"}`, "Data.b", `"https://cdn/x https://cdn/y"`},
		{"a pattern that matches nothing", `media: [{pattern: '(?P<url>z*)'}]`, `{"b":"y"}`, "Data.b", `"y"`},
		{"a path of a file stays", `media: [{has: [url], url: .url}]`, `{"f":{"url":"/f/a.jpg"}}`, "Data.f.MediaUrl", `"/f/a.jpg"`},
		{"an address without a scheme", `media: [{has: [url], url: .url}]`, `{"f":{"url":"//h/a.jpg"}}`, "Data.f.MediaUrl", `"https://h/a.jpg"`},
		{"the name of the file has the extension", `media: [{has: [url], url: .url, file: .name}]`, `{"f":{"url":"https://h/a","name":"b.JPG"}}`, "Data.f.Extension", `"jpg"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(`[{"id":"x","d":1600000000,`+strings.TrimPrefix(tt.text, "{")+"]", ",}", "}", 1)
			r := try(t, Options{ID: ".id", Created: ".d"}, "json: {"+tt.mapping+"}", "posts-12.json", text).OK()
			item := r.Items("")[0]
			r.Is(item, tt.path, tt.want)
		})
	}
}

// TestTextIDs: texts that name items and files of any file of the export become references.
func TestTextIDs(t *testing.T) {
	const mapping = `json: {id: .id, created: .d, textIDs: 'r\d+', media: [{has: [url], url: .url, id: .id}]}`
	r := try(t, Options{}, mapping, "x.json", `[{"id":"r1","name":"A","d":1600000000,"one":"r2","all":["r1","r2","r2"],"file":"r3","files":["r3"],"mixed":["r2","r9"],"self":"r1"},{"id":"r2","name":"B","d":1600000000},{"id":"r3","url":"https://h/a.jpg"}]`).OK()
	a, b := r.Named("A"), r.Named("B").Get("ContentID").Str()
	r.Is(a, "Data.one.ContentIDs", `["`+b+`"]`)
	r.Is(a, "Data.file.MediaUrl", `"https://h/a.jpg"`)
	r.Is(a, "Data.self", `"r1"`)
	r.Is(a, "Data.mixed.1", "nothing")
	for path, want := range map[string]int{"all": 3, "files": 1, "mixed": 2} {
		v := a.Get("Data", path)
		if got := len(v.List()); got != want {
			t.Errorf("%s has %d values: %s", path, got, v.Append(nil))
		}
	}
	r.Count("x", "a file", 1)
}

// TestFilesOfLinks: a link to a file becomes a reference, with the alternative text and the size that the link has.
func TestFilesOfLinks(t *testing.T) {
	const mapping = `json: {items: [.data, .files], id: .id, created: .d, media: [{has: [url], url: .url, id: .id, alt: .alt}], links: [{has: [ref], id: .ref, alt: .alt, width: .w}]}`
	const files = `"files":[{"id":"f1","url":"https://h/a.jpg","alt":"A"},{"id":"f2","url":"https://h/b.jpg"}]`
	r := try(t, Options{}, mapping, "x.json", `{"data":[{"id":1,"name":"P","d":1600000000,"one":{"ref":"f1"},"alt":{"ref":"f1","alt":"B","w":7},"two":{"ref":["f1","f2"]},"list":[{"ref":"f1"},{"ref":1}]}],`+files+`}`).OK()
	p := r.Named("P")
	r.Is(p, "Data.one.AltText", `"A"`)
	r.Is(p, "Data.alt.AltText", `"B"`)
	r.Is(p, "Data.alt.Width", "7")
	if v := p.Get("Data", "two"); len(v.List()) != 2 || v.At(1).Get("MediaUrl").Str() != "https://h/b.jpg" {
		t.Errorf("%s", v.Append(nil))
	}
	if v := p.Get("Data", "list"); len(v.List()) != 2 || v.At(0).Get("ReferenceType").Str() != "Media" || v.At(1).Get("ReferenceType").Str() != "Content" {
		t.Errorf("a list of files and items became %s", v.Append(nil))
	}
	if r.Read != 3 || r.Skipped != 2 {
		t.Error(r.Result.Account())
	}
}

// TestMore: a warning counts responses after which others follow, by the files that hold them.
func TestMore(t *testing.T) {
	response := func(n int, more string) string {
		return fmt.Sprintf(`{"items":[{"id":%d,"d":1600000000,"name":"n"}],"next":%s}`, n, more)
	}
	for name, tt := range map[string]struct {
		files map[string]string
		want  int
	}{
		"the only page":         {map[string]string{"a.json": response(1, "null")}, 0},
		"a first page":          {map[string]string{"a.json": response(1, `"x"`)}, 1},
		"all pages in files":    {map[string]string{"a-1.json": response(1, `"x"`), "a-2.json": response(2, `"x"`), "a-10.json": response(3, "false")}, 0},
		"a part of the pages":   {map[string]string{"a-1.json": response(1, `"x"`), "a-2.json": response(2, "true")}, 1},
		"of one of two systems": {map[string]string{"a.json": response(1, `"x"`), "b.json": response(2, `""`)}, 1},
		"all pages in one file": {map[string]string{"a.json": response(1, `"x"`) + response(2, "0")}, 0},
		"all pages in lines":    {map[string]string{"a.ndjson": response(1, `{"href":"x"}`) + "\n" + response(2, "null")}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			m := mappingOf(t, "json: {items: .items, id: .id, created: .d, more: .next}")
			importstest.Try(t, System(Options{}), tt.files, imports.Options{Mapping: m}).OK().Warned("has more items", tt.want)
		})
	}
}

// TestSeveralShapes: items may be all members of an object, or an array at the root.
func TestSeveralShapes(t *testing.T) {
	const mapping = `json: {items: [".data[]", .], id: .id, created: .d, name: .id}`
	for text, want := range map[string]string{
		`{"data":{"posts":[{"id":"a","d":1600000000}],"count":7,"none":null,"page":{"id":"b","d":1600000000},"tags":[]}}`: "page b posts a",
		`[{"id":"a","d":1600000000}]`:            "x a",
		`{"data":[{"id":"a","d":1600000000}]}`:   "data a",
		`{"data":{}}{"data":{"p":[]}}`:           "",
		`{"data":{"p":{"id":1,"d":1600000000}}}`: "p 1",
	} {
		r := importstest.Try(t, System(Options{}), map[string]string{"x.json": text}, imports.Options{Mapping: mappingOf(t, mapping)})
		if want == "" {
			r.Fails("no items at .data[]")
			continue
		}
		var got []string
		for _, item := range r.OK().Items("") {
			got = append(got, item.Get("TemplateName").Str()+" "+item.Get("Source", "ID").Str())
		}
		if strings.Join(slices.Sorted(slices.Values(got)), " ") != want {
			t.Errorf("%s: %v, want %s", text, got, want)
		}
	}
}

// TestSpread shows what paths with [] lead to.
func TestSpread(t *testing.T) {
	for _, tt := range []struct{ path, text, want string }{
		{".a[]", `{"a":[1,2]}`, "[1,2]"}, {".a[]", `{"a":{"x":1,"y":null}}`, "[1,null]"}, {".a[]", `{"a":[]}`, "[]"}, {".a[]", `{"a":1}`, ""}, {".a[]", `{}`, ""},
		{".a[].b", `{"a":[{"b":1},{"c":2},3]}`, "[1]"}, {".a[].b", `{"a":[{"c":2}]}`, ""}, {".a[].b[]", `{"a":[{"b":[1]},{"b":[]},{"b":[2,3]}]}`, "[1,2,3]"},
		{"[]", `[1]`, ""}, {".[]", `[1]`, "[1]"}, {".[][0]", `[[1,2],[3]]`, "[1,3]"},
	} {
		p, err := parsePath(tt.path)
		v, parseError := jsontree.Parse([]byte(tt.text))
		if parseError != nil {
			t.Fatal(parseError)
		}
		got := ""
		if to := p.of(v); err == nil && to != nil {
			got = string(to.Append(nil))
		}
		if got != tt.want {
			t.Errorf("%s of %s: %s, want %s", tt.path, tt.text, got, tt.want)
		}
	}
}

func TestSignedAddresses(t *testing.T) {
	const text = `[{"id":1,"d":1600000000,"name":"A","f":{"url":"https://h/a.pdf?X-Amz-Date=%s&X-Amz-Signature=%s"}}]`
	const mapping = `json: {id: .id, created: .d, media: [{has: [url], url: .url}]}`
	var ids []string
	for _, sign := range []string{"1", "2"} {
		r := try(t, Options{}, mapping, "x.json", fmt.Sprintf(text, sign, sign)).OK()
		r.Warned("signed and expire", 1)
		ids = append(ids, r.Named("A").Get("Data", "f", "Id").Str())
	}
	if ids[0] != ids[1] {
		t.Errorf("the id of a file differs in each export: %v", ids)
	}
	if got := withoutSignature("https://h/get?id=1"); got != "https://h/get?id=1" {
		t.Error(got)
	}
}

// TestSystemsOfFiles: a mapping file names a system, and replaces what it says in another way.
func TestSystemsOfFiles(t *testing.T) {
	const text = `{"docs":[{"id":"1","createdAt":"2024-01-31T00:00:00Z","title":"A","_status":"published","state":"live"},{"id":"2","createdAt":"2024-01-31T00:00:00Z","title":"B","_status":"draft","state":"live"}]}`
	for mapping, want := range map[string]string{
		"system: payload":                                            "Published Draft",
		"system: payload\njson: {status: Private}":                   "Private Private",
		"system: payload\ntypes: {posts: {status: Archived}}":        "Archived Archived",
		"system: payload\njson: {status: [.state, ._status]}":        "Published Draft",
		"system: payload\njson: {items: .docs, type: {from: .gone}}": "Published Draft",
	} {
		r := try(t, Options{}, mapping, "posts.json", text).OK()
		if got := r.Named("A").Get("Status").Str() + " " + r.Named("B").Get("Status").Str(); got != want {
			t.Errorf("%s: %s, want %s", mapping, got, want)
		}
		if len(r.Warnings) > 0 {
			t.Errorf("%s: %v", mapping, r.Warnings)
		}
	}
	try(t, Options{Status: "Private"}, "system: payload", "posts.json", text).OK().Count("posts", "posts", 2)
}

// TestUnknownSystems: a name that is not that of a system is an error that lists them, and a file has a path.
func TestUnknownSystems(t *testing.T) {
	if _, err := imports.ReadMapping("dirctus", mappings); err == nil || !strings.Contains(err.Error(), "airtable, ") || !strings.Contains(err.Error(), "./NAME") {
		t.Error(err)
	}
	for text, want := range map[string]string{"system: nothing": "mapping.yaml:1:9: no mapping file", "system: {}": "system must be a text"} {
		file := filepath.Join(t.TempDir(), "mapping.yaml")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := imports.ReadMapping(file, mappings); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := imports.ReadMapping("./directus", mappings); err == nil || strings.Contains(err.Error(), "systems") {
		t.Error(err)
	}
	if _, err := imports.ReadMapping("directus", nil); err == nil || strings.Contains(err.Error(), "systems") {
		t.Error(err)
	}
}
