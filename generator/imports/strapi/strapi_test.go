package strapi

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/generator/imports"
	"contentedge/generator/imports/importstest"
)

const date = "2024-05-06T07:08:09.010Z"

// parts are the files of an export: lines of its files.
func parts(schemas, entities, links []string, more ...string) map[string]string {
	f := map[string]string{
		"metadata.json":                 `{"createdAt":"x","strapi":{"version":"5.21.0"}}`,
		"schemas/schemas_00001.jsonl":   strings.Join(schemas, "\n"),
		"entities/entities_00001.jsonl": strings.Join(entities, "\n\n"),
		"links/links_00001.jsonl":       strings.Join(links, "\n"),
	}
	if len(more) > 0 {
		f["configuration/configuration_00001.jsonl"] = strings.Join(more, "\n")
	}
	return f
}

// schema is that of a content type api::NAME.NAME.
func schema(name string, drafts bool, attributes string) string {
	return fmt.Sprintf(`{"uid":"api::%[1]s.%[1]s","modelType":"contentType","info":{"singularName":"%[1]s","displayName":"The %[1]s"},"options":{"draftAndPublish":%[2]t},"attributes":{%[3]s}}`, name, drafts, attributes)
}

func component(uid, attributes string) string {
	return fmt.Sprintf(`{"uid":"%s","modelType":"component","attributes":{%s}}`, uid, attributes)
}

// entry is an entity of version 5. published may be null.
func entry(name string, id int, document, locale, published, data string) string {
	return fmt.Sprintf(`{"type":"api::%[1]s.%[1]s","id":%[2]d,"data":{"documentId":"%[3]s","createdAt":"%[6]s","updatedAt":"%[6]s","publishedAt":%[5]s,"locale":%[4]s%[7]s}}`, name, id, document, locale, published, date, data)
}

// old is an entity of version 4.
func old(name string, id int, published, data string) string {
	return fmt.Sprintf(`{"type":"api::%[1]s.%[1]s","id":%[2]d,"data":{"createdAt":"%[4]s","updatedAt":"%[4]s","publishedAt":%[3]s%[5]s}}`, name, id, published, date, data)
}

func link(left, right string) string {
	return `{"kind":"relation.basic","relation":"manyToMany","left":{` + left + `},"right":{` + right + `}}`
}

func at(kind, field string, ref int, pos string) string {
	if !strings.Contains(kind, ".") {
		kind = "api::" + kind + "." + kind
	}
	text := fmt.Sprintf(`"type":"%s","ref":%d`, kind, ref)
	if field != "" {
		text += `,"field":"` + field + `"`
	}
	if pos != "" {
		text += `,"pos":` + pos
	}
	return text
}

func morph(file int, owner string) string {
	return `{"kind":"relation.morph","relation":"morphToMany","left":{"type":"plugin::upload.file","field":"related","ref":` + fmt.Sprint(file) + `},"right":{` + owner + `}}`
}

func upload(id int) string {
	return fmt.Sprintf(`{"type":"plugin::upload.file","id":%[1]d,"data":{"documentId":"file%[1]d","name":"cat %[1]d.PNG","alternativeText":"A cat","width":600,"height":400,"ext":".PNG","size":203.46,"hash":"h%[1]d","url":"/uploads/cat_%[1]d.png","provider_metadata":{"secret":"s"},"createdAt":"%[2]s"}}`, id, date)
}

func run(t testing.TB, f map[string]string, o imports.Options) *importstest.Checks {
	t.Helper()
	return importstest.Try(t, System, f, o)
}

const title = `"title":{"type":"string"}`

