package sanity

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"contentedge/generator/imports"
	"contentedge/generator/imports/importstest"
	"contentedge/generator/uuid"
)

var day = time.Date(2024, 1, 31, 0, 0, 0, 0, time.UTC)

// doc returns a document; fields are further members.
func doc(id, kind, fields string) string {
	if fields != "" {
		fields = "," + fields
	}
	return fmt.Sprintf(`{"_id":%q,"_type":%q,"_createdAt":"2024-01-01T00:00:00Z","_updatedAt":"2024-01-02T00:00:00Z","_rev":"r"%s}`, id, kind, fields)
}

func sanity(t testing.TB, o imports.Options, documents ...string) *importstest.Result {
	t.Helper()
	return importstest.Import(t, System, map[string]string{"data.ndjson": strings.Join(documents, "\n") + "\n"}, o)
}

func check(t *testing.T, r *importstest.Result, rows [][3]string) {
	t.Helper()
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	for _, row := range rows {
		if got := r.Item(t, row[0], strings.Split(row[1], ".")...); got != row[2] {
			t.Errorf("%s of %s is %s, want %s", row[1], row[0], got, row[2])
		}
	}
}

// TestSanity shows what becomes of documents, drafts, versions and references.
func TestSanity(t *testing.T) {
	one := strings.NewReplacer("\n", "", "\t", "")
	r := sanity(t, imports.Options{},
		one.Replace(doc("a", "post", `"title":"Hello","author":{"_type":"reference","_ref":"b"},"more":[{"_key":"k","_ref":"b"},{"_ref":"gone","_weak":true}],"price":1.0,
			"body":[{"_type":"block","_key":"1","children":[{"_type":"span","text":"See ","marks":[]},{"_type":"span","text":"this","marks":["m"]}],"markDefs":[{"_key":"m","_type":"internal","to":{"_ref":"b"}},{"_key":"n","_type":"reference","_ref":"b"}]}],
			"far":{"_type":"crossDatasetReference","_dataset":"other","_ref":"x"}`)),
		doc("marked", "post", `"title":"M","body":[{"_type":"block","children":[{"_type":"span","text":"t"}],"markDefs":[{"_key":"n","_type":"reference","_ref":"b"}]}]`),
		doc("drafts.a", "post", `"title":"Edited"`),
		doc("versions.r1.a", "post", `"title":"Later"`),
		doc("drafts.b", "author", `"name":"Ann"`),
		"",
		doc("versions.r1.c", "post", `"title":"New in a release"`),
		doc("secret.d", "post", `"title":"Private"`),
		doc("s", "sanity.previewUrlSecret", `"secret":"s3cret"`),
		doc("0B6F2A58-6b0e-4c1a-9f5e-2d8f1c7e4a10", "post", `"slug":{"_type":"slug","current":"by-slug"}`),
	)
	b := `{"Type":"Reference","ReferenceType":"Content","ContentIDs":[` + r.Item(t, "b", "ContentID") + `]`
	check(t, r, [][3]string{
		{"a", "Name", `"Hello"`}, {"a", "Status", `"Published"`}, {"a", "PublishedAt", `"2024-01-02T00:00:00Z"`}, {"a", "TemplateName", `"post"`}, {"a", "Data._rev", ""}, {"a", "Data.price", "1.0"},
		{"a", "Data.author", b + `}`}, {"a", "Data.bodyText", `"See this"`}, {"a", "Data.far._ref", `"x"`},
		{"b", "Status", `"Draft"`}, {"b", "PublishedAt", ""}, {"b", "Source.ID", `"b"`},
		{"0B6F2A58-6b0e-4c1a-9f5e-2d8f1c7e4a10", "ContentID", `"Content_0b6f2a58-6b0e-4c1a-9f5e-2d8f1c7e4a10"`}, {"0B6F2A58-6b0e-4c1a-9f5e-2d8f1c7e4a10", "Name", `"by-slug"`},
	})
	for _, want := range []string{`"markDefs":[{"_key":"m","_type":"internal","to":` + b + `}},` + b + `,"_key":"n"}]`, `"more":{"Type":"Reference","ReferenceType":"Content","ContentIDs":["Content_`} {
		if got := r.Item(t, "a", "Data"); !strings.Contains(got, want) {
			t.Errorf("%s\nlacks %s", got, want)
		}
	}
	if got := r.Item(t, "marked", "Data", "body"); !strings.Contains(got, `"markDefs":[`+b+`,"_key":"n"}]`) {
		t.Errorf("a mark is no place in a list of references: %s", got)
	}
	if want := "1 author item: author Draft\n3 post item: post Published\n1 post merged: a draft of a published document \n1 post merged: a version for a release \n" +
		"1 post skipped: not public: its id has a dot \n1 post skipped: only in a release that is not out \n1 sanity.previewUrlSecret skipped: of Sanity itself \n"; r.Account() != want {
		t.Errorf("got\n%swant\n%s", r.Account(), want)
	}
	if !strings.Contains(r.Warned(), "not taken: 1 (gone)") || !strings.Contains(r.Warned(), "other datasets stay as they are: 1 (x)") {
		t.Error(r.Warned())
	}
}

