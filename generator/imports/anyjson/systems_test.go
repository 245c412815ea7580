package anyjson

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/imports"
	"contentedge/generator/imports/importstest"
	"contentedge/generator/jsontree"
	"contentedge/generator/visibility"
)

var update = flag.Bool("update", false, "write testdata/systems/*.golden")

// systemTest is a system with a mapping file, and what else its import needs.
type systemTest struct {
	name      string
	options   Options
	mapping   string // a mapping file that changes the one of the system
	mediaBase string
	date      time.Time
	published string // the names of the published items
}

var systemTests = []systemTest{
	{name: "airtable", published: "Ann Baker, Rye bread"},
	{name: "airtable-csv", options: Options{CSV: true}, published: "Rye bread"},
	{name: "craft", published: "Exported, Rye bread, Spelt bread"},
	{name: "directus", mapping: "system: directus\njson: {references: {author: authors}}", mediaBase: "https://cms.example.org/assets", published: "Ann Baker, Rye bread"},
	{name: "drupal", mediaBase: "https://www.example.org", published: "Baking, Rye bread"},
	{name: "hygraph", published: "Ann Baker, Rye bread"},
	{name: "notion", published: "Rye bread"},
	{name: "payload", mediaBase: "https://cms.example.org", published: "Baking, Rye bread"},
	{name: "prismic", date: time.Date(2024, 1, 31, 0, 0, 0, 0, time.UTC), published: "About, Rye bread"},
	{name: "shopify", options: Options{CSV: true}, date: time.Date(2024, 1, 31, 0, 0, 0, 0, time.UTC), published: "Rye loaf"},
	{name: "storyblok", published: "Home"},
	{name: "wagtail", mediaBase: "https://www.example.org", published: "Blog, Rye bread"},
}

// TestSystems imports a sample of each system as the program's mapping file says. testdata has the items.
func TestSystems(t *testing.T) {
	var names []string
	for _, tt := range systemTests {
		names = append(names, tt.name)
		t.Run(tt.name, func(t *testing.T) {
			r := importSystem(t, tt)
			r.Lacks("ann@example.org")
			var published []string
			for _, item := range r.Items("") {
				if item.Get(address.FieldStatus).Str() == visibility.Published {
					published = append(published, item.Get(address.FieldName).Str())
				}
			}
			slices.Sort(published)
			if got := strings.Join(published, ", "); got != tt.published {
				t.Errorf("published are %s, want %s", got, tt.published)
			}
			compare(t, filepath.Join("testdata", "systems", tt.name+".golden"), r.Account()+r.Result.Warned()+r.Text())
		})
	}
	if got := imports.SystemNames(mappings); !slices.Equal(got, names) {
		t.Errorf("the mapping files are those of %v; tests have %v", got, names)
	}
}

// importSystem imports the sample of a system.
func importSystem(t *testing.T, tt systemTest) *importstest.Checks {
	t.Helper()
	m, err := imports.ReadMapping(tt.name, mappings)
	if err != nil {
		t.Fatal(err)
	}
	if tt.mapping != "" {
		m = mappingOf(t, tt.mapping)
	}
	return importstest.Try(t, System(tt.options), sample(t, tt.name), imports.Options{Mapping: m, MediaBase: tt.mediaBase, Date: tt.date}).OK()
}

// sample returns the files of a system's sample.
func sample(t *testing.T, name string) map[string]string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join("testdata", "systems", name, "*"))
	if err != nil || len(found) == 0 {
		t.Fatal(found, err)
	}
	files := map[string]string{}
	for _, file := range found {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(file)] = string(text)
	}
	return files
}

// compare compares a text with a file.
func compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; go test -run TestSystems -update writes it\n%s", file, got)
	}
}

