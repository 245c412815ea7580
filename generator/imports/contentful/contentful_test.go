package contentful

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"contentedge/generator/imports"
	"contentedge/generator/imports/importstest"
)

const types = `"contentTypes":[{"sys":{"id":"page"},"name":"A Page","displayField":"head","fields":[
	{"id":"head","type":"Symbol","localized":true},{"id":"body","type":"RichText","localized":true},{"id":"next","type":"Link"},{"id":"raw","type":"Object"}]}]`

// entry returns an entry in one locale; sys and fields are members of JSON objects.
func entry(id, sys, fields string) string {
	return fmt.Sprintf(`{"sys":{"id":%q,"type":"Entry","contentType":{"sys":{"id":"page"}},"createdAt":"2024-01-01T00:00:00.000Z","updatedAt":"2024-01-03T00:00:00.000Z",%s},"fields":{%s}}`, id, sys, fields)
}

const live = `"version":5,"publishedVersion":4,"publishedAt":"2024-01-02T00:00:00.000Z"`

func link(kind, id string) string {
	return fmt.Sprintf(`{"sys":{"type":"Link","linkType":%q,"id":%q}}`, kind, id)
}

const photo = `{"sys":{"id":"p","version":2,"publishedVersion":1,"createdAt":"2024-01-01T00:00:00Z"},"fields":{"title":{"en":"A cat"},"file":{"en":{"url":"//images.example/p/Cat.JPG","fileName":"Cat.JPG","contentType":"image/jpeg","details":{"size":120,"image":{"width":30,"height":40}}}}}}`

func contentful(t testing.TB, o imports.Options, members ...string) *importstest.Result {
	t.Helper()
	return importstest.Import(t, System, map[string]string{"export.json": "{" + strings.Join(members, ",") + "}"}, o)
}

func entries(list ...string) string { return `"entries":[` + strings.Join(list, ",") + `]` }
func assets(list ...string) string  { return `"assets":[` + strings.Join(list, ",") + `]` }

// TestContentful shows what becomes of statuses, links, rich text and assets.
func TestContentful(t *testing.T) {
	r := contentful(t, imports.Options{}, types, assets(photo, strings.ReplaceAll(photo, `"p"`, `"unused"`)), entries(
		entry("a", live+`,"createdBy":{"sys":{"type":"Link","linkType":"User","id":"u1"}}`, `"head":{"en":"Hello"},"next":{"en":`+link("Entry", "b")+`},"price":{"en":1.0}`),
		entry("b", `"version":9,"publishedVersion":4,"publishedAt":"2024-01-02T00:00:00.000Z"`, `"head":{"en":"Edited"}`),
		entry("c", `"version":1`, `"head":{"en":"New"}`),
		entry("d", `"version":3,"archivedVersion":2`, `"head":{"en":"Old"}`),
		entry("e", live, `"many":{"en":[`+link("Entry", "a")+`,`+link("Entry", "gone")+`]},"mixed":{"en":[`+link("Entry", "a")+`,`+link("Asset", "p")+`]},"none":{"en":[]},
			"far":{"en":{"sys":{"type":"ResourceLink","linkType":"Contentful:Entry","urn":"crn:x"}}},"raw":{"en":`+link("Entry", "a")+`},"lost":{"en":`+link("Asset", "gone")+`},
			"body":{"en":{"nodeType":"document","data":{},"content":[{"nodeType":"paragraph","data":{},"content":[{"nodeType":"text","value":"See ","marks":[],"data":{}},{"nodeType":"entry-hyperlink","data":{"target":`+link("Entry", "a")+`},"content":[{"nodeType":"text","value":"this","marks":[],"data":{}}]}]},{"nodeType":"embedded-asset-block","data":{"target":`+link("Asset", "p")+`},"content":[]}]}}`),
	))
	if r.Err != nil {
		t.Fatal(r.Err)
	}

	a := r.Item(t, "a", "ContentID")
	for _, tt := range []struct{ id, path, want string }{
		{"a", "Name", `"Hello"`}, {"a", "Status", `"Published"`}, {"a", "TemplateName", `"page"`}, {"a", "CreatedBy", `"u1"`}, {"a", "PublishedAt", `"2024-01-02T00:00:00.000Z"`},
		{"a", "Source", `{"System":"contentful","Type":"Entry","ID":"a","Locale":"en"}`},
		{"a", "Data.price", "1.0"}, {"a", "Data.next", `{"Type":"Reference","ReferenceType":"Content","ContentIDs":[` + r.Item(t, "b", "ContentID") + `]}`},
		{"b", "Status", `"Changed"`}, {"b", "PublishedAt", `"2024-01-02T00:00:00.000Z"`}, {"c", "Status", `"Draft"`}, {"c", "PublishedAt", ""}, {"d", "Status", `"Archived"`},
		{"e", "Name", `"e"`}, {"e", "Data.none", "[]"}, {"e", "Data.raw", link("Entry", "a")}, {"e", "Data.far.sys.urn", `"crn:x"`},
		{"e", "Data.bodyText", `"See this"`}, {"e", "Data.lost.ReferenceType", `"Media"`}, {"e", "Data.lost.MediaUrl", ""},
	} {
		if got := r.Item(t, tt.id, strings.Split(tt.path, ".")...); got != tt.want {
			t.Errorf("%s of %s is %s, want %s", tt.path, tt.id, got, tt.want)
		}
	}
	media := `{"Type":"Reference","ReferenceType":"Media","Id":"Media_`
	cat := `"MediaUrl":"https://images.example/p/Cat.JPG","AltText":"A cat","Extension":"jpg","Size":120,"Width":30,"Height":40}`
	body := r.Item(t, "e", "Data", "body")
	for _, want := range []string{`"target":{"Type":"Reference","ReferenceType":"Content","ContentIDs":[` + a + `]}`, `"target":` + media, cat} {
		if !strings.Contains(body, want) {
			t.Errorf("%s\nlacks %s", body, want)
		}
	}
	if got := r.Item(t, "e", "Data", "many", "ContentIDs"); !strings.HasPrefix(got, "["+a+",") || strings.Count(got, "Content_") != 2 {
		t.Errorf("an array of links is %s", got)
	}
	if got := r.Item(t, "e", "Data", "mixed"); !strings.HasPrefix(got, `[{"Type":"Reference","ReferenceType":"Content"`) || !strings.Contains(got, cat+"]") {
		t.Errorf("a mixed array is %s", got)
	}
	if want := "1 Entry page item: page Archived\n1 Entry page item: page Changed\n1 Entry page item: page Draft\n2 Entry page item: page Published\n1 Asset merged: into the references to it \n1 Asset skipped: nothing links to it \n1 contentTypes skipped: describes entries \n"; r.Account() != want {
		t.Errorf("got\n%swant\n%s", r.Account(), want)
	}
	for _, want := range []string{"later edits, which are unpublished: status Changed: 1 (Entry b)", "links to entries that the export lacks: 1 (gone)", "links to assets that the export lacks: 1 (gone)", "links to Contentful:Entry stay as they are: 1 (crn:x)"} {
		if !strings.Contains(r.Warned(), want) {
			t.Errorf("%s\nlacks %q", r.Warned(), want)
		}
	}
}