// TestAssets: in exports, from the API, and as an address.
func TestAssets(t *testing.T) {
	hash := strings.Repeat("ab", 20)
	data := strings.Join([]string{
		doc("a", "post", `"title":"A","image":{"_type":"image","alt":"A cat","_sanityAsset":"image@file://./images/`+hash+`-30x40.jpg"}`),
		doc("b", "post", `"title":"B","image":{"_type":"image","asset":{"_type":"reference","_ref":"image-`+hash+`-30x40-jpg"},"crop":{"top":0.1}}`),
		doc("c", "post", `"title":"C","image":{"_type":"image","_sanityAsset":"image@https://x.example/a/pic.png?w=3"},"file":{"_type":"file","_sanityAsset":"file@file://./files/`+hash+`.pdf"}`),
	}, "\n")
	files := map[string]string{
		"export-1/data.ndjson": data, "export-1/images/" + hash + "-30x40.jpg": "jpeg", "export-1/images/unused-1x1.png": "png", "export-1/._data.ndjson": "\x00",
		"export-1/assets.json": `{"image-` + hash + `":{"_createdAt":"2023-01-01T00:00:00Z","originalFilename":"cat.jpg","size":120,"metadata":{"dimensions":{"width":30,"height":40}}}}`,
	}
	media := func(alt, url string) string {
		return `{"Type":"Reference","ReferenceType":"Media","Id":"` + uuid.Media("sanity:Asset:image-"+hash+"-30x40-jpg") + `","MediaUrl":"` + url + `"` + alt + `,"Extension":"jpg","Size":120,"Width":30,"Height":40}`
	}
	for name, archive := range map[string]map[string]string{
		"a folder": files, "a tar": {"e.tar": importstest.Tar(t, files)}, "a compressed tar": {"e.tar.gz": importstest.Gzip(t, importstest.Tar(t, files))},
	} {
		r := importstest.Import(t, System, archive, imports.Options{MediaBase: "./"})
		if r.Err != nil {
			t.Fatalf("%s: %v", name, r.Err)
		}
		check(t, r, [][3]string{
			{"a", "Data.image", `{"_type":"image","alt":"A cat","asset":` + media(`,"AltText":"A cat"`, "./images/"+hash+"-30x40.jpg") + `}`},
			{"b", "Data.image.asset", media("", "./images/"+hash+"-30x40.jpg")}, {"b", "Data.image.crop", `{"top":0.1}`},
			{"c", "Data.image.asset.MediaUrl", `"https://x.example/a/pic.png?w=3"`}, {"c", "Data.image.asset.Extension", `"png"`}, {"c", "Data.file.asset.MediaUrl", `"./files/` + hash + `.pdf"`},
		})
		if want := "3 post item: post Published\n1 file merged: into the references to files, with their metadata \n1 images merged: into the references to it \n1 images skipped: nothing links to it \n"; r.Account() != want {
			t.Errorf("%s: got\n%swant\n%s", name, r.Account(), want)
		}
	}
	r := importstest.Import(t, System, files, imports.Options{MediaBase: "https://cdn.sanity.io/p1/production", AssetItems: true, Locales: "", Date: day})
	check(t, r, [][3]string{{"b", "Data.image.asset", media("", "https://cdn.sanity.io/images/p1/production/"+hash+"-30x40.jpg")}, {"image-" + hash + "-30x40-jpg", "Name", `"cat.jpg"`}})
	if r.Items != 5 {
		t.Errorf("assets as items: %s", r.Account())
	}
	if r := importstest.Import(t, System, files, imports.Options{}); !strings.Contains(r.Warned(), "--media-base says where they are: 3") || !strings.Contains(r.Item(t, "b", "Data"), `"MediaUrl":"images/`) {
		t.Errorf("without a base: %s", r.Warned())
	}
}