// TestOtherSystems: the mapping file of a system makes items of the files of another one, or says what is wrong. Nothing
// that a mark calls a draft becomes public.
func TestOtherSystems(t *testing.T) {
	for _, of := range systemTests {
		for _, tt := range systemTests {
			if of.options.CSV != tt.options.CSV || of.name == tt.name {
				continue
			}
			m, err := imports.ReadMapping(of.name, mappings)
			if err != nil {
				t.Fatal(err)
			}
			r := importstest.Try(t, System(tt.options), sample(t, tt.name), imports.Options{Mapping: m, Date: time.Unix(1, 0)})
			if r.Err != nil {
				continue
			}
			r.OK()
			for _, item := range r.Items("") {
				if word := item.Get("Data", "status").Str(); visibility.NotPublic(word) && item.Get(address.FieldStatus).Str() == visibility.Published {
					t.Errorf("%s of %s: a %s became Published", tt.name, of.name, word)
				}
			}
		}
	}
}

// TestColumnsOfShopify: a mark in any case and at any place of the rows keeps a product back, or is an error.
func TestColumnsOfShopify(t *testing.T) {
	head := "Handle,Title,Variant Price,Status,Published,Published At\n"
	for rows, want := range map[string]string{
		"a,A,1,active,true,\na,,2,,,\n":           "Published",
		"a,A,1,Draft,true,\na,,2,,,\n":            "Draft",
		"a,A,1,draft,,\na,,2,DRAFT,,\n":           "error",
		"a,A,1,active,true,\na,,2,draft,,\n":      "error",
		"a,A,1,,,\na,,2,draft,,\n":                "error",
		"a,A,1,active,TRUE,\na,,2,active,true,\n": "error",
		"a,A,1,active,false,\na,,2,active,,\n":    "Draft",
		"a,A,1,,,\na,,2,,,\n":                     "Published",
		"a,A,1,ARCHIVED,true,\n":                  "Archived",
		"a,A,1,unlisted,true,\n":                  "Private",
	} {
		r := importstest.Try(t, System(Options{CSV: true}), map[string]string{"p.csv": head + rows}, imports.Options{Date: time.Unix(1, 0)})
		if want == "error" {
			r.Fails("different values in the column")
			continue
		}
		r.OK().Is(r.Named("A"), "Status", `"`+want+`"`)
	}
}

// hiddenTest is an element of a system, and the status that it gets: Published, or another one that no build delivers.
type hiddenTest struct{ system, element, want string }

// around is what responses of a system have around their elements.
var around = map[string]string{
	"airtable": `{"records":[%s]}`, "craft": `{"data":{"entries":[%s]}}`, "directus": `{"data":[%s]}`, "drupal": `{"data":[%s]}`, "hygraph": `{"data":{"posts":[%s]}}`,
	"notion": `{"results":[%s]}`, "payload": `{"docs":[%s]}`, "prismic": `{"results":[%s]}`, "storyblok": `{"stories":[%s]}`, "wagtail": `{"items":[%s]}`,
}

// common are the members of an element that some systems have in any case.
var common = map[string]string{
	"airtable": `"id":"recA","createdTime":"2024-01-31"`, "craft": `"id":1,"sectionHandle":"news","dateCreated":"2024-01-31"`, "directus": `"id":1,"date_created":"2024-01-31"`,
	"drupal": `"id":"a","type":"node--a"`, "hygraph": `"id":"a","__typename":"Post","createdAt":"2024-01-31"`, "notion": `"id":"a","created_time":"2024-01-31"`,
	"payload": `"id":1,"createdAt":"2024-01-31"`, "prismic": `"id":"a","type":"post"`, "storyblok": `"uuid":"a","created_at":"2024-01-31"`, "wagtail": `"id":1`,
}

// notion returns a page with a property of a type.
func notion(name, kind, value string) string {
	return `"properties":{"` + name + `":{"id":"x%3Ay","type":"` + kind + `","` + kind + `":` + value + `}}`
}