// TestOddExports: parts of an export may be absent, or be there twice.
func TestOddExports(t *testing.T) {
	if r := contentful(t, imports.Options{}, types); r.Err != nil || r.Read != 1 || len(r.Files) != 0 || !strings.Contains(r.Warned(), "no items") {
		t.Errorf("models alone: %v, %s", r.Err, r.Warned())
	}
	if r := contentful(t, imports.Options{}, `"locales":[{"code":"en","default":true},{"code":"de","default":true}]`, entries(entry("a", live, `"head":{"en":"x"}`))); r.Err != nil || !strings.Contains(r.Warned(), "several locales are the default one; en is taken") {
		t.Errorf("two default locales: %v, %s", r.Err, r.Warned())
	}
	r := contentful(t, imports.Options{AssetItems: true, TemplateNames: true}, types, assets(photo), entries(entry("a", live, `"head":{"en":"x"}`)))
	if r.Item(t, "p", "Name") != `"A cat"` || r.Item(t, "p", "Data", "title") != `"A cat"` || !strings.Contains(r.Item(t, "p", "Data", "file"), "Cat.JPG") || r.Item(t, "a", "TemplateName") != `"A Page"` {
		t.Errorf("assets as items: %s", r.Account())
	}
	r = contentful(t, imports.Options{}, `"tags":[{"name":"News","sys":{"id":"t1"}}]`, entries(`{"metadata":{"tags":[`+link("Tag", "t1")+`]},"sys":{"id":"x","revision":3,"createdAt":"2024-01-01T00:00:00Z"},"fields":{}}`))
	if r.Item(t, "x", "Data") != `{"metadata":{"tags":["News"]}}` || r.Item(t, "x", "Status") != `"Published"` || r.Item(t, "x", "TemplateName") != `"Entry"` {
		t.Errorf("tags, and an entry of the delivery API: %s", r.Item(t, "x"))
	}
}