// TestWithoutIDs: files that were written for an import have no _id; the import makes them.
func TestWithoutIDs(t *testing.T) {
	lines := []string{
		`{"_type":"post","slug":{"current":"one"},"title":"One"}`, `{"_type":"post","slug":"two","title":"Two"}`,
		`{"_type":"post","slug":"twice","title":"A"}`, `{"_type":"post","slug":"twice","title":"B"}`, `{"_type":"tag","name":"T"}`,
	}
	if r := sanity(t, imports.Options{}, lines...); r.Err == nil || !strings.Contains(r.Err.Error(), `items without a date: 5 (first post "post/one")`) {
		t.Fatalf("no date: %v", r.Err)
	}
	r := sanity(t, imports.Options{Date: day}, lines...)
	check(t, r, [][3]string{{"post/one", "Name", `"One"`}, {"post/two", "CreatedAt", `"2024-01-31T00:00:00Z"`}})
	if r.Items != 5 || len(r.Names()) != 5 || !strings.Contains(r.Warned(), "from their types and slugs: 2") || !strings.Contains(r.Warned(), "an edit makes a new item: 3") {
		t.Errorf("%v\n%s", r.Names(), r.Warned())
	}
}

// TestLanguages: language is a locale if the user says so; else it is a field.
func TestLanguages(t *testing.T) {
	docs := []string{doc("a", "post", `"title":"A","language":"en"`), doc("b", "post", `"title":"B","language":"de"`), doc("c", "author", `"name":"C"`)}
	r := sanity(t, imports.Options{}, docs...)
	if r.Items != 3 || !strings.Contains(r.Warned(), "different values of language") {
		t.Errorf("no flag: %s%s", r.Account(), r.Warned())
	}
	r = sanity(t, imports.Options{Locales: "environments"}, docs...)
	if got := strings.Join(r.Names(), " "); got != "site-de/b site-de/c site-en/a site-en/c" {
		t.Error(got)
	}
	r = sanity(t, imports.Options{Locales: "de"}, docs...)
	if got := strings.Join(r.Names(), " "); got != "site/b site/c" || !strings.Contains(r.Account(), "1 post skipped: in another locale") {
		t.Error(got, r.Account())
	}
}

