package anyjson

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/generator/imports"
	"contentedge/generator/imports/importstest"
)

func try(t testing.TB, o Options, mapping, name, text string) *importstest.Checks {
	t.Helper()
	opts := imports.Options{Mapping: mappingOf(t, mapping)}
	return importstest.Try(t, System(o), map[string]string{name: text}, opts)
}

// mappingOf reads a mapping file with a text; "" is none.
func mappingOf(t testing.TB, text string) *imports.Mapping {
	t.Helper()
	if text == "" {
		return nil
	}
	file := filepath.Join(t.TempDir(), "mapping.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := imports.ReadMapping(file, mappings)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestAnyJSON shows where items may stand.
func TestAnyJSON(t *testing.T) {
	const a, b = `{"slug":"a","title":"A","date":"2024-01-31"}`, `{"slug":"b","title":"B","date":"2024-02-01T10:00:00+0200","n":1.0,"x":null}`
	o := Options{ID: ".slug", Created: ".date"}
	for _, tt := range []struct{ name, file, items, text string }{
		{"an array", "posts.json", "", "[" + a + "," + b + "]"},
		{"an object with one array", "posts.json", "", `{"total":2,"tags":["x"],"posts":[` + a + "," + b + `]}`},
		{"an object in which an object has one", "x.json", "", `{"data":{"posts":[` + a + "," + b + `]}}`},
		{"an array that is named", "x.json", ".data[1].posts", `{"other":[{}],"data":[7,{"posts":[` + a + "," + b + `]}]}`},
		{"lines", "posts.ndjson", "", a + "\n\n" + b + "\n"},
		{"lines without an end", "posts.JSONL", "", a + "\r\n" + b},
		{"values one behind the other", "posts.json", "", a + "\n" + b},
		{"lines of another extension", "posts.txt", "", a + "\n" + b},
		{"arrays one behind the other", "posts.json", "", "[" + a + "][" + b + "]"},
		{"values that are named", "posts.json", ".post", `{"post":` + a + `}{"post":` + b + `}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := o
			o.Items = tt.items
			r := try(t, o, "", tt.file, tt.text).OK()
			r.Is(r.Named("A"), "CreatedAt", `"2024-01-31T00:00:00Z"`)
			r.Is(r.Named("B"), "CreatedAt", `"2024-02-01T08:00:00Z"`)
			r.Is(r.Named("B"), "Data.n", "1.0")
			r.Is(r.Named("A"), "Status", `"Published"`)
			if kind := r.Named("A").Get("TemplateName").Str(); !strings.HasPrefix(kind, "post") {
				t.Errorf("the template is %s", kind)
			}
			if got := r.Account(); !strings.HasPrefix(got, "2 post") {
				t.Error(got)
			}
		})
	}
}

func TestFlags(t *testing.T) {
	const text = `[{"meta":{"key id":7},"kind":"Article","head":["One"],"made":1706659200,"edited":1706745600000,"shown":"Jan 31, 2024","state":"draft"}]`
	r := try(t, Options{ID: `.meta["key id"]`, Name: ".head[0]", Template: ".kind", Created: ".made", Updated: ".edited", Published: ".shown", Status: ".state"}, "", "x.json", text).OK()
	for path, want := range map[string]string{
		"TemplateName": `"Article"`, "CreatedAt": `"2024-01-31T00:00:00Z"`, "UpdatedAt": `"2024-02-01T00:00:00Z"`, "PublishedAt": `"2024-01-31T00:00:00Z"`, "Status": `"Draft"`,
		"Source": `{"System":"json","Type":"Article","ID":"7"}`,
	} {
		r.Is(r.Named("One"), path, want)
	}
	// a fixed template; ids are unique in a type alone, a UUID stays
	r = try(t, Options{ID: ".id", Template: "Page", Created: ".d"}, "", "x.json", `[{"id":"0B6F2A58-6B0E-4C1A-9F5E-2D8F1C7E4A10","name":"U","d":"2024-01-31","password":"secret1","mail":"a@example.org"}]`).OK()
	r.Is(r.Named("U"), "ContentID", `"Content_0b6f2a58-6b0e-4c1a-9f5e-2d8f1c7e4a10"`)
	r.Lacks("secret1", "@")
}

// TestMappings imports what other systems deliver, each with a mapping file.
func TestMappings(t *testing.T) {
	for _, tt := range []struct {
		name, mapping, text string
		item                string
		want                map[string]string
	}{
		{
			"Kontent", `
json:
  items: .items
  id: .system.id
  key: .system.codename
  type: .system.type
  name: .system.name
  updated: .system.last_modified
  data: .elements
  value: .value
  links:
    - {where: {type: modular_content}, id: .value}
  media:
    - {has: [url, size, name], url: .url, alt: .description, width: .width, height: .height, size: .size}
`, `{"items":[{"system":{"id":"0b6f2a58-6b0e-4c1a-9f5e-2d8f1c7e4a10","name":"One","codename":"one","type":"article","last_modified":"2024-01-31T10:00:00.1234567Z"},"elements":{"title":{"type":"text","name":"Title","value":"One"},
			"related":{"type":"modular_content","name":"R","value":["two"]},"none":{"type":"modular_content","name":"N","value":[]},"price":{"type":"number","name":"P","value":1.50},"empty":{"type":"number","value":null},
			"image":{"type":"asset","name":"I","value":[{"name":"a.png","type":"image/png","size":10,"url":"https://assets/a.png","description":"A","width":600,"height":400}]}}},
			{"system":{"id":"1b6f2a58-6b0e-4c1a-9f5e-2d8f1c7e4a10","name":"Two","codename":"two","type":"article","last_modified":"2024-01-31T10:00:00Z"},"elements":{}}]}`,
			"One", map[string]string{
				"TemplateName": `"article"`, "Data.title": `"One"`, "Data.price": "1.50", "Data.empty": "null", "Data.none": "[]", "Data.related.ContentIDs": `["ID Two"]`,
				"Data.image": `[{"Type":"Reference","ReferenceType":"Media","Id":"Media_4f3883fd-d37a-5d72-8501-78c2ff855fb6","MediaUrl":"https://assets/a.png","AltText":"A","Extension":"png","Size":10,"Width":600,"Height":400}]`,
			},
		},
		{
			"Dato", `
json:
  items: [.data.allPosts, .data.allAuthors]
  id: .id
  type: .__typename
  created: ._createdAt
  status: ._status
  links:
    - {has: [__typename, id], id: .id, type: .__typename}
  media:
    - {has: [url, filename], url: .url, alt: .alt}
`, `{"data":{"allPosts":[{"__typename":"PostRecord","id":"1","title":"One","_createdAt":"2024-01-31T10:00:00+01:00","_status":"published","author":{"__typename":"AuthorRecord","id":"1"},"image":{"url":"//www.datocms-assets.com/1/a.gif","filename":"a.gif","alt":null}}],
			"allAuthors":[{"__typename":"AuthorRecord","id":"1","name":"Ann","_createdAt":"2024-01-31T10:00:00+01:00","_status":"updated"}]}}`,
			"One", map[string]string{"Status": `"Published"`, "Data.author.ContentIDs": `["ID Ann"]`, "Data.image.MediaUrl": `"https://www.datocms-assets.com/1/a.gif"`, "CreatedAt": `"2024-01-31T09:00:00Z"`},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := try(t, Options{}, tt.mapping, "export.json", tt.text).OK()
			item := r.Named(tt.item)
			for path, want := range tt.want {
				for _, other := range r.Items("") {
					want = strings.ReplaceAll(want, "ID "+other.Get("Name").Str(), other.Get("ContentID").Str())
				}
				r.Is(item, path, want)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	id := Options{ID: ".id", Created: ".d"}
	for _, tt := range []struct {
		name, file, text string
		o                Options
		want             []string
	}{
		{"no rule for ids", "x.json", "[]", Options{}, []string{"--id"}},
		{"a path without a dot", "x.json", "[]", Options{ID: "slug"}, []string{"--id", "begin with a dot"}},
		{"a wrong path", "x.json", "[]", Options{ID: ".a[x]"}, []string{"--id", "cannot be read"}},
		{"an item without an id", "x.json", "[{\"id\":1},\n {\"name\":2}]", id, []string{"x.json:2:2", "no id at .id", "name"}},
		{"an id of another kind", "x.json", `[{"id":{}}]`, id, []string{"x.json:1:8", "an object"}},
		{"a date that is none", "x.json", `[{"id":1,"d":"soon"}]`, id, []string{"x.json:1:14", "soon"}},
		{"a number that is not a date", "x.json", `[{"id":1,"d":1e300}]`, id, []string{"not a date"}},
		{"a list of dates", "x.json", `[{"id":1,"d":["2024-01-31"]}]`, id, []string{"x.json:1:14", "this must be a date, not an array", "--created .date.start"}},
		{"an object with a date", "x.json", `[{"id":1,"d":{"$date":"2024-01-31"}}]`, id, []string{"x.json:1:14", "not an object"}},
		{"a count", "x.json", `[{"id":1,"d":3}]`, id, []string{"x.json:1:14", `"3" is not a date`}},
		{"a month", "x.json", `[{"id":1,"d":"2024-01"}]`, id, []string{"x.json:1:14", "a month has no day"}},
		{"no date", "x.json", `[{"id":1}]`, id, []string{"without a date"}},
		{"an element that is no object", "x.json", `[7]`, id, []string{"x.json:1:2", "not a number"}},
		{"several arrays", "x.json", `{"a":[{}],"b":[{}]}`, id, []string{"--items", ".a, .b"}},
		{"no array", "x.json", `{"a":1}`, id, []string{"no array of objects", "--items ."}},
		{"nothing at the path", "x.json", `{"a":[]}`, Options{Items: ".b", ID: ".id"}, []string{"no items at .b"}},
		{"two values in a line", "x.ndjson", `{"id":1}{"id":2}`, id, []string{"x.ndjson:1:9", "more after"}},
		{"a line cut off", "x.ndjson", "{\"id\":1,\"d\":1e9}\n{\"id\":", id, []string{"x.ndjson:2:"}},
		{"a file cut off", "x.json", `[{"id":1}`, id, []string{"x.json:1:10"}},
		{"nested too deep", "x.json", `[{"id":1,"a":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}]`, id, []string{"nested more than 500"}},
		{"nested very deep", "x.json", strings.Repeat("[", 1<<20), id, nil},
		{"the same id twice", "x.json", `[{"id":1,"d":1e9},{"id":1,"d":1e9}]`, id, []string{"the same id"}},
		{"a long line", "x.ndjson", strings.Repeat("x", 40<<20), id, []string{"x.ndjson:1:1", "more than 32"}},
		{"white space", "x.json", " \n", id, []string{"holds nothing"}},
	} {
		t.Run(tt.name, func(t *testing.T) { try(t, tt.o, "", tt.file, tt.text).Fails(tt.want...) })
	}
	for mapping, want := range map[string]string{
		"json:\n  idd: .id\n":                                     "mapping.yaml:2:",
		"json: {id: slug}":                                        "begin with a dot",
		"json: {id: .id, links: [{id: .id}]}":                     "neither has nor where",
		"json: {id: .id, media: [{has: [url]}]}":                  "has no url",
		"json: {id: .id, status: {a: b}}":                         "from",
		"json: {id: .id, items: 7}":                               "must be a text",
		"json: {id: .id, references: [author]}":                   "must be an object",
		"json: {id: .id, links: [{has: id, id: .id}]}":            "must be an array",
		"json: {id: .id, links: [{where: {a: []}, id: .a}]}":      "must be a text, a number or a boolean",
		"json: {id: .id, links: [{has: ['.a[x]'], id: .a}]}":      "cannot be read",
		"json: {id: .id, links: [{has: [a], id: .a, inline: 1}]}": "must be true or false",
		"json: {id: .id, media: [{pattern: '(', url: .a}]}":       "not a regular expression",
		"json: {id: .id, media: [{pattern: 'x'}]}":                "no group url",
		"json: {id: .id, sparse: maybe}":                          "sparse must be true or false",
		"json: {id: .id, status: [{from: marks, else: Draft}]}":   "else of marks must be null",
		"json: {id: .id, status: [{from: marks, draft: Draft}]}":  "draft",
		"json: {id: .id, textIDs: '('}":                           "not a regular expression",
		"json: {id: .id, numbers: n}":                             "must be an array",
		"json: {id: .id, lists: {a: 7}}":                          "must be a text",
		"json: {id: .id, group: {parts: {}}}":                     "names no column",
		"json: {id: .id, group: {by: a, part: {}}}":               "no member",
		"json: {id: .id, group: sku}":                             "JSON has no rows",
		"json: {id: .id, type: {from: marks}}":                    "begin with a dot",
	} {
		try(t, Options{}, mapping, "x.json", "[]").Fails(want)
	}
}

func TestLinksThatLeadNowhere(t *testing.T) {
	const mapping = "json: {id: .id, type: .t, created: .d, links: [{has: [ref], id: .ref}]}"
	r := try(t, Options{}, mapping, "x.json", `[{"id":"a","t":"x","d":1e9,"name":"A","to":{"ref":"gone"}},{"id":"a","t":"y","d":1e9,"name":"B","to":{"ref":"a"},"both":[{"ref":"a"},7]}]`).OK()
	r.Warned("export lacks", 1)
	r.Warned("several types", 2)
	r.Is(r.Named("A"), "Data.to.Type", `"Reference"`)
	if got := r.Named("B").Get("Data", "both"); len(got.List()) != 2 {
		t.Errorf("a mixed array became %s", got.Append(nil))
	}
}

func TestPaths(t *testing.T) {
	for text, want := range map[string]string{
		".": ".", ".a": ".a", ".a.b[0].c": ".a.b[0].c", ".[0]": "[0]", `.["a.b"]`: `.["a.b"]`, `.a["b"]`: ".a.b", ".a.[1]": ".a[1]",
		"a": "", ".a.": "", "..a": "", ".a[": "", ".a[-1]": "", `.["a"`: "", ".a]": ".a]", "": "",
	} {
		p, err := parsePath(text)
		if got := p.String(); (err == nil) != (want != "") || err == nil && strings.TrimPrefix(got, ".") != strings.TrimPrefix(want, ".") {
			t.Errorf("%q: %s, %v, want %s", text, got, err, want)
		}
	}
}

func FuzzAnyJSON(f *testing.F) {
	f.Add(".items", ".id", `{"items":[{"id":1,"d":1e9,"to":{"type":"x","ref":"1"}}]}`, true)
	f.Add("", ".a[0]", `{"a":[1]}{"a":["x"]}`, true)
	f.Add("", ".id", "{\"id\":1}\n\n{\"id\":2}", false)
	f.Add(".[0]", `.["x"]`, `[[{"x":7,"d":{}}]]`, true)
	f.Fuzz(func(t *testing.T, items, id, text string, whole bool) {
		name := "x.ndjson"
		if whole {
			name = "x.json"
		}
		r := try(t, Options{Items: items, ID: id, Created: ".d"}, "json: {links: [{has: [ref], id: .ref, type: .type}], media: [{has: [url], url: .url}], value: .value, references: {r: x}}", name, text)
		if r.Err == nil {
			r.OK()
		}
	})
}

func TestLongValues(t *testing.T) {
	mapping := mappingOf(t, "json: {id: .id, type: .t, status: .s, created: .d, links: [{has: [ref], id: .ref, type: .of}], references: {author: person}}")
	for _, text := range []string{
		`[{"id":"a","t":"x","s":"odd","d":"2024-01-31","title":"A","to":{"ref":"gone","of":"x"},"author":{"k":1}},{"id":"b","t":"x","d":20240131,"mail":"a@example.org"}]`,
		`{"items":[{"id":"a","t":"contact","d":"2024-01-31"}],"more":[{"id":"a"}]}`,
		`[{"id":"a","t":"x","d":"2024-01-31","draft":"maybe"},{"name":"no id"}]`,
	} {
		importstest.LongValues(t, System(Options{}), map[string]string{"x.json": text}, imports.Options{Mapping: mapping})
	}
	r := try(t, Options{ID: ".id", Created: ".d"}, "", "x.json", `[{"id":"`+strings.Repeat("x", 20<<20)+`","d":"2024-01-31"}]`)
	if r.Err == nil || len(r.Err.Error()) > 4<<10 {
		t.Errorf("%.300s", r.Err)
	}
}