// hiddenTests are elements as the systems write them: what is not public, in any shape, and what looks like it.
var hiddenTests = []hiddenTest{
	{"airtable", `"fields":{"Status":"Draft"}`, "Draft"},
	{"airtable", `"fields":{"Status":["Published","Draft"]}`, "Draft"},
	{"airtable", `"fields":{"Published":[false]}`, "Draft"},
	{"airtable", `"fields":{"status":"Todo"}`, "Todo"},
	{"airtable", `"fields":{"Status":[]}`, "Draft"},
	{"airtable", `"fields":{"Name":"A"}`, "Published"},
	{"craft", `"postDate":"2024-01-31"`, "Draft"},
	{"craft", `"enabled":true`, "Draft"},
	{"craft", `"enabled":"1","postDate":"2024-01-31"`, "Published"},
	{"craft", `"enabled":"","postDate":"2024-01-31"`, "Draft"},
	{"craft", `"enabled":{"1":true,"2":false},"postDate":"2024-01-31"`, "Draft"},
	{"craft", `"status":"enabled"`, "enabled"},
	{"craft", `"status":"live","revisionId":3`, "Archived"},
	{"craft", `"status":"live","isRevision":true`, "Archived"},
	{"craft", `"status":"live","dateDeleted":"2024-02-01"`, "Archived"},
	{"craft", `"status":"live","draft":true`, "Draft"},
	{"craft", `"status":"live","isDraft":false,"draftId":null,"revisionId":null`, "Published"},
	{"directus", `"status":"in_review"`, "InReview"},
	{"directus", `"status":["draft"]`, "Draft"},
	{"directus", `"status":{"id":4,"name":"Public","children":[{"state":"draft"}]}`, "Draft"},
	{"directus", `"status":{"id":4,"name":"Public"}`, "Published"},
	{"directus", `"status":"published","Status":"draft"`, "Draft"},
	{"directus", `"status":"scheduled"`, "Draft"},
	{"directus", `"status":"<p>draft</p>"`, "Draft"},
	{"drupal", `"attributes":{"status":true,"draft":"yes","created":"2024-01-31"}`, "Draft"},
	{"drupal", `"attributes":{"status":true,"moderation_state":"needs_review"}`, "needs_review"},
	{"drupal", `"attributes":{"status":[{"value":false}]}`, "Draft"},
	{"drupal", `"attributes":{"status":"1"}`, "Published"},
	{"drupal", `"attributes":{"title":"A"}`, "Draft"},
	{"hygraph", `"stage":"PUBLISHED","draft":true`, "Draft"},
	{"hygraph", `"stage":"QA","publishedAt":"2024-01-31"`, "QA"},
	{"hygraph", `"stage":"PUBLISHED","status":"sold out"`, "Published"},
	{"notion", notion("Status", "multi_select", `[{"name":"Draft"}]`), "Draft"},
	{"notion", notion("Status", "rich_text", `[{"type":"text","plain_text":"Draft","annotations":{}}]`), "Draft"},
	{"notion", notion("Status", "rollup", `{"type":"array","array":[{"type":"select","select":{"name":"Draft"}}]}`), "Draft"},
	{"notion", notion("Status", "formula", `{"type":"string","string":"Draft"}`), "Draft"},
	{"notion", notion("Status", "select", `null`), "Draft"},
	{"notion", notion("Status", "status", `null`), "Draft"},
	{"notion", notion("Status", "multi_select", `[]`), "Draft"},
	{"notion", notion("Status", "select", `{"name":"Idea"}`), "Idea"},
	{"notion", `"properties":{"A":{"type":"status","status":{"name":"Published"}},"B":{"type":"status","status":{"name":"Draft"}}}`, "Draft"},
	{"notion", notion("Published", "formula", `{"type":"boolean","boolean":false}`), "Draft"},
	{"payload", `"status":"draft"`, "Draft"},
	{"payload", `"status":"wip"`, "wip"},
	{"payload", `"_status":"published","status":"draft"`, "Draft"},
	{"payload", `"_status":"published","status":"sold out"`, "Published"},
	{"payload", `"_status":{"en":"published","de":"draft"}`, "Draft"},
	{"payload", `"_status":{"en":{}}`, "an object"},
	{"payload", `"_status":null,"draft":true`, "Draft"},
	{"payload", `"_status":"published","deletedAt":{"$date":{"$numberLong":"1"}}`, "Archived"},
	{"prismic", `"first_publication_date":"2024-01-31","data":{"status":"Draft"}`, "Draft"},
	{"prismic", `"first_publication_date":"2024-01-31","data":{"status":"Sold out","private":"Ask us"}`, "Published"},
	{"prismic", `"first_publication_date":"2024-01-31","data":{"draft":[{"type":"paragraph","text":"x","spans":[]}]}`, "Published"},
	{"storyblok", `"published_at":"2024-01-31","content":{"component":"p","_editable":"<!--#storyblok#{}-->"}`, "Changed"},
	{"storyblok", `"published_at":"2024-01-31","unpublished_changes":false,"content":{"component":"p","_editable":"<!--#storyblok#{}-->"}`, "Published"},
	{"storyblok", `"published_at":"2024-01-31","unpublished_changes":true,"content":{"component":"p"}`, "Changed"},
	{"storyblok", `"published_at":"2024-01-31","content":{"component":"p","unlisted":true}`, "Private"},
	{"wagtail", `"meta":{"type":"b.P","first_published_at":"2024-01-31"},"status":"draft"`, "Draft"},
	{"wagtail", `"meta":{"type":"b.P","first_published_at":"2024-01-31","status":{"status":"scheduled","live":false}}`, "Draft"},
}