// TestFaultsHaveAPlace: nothing is written, and the message has line and column.
func TestFaultsHaveAPlace(t *testing.T) {
	for text, want := range map[string]string{
		`[]`: "not an export of Contentful", `{"a":1}`: "not an export of Contentful", "{\n \"entries\":{}}": "export.json:2:12: entries must be an array", "{\"entries\":[\n{\"sys\":{}}]}": "export.json:2:1: this Entry has no sys.id",
		"{\"entries\":[{\"sys\":{\"id\":\"a\"},\n\"fields\":{\"x\":1}}]}": "2:15: the values of a field must be in an object by locale",
		`{"entries":[`: "ends in the middle", `{"entries":[],"entries":[]}`: "given twice", "{\"assets\":[{}]}": "this Asset has no sys.id", `{"locales":[{}]}`: "has no code",
		`{"entries":[` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `]}`: "nested more than",
		`{"entries":[` + entry("a", live, "") + `,` + entry("a", live, "") + `]}`:   "have the same id",
	} {
		r := importstest.Import(t, System, map[string]string{"export.json": text}, imports.Options{})
		if r.Err == nil || !strings.Contains(r.Err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", text, r.Err, want)
		}
		if _, err := os.Stat(r.Content); err == nil {
			t.Errorf("%.60s: something is written", text)
		}
	}
}

const twoLocales = `"locales":[{"code":"en","default":true},{"code":"de","fallbackCode":"en"},{"code":"fr","fallbackCode":"de"},{"code":"it"}]`

// TestLocales: none is chosen in silence; fallbacks are filled along the chain.
func TestLocales(t *testing.T) {
	members := []string{types, twoLocales, entries(
		entry("a", live, `"head":{"en":"One","de":"Eins"},"next":{"en":`+link("Entry", "b")+`},"body":{"de":{"nodeType":"document","content":[{"nodeType":"text","value":"Wort"}]}}`),
		entry("b", live, `"head":{"en":"Two","fr":"Deux"}`))}
	if r := contentful(t, imports.Options{}, members...); r.Err == nil || !strings.Contains(r.Err.Error(), "en (2), de (1), fr (1)") {
		t.Errorf("no flag: %v", r.Err)
	}
	if r := contentful(t, imports.Options{Locales: "xx"}, members...); r.Err == nil || !strings.Contains(r.Err.Error(), `no locale "xx"`) {
		t.Errorf("an unknown locale: %v", r.Err)
	}
	r := contentful(t, imports.Options{Locales: "environments"}, members...)
	if got := strings.Join(r.Names(), " "); got != "site-de/a site-de/b site-en/a site-en/b site-fr/a site-fr/b" {
		t.Error(got)
	}
	for _, tt := range []struct{ id, path, want string }{
		{"site-fr/a", "Data.head", `"Eins"`}, {"site-de/b", "Data.head", `"Two"`}, {"site-fr/b", "Name", `"Deux"`}, {"site-en/a", "Data.body", ""}, {"site-fr/a", "Data.bodyText", `"Wort"`},
		{"site-fr/a", "Source.Locale", `"fr"`}, {"site-fr/a", "ContentID", r.Item(t, "site-en/a", "ContentID")}, {"site-de/a", "Data.next.ReferenceType", `"Content"`},
	} {
		if got := r.Item(t, tt.id, strings.Split(tt.path, ".")...); got != tt.want {
			t.Errorf("%s of %s is %s, want %s", tt.path, tt.id, got, tt.want)
		}
	}
	r = contentful(t, imports.Options{Locales: "member"}, members...)
	for _, tt := range []struct{ id, path, want string }{
		{"a", "Data.head", `{"en":"One","de":"Eins"}`}, {"a", "Name", `"One"`}, {"a", "Data.bodyText", `{"de":"Wort"}`}, {"a", "Data.next.ReferenceType", `"Content"`}, {"a", "Source.Locale", ""},
	} {
		if got := r.Item(t, tt.id, strings.Split(tt.path, ".")...); got != tt.want {
			t.Errorf("%s of %s is %s, want %s", tt.path, tt.id, got, tt.want)
		}
	}
	r = contentful(t, imports.Options{Locales: "it"}, members...)
	if r.Err != nil || r.Item(t, "a", "Data", "head") != "" || r.Item(t, "a", "Data", "next", "ReferenceType") != `"Content"` || !strings.Contains(r.Warned(), "values in the locale de are left out: 1") {
		t.Errorf("one locale: %v, %s", r.Err, r.Warned())
	}
}