// TestStrapi shows what a document of version 5 becomes, with its draft.
func TestStrapi(t *testing.T) {
	const fields = `,"title":"Hello","body":"**Hi**","blocks":[{"type":"paragraph","children":[{"type":"text","text":"Block words"}]}],"price":1.0`
	schemas := []string{schema("post", true, title+`,"body":{"type":"richtext"},"blocks":{"type":"blocks"},"price":{"type":"decimal"},"cover":{"type":"media"},"gallery":{"type":"media","multiple":true}`)}
	rows := []string{entry("post", 1, "docaaaaaaaaaaaaaaaaaaaa", "null", "null", fields), entry("post", 9, "docaaaaaaaaaaaaaaaaaaaa", "null", `"`+date+`"`, fields)}
	for n := range 3 {
		rows = append(rows, upload(n+1))
	}
	var links []string
	for _, ref := range []int{1, 9} { // each row has links of its own
		links = append(links, morph(2, at("post", "gallery", ref, "2")), morph(1, at("post", "gallery", ref, "1")), morph(1, at("post", "cover", ref, "1")))
	}
	r := run(t, parts(schemas, rows, links), imports.Options{}).OK()
	post := r.Named("Hello")
	for path, want := range map[string]string{
		"TemplateName": `"post"`, "Status": `"Published"`, "CreatedAt": `"` + date + `"`, "PublishedAt": `"` + date + `"`,
		"Source":    `{"System":"strapi","Type":"api::post.post","ID":"docaaaaaaaaaaaaaaaaaaaa"}`,
		"Data.body": `"**Hi**"`, "Data.blocksText": `"Block words"`, "Data.price": "1.0",
		"Data.cover.MediaUrl": `"/uploads/cat_1.png"`, "Data.cover.AltText": `"A cat"`, "Data.cover.Extension": `"png"`, "Data.cover.Size": "203460", "Data.cover.Width": "600",
		"Data.documentId": "nothing", "Data.locale": "nothing",
	} {
		r.Is(post, path, want)
	}
	if gallery := post.Get("Data", "gallery"); len(gallery.List()) != 2 || gallery.At(0).Get("MediaUrl").Str() != "/uploads/cat_1.png" {
		t.Errorf("the gallery is %s", gallery.Append(nil))
	}
	r.Count("api::post.post", "it is equal", 1)
	r.Count("plugin::upload.file", "into the entries", 2)
	r.Count("plugin::upload.file", "no entry shows it", 1)
	r.Warned("--media-base", 3)
	if got, want := r.Report.Account(), "read 5 = items 1 + merged 3 + skipped 1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestDraftsAndPublished(t *testing.T) {
	const yes = `"` + date + `"`
	schemas := []string{schema("post", true, title+`,"tags":{"type":"relation","target":"api::tag.tag"}`), schema("tag", false, title+`,"posts":{"type":"relation","mappedBy":"tags"}`)}
	for _, tt := range []struct {
		name  string
		rows  []string
		links []string
		want  string
	}{
		{"a draft alone", []string{entry("post", 1, "d", "null", "null", `,"title":"T"`)}, nil, "Draft"},
		{"a published row alone", []string{entry("post", 1, "d", "null", yes, `,"title":"T"`)}, nil, "Published"},
		{"a draft with another title", []string{entry("post", 1, "d", "null", "null", `,"title":"Other"`), entry("post", 2, "d", "null", yes, `,"title":"T"`)}, nil, "Published"},
		{"a draft with another relation", []string{entry("post", 1, "d", "null", "null", `,"title":"T"`), entry("post", 2, "d", "null", yes, `,"title":"T"`)},
			[]string{link(at("post", "tags", 1, "1"), at("tag", "posts", 5, ""))}, "Published"},
		{"a draft with the same relation", []string{entry("post", 1, "d", "null", "null", `,"title":"T"`), entry("post", 2, "d", "null", yes, `,"title":"T"`)},
			[]string{link(at("post", "tags", 1, "1"), at("tag", "posts", 5, "")), link(at("post", "tags", 2, "1"), at("tag", "posts", 5, ""))}, "Published"},
		{"version 4: no date is a draft", []string{old("post", 1, "null", `,"title":"T"`)}, nil, "Draft"},
		{"version 4: published", []string{old("post", 1, yes, `,"title":"T"`)}, nil, "Published"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := run(t, parts(schemas, append(tt.rows, entry("tag", 5, "t", "null", yes, `,"title":"Tag"`)), tt.links), imports.Options{}).OK()
			r.Is(r.Named("T"), "Status", `"`+tt.want+`"`)
		})
	}
	// the other side of a relation has no draft of its own to differ from
	r := run(t, parts([]string{schema("post", true, title+`,"tags":{"type":"relation"}`), schema("tag", true, title+`,"posts":{"type":"relation","mappedBy":"tags"}`)},
		[]string{entry("post", 1, "d", "null", "null", `,"title":"T"`), entry("tag", 5, "t", "null", "null", `,"title":"Tag"`), entry("tag", 6, "t", "null", yes, `,"title":"Tag"`)},
		[]string{link(at("post", "tags", 1, "1"), at("tag", "posts", 5, ""))}), imports.Options{}).OK()
	r.Is(r.Named("Tag"), "Status", `"Published"`)
	// version 4 without drafts: no date is no draft
	r = run(t, parts([]string{schema("author", false, title)}, []string{old("author", 1, "null", `,"title":"A"`)}, nil), imports.Options{}).OK()
	r.Is(r.Named("A"), "Status", `"Published"`)
}