// TestHidden: what a system does not show is never Published, whatever shape says so.
func TestHidden(t *testing.T) {
	tried := map[string]bool{}
	for _, tt := range hiddenTests {
		tried[tt.system] = true
		t.Run(tt.system+" "+tt.element, func(t *testing.T) {
			if got := itemIn(t, tt.system, tt.element).Get(address.FieldStatus).Text(); got != tt.want {
				t.Errorf("the status is %s, want %s", got, tt.want)
			}
		})
	}
	for system := range around {
		if !tried[system] {
			t.Errorf("no case is of %s", system)
		}
	}
}

// TestSparse: an item that lacks a mark of publication is a Draft if another of its type has the mark, whichever comes
// first. Systems leave out boxes that nobody checked.
func TestSparse(t *testing.T) {
	for text, want := range map[string]string{
		`{"Name":"A","Published":true} {"Name":"B"}`:                    "Published Draft",
		`{"Name":"A"} {"Name":"B","publish":true}`:                      "Draft Published",
		`{"Name":"A","Status":"Live"} {"Name":"B","Published":true}`:    "Draft Draft",
		`{"Name":"A","Draft":true} {"Name":"B"}`:                        "Draft Published",
		`{"Name":"A","Private":true} {"Name":"B","Unlisted":true} {}`:   "Private Private Published",
		`{"Name":"A","Published":"2024-01-31"} {"Name":"B","Price":3}`:  "Published Draft",
		`{"Name":"A","Status":["Live"]} {"Name":"B","Status":["Sold"]}`: "Published Sold",
		`{"Name":"A"} {"Name":"B"}`:                                     "Published Published",
	} {
		var records []string
		for i, fields := range strings.Split(text, "} {") {
			records = append(records, fmt.Sprintf(`{"id":"%d","createdTime":"2024-01-31","fields":{%s}}`, i, strings.Trim(fields, "{}")))
		}
		r := trySystem(t, "airtable", Options{}, "Posts.json", `{"records":[`+strings.Join(records, ",")+`]}`)
		got := make([]string, len(records))
		for _, item := range r.Items("") {
			n, err := strconv.Atoi(item.Get("Source", "ID").Str())
			if err != nil {
				t.Fatal(err)
			}
			got[n] = item.Get(address.FieldStatus).Str()
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestSparseTypes: marks of one type say nothing about items of another one, and CSV has its boxes as words.
func TestSparseTypes(t *testing.T) {
	m, err := imports.ReadMapping("airtable", mappings)
	if err != nil {
		t.Fatal(err)
	}
	record := func(name, more string) string {
		return `{"records":[{"id":"` + name + `","createdTime":"2024-01-31","fields":{"Name":"` + name + `"` + more + `}}]}`
	}
	files := map[string]string{"Posts.json": record("A", `,"Published":true`), "Posts-2.json": record("B", ""), "Tags.json": record("C", "")}
	r := importstest.Try(t, System(Options{}), files, imports.Options{Mapping: m}).OK()
	for name, want := range map[string]string{"A": "Published", "B": "Draft", "C": "Published"} {
		r.Is(r.Named(name), "Status", `"`+want+`"`)
	}
	r = trySystem(t, "airtable-csv", Options{CSV: true}, "Posts.csv", "Name,Published,Draft,Created\nA,checked,,2024-01-31\nB,,,2024-01-31\nC,checked,checked,2024-01-31\n")
	for name, want := range map[string]string{"A": "Published", "B": "Draft", "C": "Draft"} {
		r.Is(r.Named(name), "Status", `"`+want+`"`)
	}
}

// TestEndOfSystems: the time from which on a system hides an item becomes ExpiresAt.
func TestEndOfSystems(t *testing.T) {
	for system, element := range map[string]string{
		"airtable": `"fields":{"Expires":"2031-05-06"}`, "craft": `"status":"live","expiryDate":"2031-05-06"`, "drupal": `"attributes":{"status":true,"unpublish_on":"2031-05-06"}`,
		"notion": notion("Expiry", "date", `{"start":"2031-05-06","end":null}`), "storyblok": `"published_at":"2024-01-31","expire_at":"2031-05-06"`, "wagtail": `"meta":{"type":"b.P"},"expire_at":"2031-05-06"`,
	} {
		item := itemIn(t, system, element)
		if got := item.Get("ExpiresAt").Str(); got != "2031-05-06T00:00:00Z" {
			t.Errorf("%s: ExpiresAt is %q", system, got)
		}
	}
}

// TestPublicationOfSystems: fields with a date of publication hide an item until then.
func TestPublicationOfSystems(t *testing.T) {
	for system, element := range map[string]string{
		"airtable": `"fields":{"Publish Date":"2031-05-06"}`, "craft": `"status":"pending","postDate":"2031-05-06"`, "directus": `"status":"scheduled","publish_date":"2031-05-06"`,
		"notion": notion("Published", "date", `{"start":"2031-05-06","end":null}`), "payload": `"_status":"published","publishedAt":"2031-05-06"`,
	} {
		item := itemIn(t, system, element)
		if status, at := item.Get(address.FieldStatus).Str(), item.Get(address.FieldPublishedAt).Str(); status != visibility.Published || at != "2031-05-06T00:00:00Z" {
			t.Errorf("%s: %s since %q", system, status, at)
		}
	}
}

// itemIn returns the item of an element of a system.
func itemIn(t *testing.T, system, element string) *jsontree.Value {
	t.Helper()
	text := fmt.Sprintf(around[system], "{"+common[system]+","+element+"}")
	items := trySystem(t, system, Options{}, "posts.json", text).Items("")
	if len(items) != 1 {
		t.Fatalf("%d items of %s", len(items), text)
	}
	return items[0]
}

// trySystem imports a file with the mapping file of a system.
func trySystem(t *testing.T, system string, o Options, name, text string) *importstest.Checks {
	t.Helper()
	m, err := imports.ReadMapping(system, mappings)
	if err != nil {
		t.Fatal(err)
	}
	return importstest.Try(t, System(o), map[string]string{name: text}, imports.Options{Mapping: m, Date: time.Unix(1, 0)}).OK()
}