// TestPrivateDocuments: documents about people are not taken until a mapping file names their type, and
// then without what is secret.
func TestPrivateDocuments(t *testing.T) {
	docs := []string{
		doc("a", "customer", `"name":"Ann","email":"ann@example.com","password":"$2a$10$abcdefghijklmnopqrstuv"`), doc("b", "newsletterSubscribers", `"name":"Bob"`),
		doc("c", "member", `"name":"Cy"`), doc("d", "member", `"name":"Di","login":{"passwordHash":"x"}`), doc("e", "siteSettings", `"title":"S","email":"shop@example.com","list":["x","a@example.com"]`), doc("f", "post", `"title":"P","by":{"_ref":"c"}`),
	}
	r := sanity(t, imports.Options{}, docs...)
	if r.Err != nil || strings.Join(r.Names(), " ") != "site/e site/f" || r.Skipped != 4 || !strings.Contains(r.Warned(), "not taken: 1 (c)") {
		t.Fatalf("%v %s%s", r.Err, r.Account(), r.Warned())
	}
	check(t, r, [][3]string{{"e", "Data", `{"title":"S","list":["x"]}`}})
	mapping := t.TempDir() + "/m.json"
	if err := os.WriteFile(mapping, []byte(`{"types":{"customer":{"keep":["email"]},"member":{}}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := imports.ReadMapping(mapping, nil)
	if err != nil {
		t.Fatal(err)
	}
	r = sanity(t, imports.Options{Mapping: m}, docs...)
	check(t, r, [][3]string{{"a", "Data", `{"name":"Ann","email":"ann@example.com"}`}, {"d", "Data", `{"name":"Di","login":{}}`}})
}

// TestFaultsHaveAPlace: nothing is written, and the message has line and column.
func TestFaultsHaveAPlace(t *testing.T) {
	good := doc("a", "post", `"title":"A"`)
	data := importstest.Gzip(t, importstest.Tar(t, map[string]string{"data.ndjson": strings.Repeat(good+"\n", 1), "images/x": fmt.Sprint(rand.New(rand.NewPCG(1, 1)).Perm(3000))}))
	for name, files := range map[string]map[string]string{
		"data.ndjson:2:10: ":                            {"data.ndjson": good + "\n{\"_type\":}"},
		"data.ndjson:2:1: a document must be an object": {"data.ndjson": good + "\n[1]\n"},
		"data.ndjson:1:1: this document has no _type":   {"data.ndjson": `{"a":1}`},
		"the _id a is given twice":                      {"data.ndjson": good + "\n" + doc("a", "post", `"title":"B"`)},
		"it has no .ndjson file":                        {"a.txt": "x", "b.txt": "y"},
		"and so has":                                    {"a.ndjson": good, "b.ndjson": good},
		"the compressed data ends too early":            {"e.tar.gz": data[:len(data)/2]},
		"ends in the middle of":                         {"e.tar": importstest.Tar(t, map[string]string{"data.ndjson": strings.Repeat(good+"\n", 100)})[:2000]},
		"this file is a zip archive":                    {"e.zip": "PK\x03\x04xx"},
		"this file is empty":                            {"e.ndjson": ""},
		"the compressed data is damaged":                {"e.ndjson.gz": importstest.Gzip(t, good)[:20] + "xxxx" + importstest.Gzip(t, good)[24:]},
	} {
		r := importstest.Import(t, System, files, imports.Options{})
		if r.Err == nil || !strings.Contains(r.Err.Error(), name) {
			t.Errorf("%v, want %q", r.Err, name)
		}
		if _, err := os.Stat(r.Content); err == nil {
			t.Errorf("%s: something is written", name)
		}
	}
	if r := sanity(t, imports.Options{}, good, good); r.Err != nil || r.Merged != 1 {
		t.Errorf("the same line twice: %v %s", r.Err, r.Account())
	}
}

// TestOrderDoesNotMatter: the lines of an export have no order.
func TestOrderDoesNotMatter(t *testing.T) {
	var docs []string
	for i := range 60 {
		docs = append(docs, doc(fmt.Sprint("d", i), "post", fmt.Sprintf(`"title":"n","next":{"_ref":"d%d"},"language":"l%d"`, i*7%60, i%2)), fmt.Sprintf(`{"_type":"x","slug":"s%d","n":%d}`, i%30, i))
	}
	once := sanity(t, imports.Options{Date: day}, docs...)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	again := sanity(t, imports.Options{Date: day}, docs...)
	a, _ := os.ReadFile(once.Files[0].Name)
	b, _ := os.ReadFile(again.Files[0].Name)
	if len(a) == 0 || string(a) != string(b) || once.Account() != again.Account() {
		t.Error("the order of lines changes the result")
	}
}

// FuzzSanity: whatever a file holds, an import gives items or one error with its place, and the account
// adds up.
func FuzzSanity(f *testing.F) {
	f.Add([]byte(doc("a", "post", `"image":{"_sanityAsset":"image@file://./images/x-1x1.png","asset":{"_ref":"image-x-1x1-png"}},"r":[{"_ref":"drafts.a"}],"language":"de"`) + "\n" + doc("drafts.a", "post", "")))
	f.Add([]byte(`{"_type":"sanity.imageAsset","_id":"image-x-1x1-png","metadata":{"dimensions":{"width":"x"}}}` + "\n" + `{"_type":"p","_id":"versions..a","list":[[{"_ref":"file-"}]]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) == 0 {
			return
		}
		for _, locales := range []string{"", "environments", "member"} {
			r := importstest.Import(t, System, map[string]string{"e.ndjson": string(text)}, imports.Options{Locales: locales, DryRun: true, AssetItems: true, Date: day})
			if r.Err != nil && (strings.Contains(r.Err.Error(), "add up") || r.Err.Error() == "") {
				t.Fatalf("%q: %v", text, r.Err)
			}
		}
	})
}

func TestLongValues(t *testing.T) {
	importstest.LongValues(t, System, map[string]string{"data.ndjson": strings.Join([]string{
		doc("a", "post", `"title":"A","to":{"_ref":"gone","_type":"reference"},"mail":"a@example.org"`), doc("drafts.a", "post", `"title":"B"`), doc("b", "contact", `"name":{"en":"N"}`), doc("c", "post", ""), doc("c", "page", ""),
	}, "\n")}, imports.Options{})
}