func TestRelations(t *testing.T) {
	const yes = `"` + date + `"`
	schemas := []string{schema("post", true, title+`,"tags":{"type":"relation"},"editor":{"type":"relation"}`), schema("tag", true, title+`,"posts":{"type":"relation","mappedBy":"tags"}`)}
	rows := []string{
		entry("post", 1, "p", "null", "null", `,"title":"Post"`), entry("post", 2, "p", "null", yes, `,"title":"Post"`),
		entry("tag", 1, "a", "null", "null", `,"title":"A"`), entry("tag", 2, "a", "null", yes, `,"title":"A"`), entry("tag", 3, "b", "null", yes, `,"title":"B"`),
	}
	links := []string{
		link(at("post", "tags", 2, "2"), at("tag", "posts", 2, "1")), link(at("post", "tags", 2, "2"), at("tag", "posts", 1, "1")), // one tag, by both of its rows
		link(at("post", "tags", 2, "1"), at("tag", "posts", 3, "")), link(at("post", "tags", 2, "9"), at("tag", "posts", 77, "")),
		link(at("post", "editor", 2, ""), `"type":"admin::user","ref":1`),
		`{"kind":"relation.circular","left":{"type":"api::post.post","ref":2,"field":"localizations"},"right":{"type":"api::post.post","ref":"p"}}`,
		link(at("post", "tags", 2, ""), `"type":"","ref":1`),
	}
	r := run(t, parts(schemas, rows, links), imports.Options{}).OK()
	id := func(name string) string { return `"` + r.Named(name).Get("ContentID").Str() + `"` }
	got := string(r.Named("Post").Get("Data", "tags", "ContentIDs").Append(nil))
	if !strings.HasPrefix(got, "["+id("B")+","+id("A")+`,"Content_`) || strings.Count(got, "Content_") != 3 {
		t.Errorf("the tags are %s", got)
	}
	r.Is(r.Named("A"), "Data.posts.ContentIDs", "["+id("Post")+"]")
	r.Is(r.Named("Post"), "Data.editor", "nothing")
	r.Warned("entries that the export lacks", 1)
	r.Warned("without an end", 1)
}