// TestSharedValues: a value that several locales have is converted for each: an asset has a file in each.
func TestSharedValues(t *testing.T) {
	r := contentful(t, imports.Options{Locales: "environments"}, types, twoLocales,
		assets(`{"sys":{"id":"p","version":2,"publishedVersion":1},"fields":{"file":{"en":{"url":"//x/en.png"},"de":{"url":"//x/de.png"}}}}`),
		entries(entry("a", live, `"head":{"en":"One","de":"Eins"},"raw":{"en":{"in":{"nodeType":"document","content":[{"nodeType":"text","value":"w"}]}}},
			"body":{"en":{"nodeType":"document","content":[{"nodeType":"embedded-asset-block","data":{"target":`+link("Asset", "p")+`},"content":[]},{"nodeType":"text","value":"w"}]}}`)))
	for _, code := range []string{"en", "de"} {
		if got := r.Item(t, "site-"+code+"/a", "Data", "body"); !strings.Contains(got, "https://x/"+code+".png") {
			t.Errorf("%s: %s", code, got)
		}
	}
	if r.Warned() != "" || r.Item(t, "site-de/a", "Data", "raw", "inText") != `"w"` {
		t.Errorf("%s %s", r.Warned(), r.Item(t, "site-de/a"))
	}
}

// TestOrderDoesNotMatter: an export with its entries and assets in another order gives the same bytes.
func TestOrderDoesNotMatter(t *testing.T) {
	var list []string
	for i := range 40 {
		list = append(list, entry(fmt.Sprint("e", i), live, fmt.Sprintf(`"head":{"en":"n %d"},"next":{"en":%s},"pic":{"en":%s}`, i, link("Entry", fmt.Sprint("e", i*7%40)), link("Asset", "p"))))
	}
	once := contentful(t, imports.Options{}, types, entries(list...), assets(photo))
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	again := contentful(t, imports.Options{}, assets(photo), entries(list...), types)
	a, _ := os.ReadFile(once.Files[0].Name)
	b, _ := os.ReadFile(again.Files[0].Name)
	if len(a) == 0 || string(a) != string(b) || once.Account() != again.Account() {
		t.Error("the order of an export changes the result")
	}
}

// TestNothingPrivate: webhooks, users and keys of an export, and fields that hold such, do not come along.
func TestNothingPrivate(t *testing.T) {
	r := contentful(t, imports.Options{}, types, `"webhooks":[{"url":"https://x","httpBasicPassword":"secret-1","headers":[{"key":"Authorization","value":"secret-2"}]}]`, `"users":[{"email":"ann@example.com"}]`,
		entries(entry("a", live+`,"createdBy":{"sys":{"id":"ann@example.com"}}`, `"head":{"en":"bob@example.com"},"password":{"en":"$2a$10$abcdefghijklmnopqrstuv"},"hash":{"en":{"x":["$2b$10$abc"]}},"apiKey":{"en":"secret-3"},"mail":{"en":"mailto:cat@example.com"},"note":{"en":"write to us"}`)))
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	item := r.Item(t, "a")
	for _, secret := range []string{"secret", "$2a$", "$2b$", "example.com"} {
		if strings.Contains(item, secret) {
			t.Errorf("%q came along: %s", secret, item)
		}
	}
	if !strings.Contains(item, `"note":"write to us"`) || !strings.Contains(r.Warned(), "e-mail addresses are left out, until a mapping file keeps them: mail of page: 1") {
		t.Errorf("%s\n%s", item, r.Warned())
	}
}

// FuzzContentful: whatever a file holds, an import gives items or one error with its place, and the
// account adds up.
func FuzzContentful(f *testing.F) {
	f.Add([]byte(`{` + types + `,` + twoLocales + `,` + assets(photo) + `,` + entries(entry("a", live, `"head":{"en":"One"},"next":{"en":`+link("Asset", "p")+`}`)) + `}`))
	f.Add([]byte(`{"entries":[{"sys":{"id":"x"},"fields":{"a":{"en":[{"sys":{"type":"Link","linkType":"Entry"}}]},"b":{"":null}}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) == 0 {
			return
		}
		for _, locales := range []string{"", "environments", "member"} {
			r := importstest.Import(t, System, map[string]string{"e.json": string(text)}, imports.Options{Locales: locales, DryRun: true, AssetItems: true})
			if r.Err != nil && (strings.Contains(r.Err.Error(), "add up") || r.Err.Error() == "") {
				t.Fatalf("%q: %v", text, r.Err)
			}
		}
	})
}

func TestLongValues(t *testing.T) {
	importstest.LongValues(t, System, map[string]string{"export.json": "{" + strings.Join([]string{types, assets(photo), entries(
		entry("a", live, `"head":{"en":"Hello","de":"Hallo"},"next":{"en":`+link("Entry", "gone")+`},"metadata":{"en":1}`),
		entry("b", `"version":1`, `"many":{"en":[`+link("Asset", "p")+`]},"mail":{"en":"a@example.org"}`))}, ",") + "}"}, imports.Options{})
}