func TestComponents(t *testing.T) {
	schemas := []string{
		schema("page", false, title+`,"seo":{"type":"component","component":"shared.seo"},"zone":{"type":"dynamiczone","components":["shared.hero","shared.late"]}`),
		component("shared.seo", `"description":{"type":"string"},"image":{"type":"media"}`),
		component("shared.hero", `"heading":{"type":"string"},"buttons":{"type":"component","component":"shared.button","repeatable":true}`),
		component("shared.button", `"text":{"type":"string"},"to":{"type":"relation"}`), component("shared.late", `"words":{"type":"string"}`),
	}
	rows := []string{
		old("page", 1, "null", `,"title":"Page","seo":{"id":4,"description":"D"},"zone":[{"__component":"shared.hero","id":5,"heading":"H","buttons":[{"id":6,"text":"B"}]}]`),
		old("page", 2, "null", `,"title":"Other"`), `{"type":"shared.late","id":8,"data":{"words":"W"}}`, upload(1),
	}
	links := []string{
		morph(1, at("shared.seo", "image", 4, "1")), link(at("shared.button", "to", 6, ""), at("page", "", 1, "")),
		link(at("page", "zone", 2, "1"), at("shared.late", "", 8, "")),
	}
	r := run(t, parts(schemas, rows, links), imports.Options{}).OK()
	page := r.Named("Page")
	r.Is(page, "Data.seo.image.MediaUrl", `"/uploads/cat_1.png"`)
	r.Is(page, "Data.seo.id", "nothing")
	r.Is(page, "Data.zone", `[{"__component":"shared.hero","heading":"H","buttons":[{"text":"B","to":{"Type":"Reference","ReferenceType":"Content","ContentIDs":["`+page.Get("ContentID").Str()+`"]}}]}]`)
	r.Is(r.Named("Other"), "Data.zone", `[{"__component":"shared.late","words":"W"}]`)
}

func TestNames(t *testing.T) {
	view := `{"type":"core-store","value":{"key":"plugin_content_manager_configuration_content_types::api::place.place","value":"{\"settings\":{\"mainField\":\"city\"}}"}}`
	f := parts([]string{schema("place", false, `"city":{"type":"string"},"name":{"type":"string"}`)}, []string{old("place", 1, "null", `,"name":"N","city":"Berlin"`)}, nil, view)
	r := run(t, f, imports.Options{TemplateNames: true}).OK()
	r.Is(r.Named("Berlin"), "TemplateName", `"The place"`)
}

func TestLocales(t *testing.T) {
	const yes = `"` + date + `"`
	schemas := []string{schema("post", true, `"title":{"type":"string","pluginOptions":{"i18n":{"localized":true}}},"rank":{"type":"integer","pluginOptions":{"i18n":{"localized":false}}}`), schema("tag", false, title)}
	rows := []string{
		entry("post", 1, "p", `"en"`, "null", `,"title":"Hello","rank":1`), entry("post", 2, "p", `"en"`, yes, `,"title":"Hello","rank":1`),
		entry("post", 3, "p", `"de"`, yes, `,"title":"Hallo","rank":1`), entry("post", 4, "q", `"en"`, yes, `,"title":"Only","rank":2`), entry("tag", 5, "t", "null", yes, `,"title":"Tag"`),
		`{"type":"plugin::i18n.locale","id":1,"data":{"code":"de"}}`, `{"type":"plugin::i18n.locale","id":2,"data":{"code":"en"}}`,
	}
	f := parts(schemas, rows, nil, `{"type":"core-store","value":{"key":"plugin_i18n_default_locale","value":"\"en\""}}`)
	run(t, f, imports.Options{}).Fails("several locales: en (2), de (1)")
	r := run(t, f, imports.Options{Locales: "environments"}).OK()
	if en, de := len(r.Items("site-en")), len(r.Items("site-de")); en != 3 || de != 2 {
		t.Errorf("%d items in English, %d in German", en, de)
	}
	r = run(t, f, imports.Options{Locales: "de"}).OK()
	r.Is(r.Named("Hallo"), "Source.Locale", `"de"`)
	r.Named("Tag")
	r.Count("api::post.post", "locale is left out", 3)
	r = run(t, f, imports.Options{Locales: "member"}).OK()
	r.Is(r.Named("Hello"), "Data", `{"title":{"en":"Hello","de":"Hallo"},"rank":1}`)
	r.Is(r.Named("Only"), "Data", `{"title":{"en":"Only"},"rank":2}`)
	r.Is(r.Named("Tag"), "Data", `{"title":"Tag"}`)
	r.Count("api::post.post", "another locale", 1)
	// version 4 ties the locales of an entry by links
	rows = []string{old("post", 1, yes, `,"locale":"en","title":"Hello"`), old("post", 2, yes, `,"locale":"de","title":"Hallo"`)}
	both := link(at("post", "localizations", 2, ""), at("post", "", 1, ""))
	r = run(t, parts(schemas, rows, []string{both, link(at("post", "localizations", 1, ""), at("post", "", 2, ""))}), imports.Options{Locales: "member"}).OK()
	r.Is(r.Named("Hallo"), "Data.title", `{"de":"Hallo","en":"Hello"}`)
}

func TestFiles(t *testing.T) {
	f := parts([]string{schema("post", true, title)}, []string{entry("post", 1, "d", "null", "null", ""), upload(1)}, nil)
	r := importstest.Try(t, System, f, imports.Options{AssetItems: true, MediaBase: "https://cms.example.org/"}).OK()
	r.Is(r.Named("cat 1.PNG"), "Data.file.MediaUrl", `"https://cms.example.org/uploads/cat_1.png"`)
	r.Warned("--media-base", 0)
}

func TestNothingPersonalComesAlong(t *testing.T) {
	schemas := []string{schema("author", false, title+`,"slug":{"type":"uid"},"email":{"type":"email"},"other":{"type":"string"},"pin":{"type":"password"},"note":{"type":"string","private":true},"contact":{"type":"component","component":"c.contact"}`), component("c.contact", `"mail":{"type":"string"},"city":{"type":"string"}`)}
	rows := []string{
		old("author", 1, "null", `,"title":"Jane","email":"jane@example.org","other":"$2b$10$abc","pin":"1234secret","note":"secret1","contact":{"mail":"j@example.org","city":"Berlin"}`),
		`{"type":"admin::user","id":1,"data":{"email":"root@example.org","password":"$2a$10$x","resetPasswordToken":"secret2"}}`,
		`{"type":"admin::session","id":1,"data":{"sessionId":"secret3"}}`, `{"type":"admin::api-token","id":1,"data":{"accessKey":"secret4"}}`,
		`{"type":"plugin::users-permissions.user","id":1,"data":{"email":"eve@example.net","password":"$2a$10$y"}}`, `{"type":"plugin::email.log","id":1,"data":{"to":"x@example.net"}}`,
		`{"id":3,"data":{}}`,
	}
	grant := `{"type":"core-store","value":{"key":"plugin_users-permissions_grant","value":"{\"github\":{\"secret\":\"secret5\"}}"}}`
	r := run(t, parts(schemas, rows, []string{link(at("author", "createdBy", 1, ""), `"type":"admin::user","ref":1`)}, grant), imports.Options{}).OK()
	r.Lacks("@", "$2a$", "$2b$", "secret", "1234")
	r.Is(r.Named("Jane"), "Data", `{"title":"Jane","contact":{"city":"Berlin"}}`)
	r.Count("admin::session", "accounts", 1)
	r.Count("plugin::users-permissions.user", "accounts", 1)
	r.Count("(no type)", "not content", 1)
}

func TestMappingKeepsFields(t *testing.T) {
	name := filepath.Join(t.TempDir(), "m.json")
	if err := os.WriteFile(name, []byte(`{"types":{"office":{"keep":["email"]}},"json":{}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := imports.ReadMapping(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := parts([]string{schema("office", false, title+`,"email":{"type":"email"}`)}, []string{old("office", 1, "null", `,"title":"Berlin","email":"berlin@example.org"`)}, nil)
	run(t, f, imports.Options{Types: []string{"office"}}).OK().Lacks("@")
	r := run(t, f, imports.Options{Mapping: m}).OK()
	r.Is(r.Named("Berlin"), "Data.email", `"berlin@example.org"`)
	r.Warned("only generator import json reads", 1)
	r.Warned("", 1)
}
