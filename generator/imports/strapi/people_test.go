package strapi

import (
	"strings"
	"testing"

	"contentedge/generator/imports"
)

// form is an export with a form that a person filled in.
var form = map[string]string{
	"metadata.json":               `{"strapi":"5.0.0"}`,
	"links/links_00001.jsonl":     "",
	"schemas/schemas_00001.jsonl": `{"uid":"api::contact-request.contact-request","modelType":"contentType","attributes":{"name":{"type":"string"},"phone":{"type":"string"},"email":{"type":"email"},"message":{"type":"text"}}}`,
	"entities/entities_00001.jsonl": `{"type":"api::contact-request.contact-request","id":1,"data":{"documentId":"d","name":"N","phone":"1","email":"a@b.example","message":"m",` +
		`"createdAt":"2024-01-02T03:04:05Z","publishedAt":"2024-01-02T03:04:05Z"}}`,
}

// TestFormsAreLeftOut: what people wrote into a form is an item only if --type names it.
func TestFormsAreLeftOut(t *testing.T) {
	r := run(t, form, imports.Options{}).OK()
	r.Count("api::contact-request.contact-request", "people's data: contact-request", 1)
	if r.Report.Items != 0 || r.Skipped != 1 {
		t.Error(r.Account())
	}
	r = run(t, form, imports.Options{Types: []string{"contact-request"}}).OK()
	r.Is(r.Named("N"), "Data", `{"name":"N","phone":"1","message":"m"}`)
}

// TestPeople shows which types are taken by their schemas.
func TestPeople(t *testing.T) {
	const email, slug = `,"mail":{"type":"email"}`, `,"handle":{"type":"uid"}`
	single := strings.Replace(schema("contact", true, title+email), `"modelType"`, `"kind":"singleType","modelType"`, 1)
	for _, tt := range []struct {
		name, schema, fields string
		out                  bool
	}{
		{"visitor", schema("visitor", true, title+email), "", true},
		{"visitor", schema("visitor", true, title+`,"pin":{"type":"password"}`), "", true},
		{"visitor", schema("visitor", true, title+`,"mobile":{"type":"string"}`), "", true},
		{"visitor", schema("visitor", true, title+`,"phone":{"type":"biginteger"}`), "", true},
		{"visitor", schema("visitor", true, title+email+slug), "", false},
		{"visitor", schema("visitor", true, title+email+`,"slug":{"type":"string"}`), "", false},
		{"visitor", schema("visitor", true, title+`,"phone":{"type":"media"},"email":{"type":"boolean"}`), "", false},
		{"order", schema("order", true, title+slug), "", true},
		{"contact", single, "", false},
		{"contact-page", schema("contact-page", true, title+email), "", false},
		{"post", schema("post", true, title), "", false},
		{"visitor", "", `,"phone":"5551"`, true},
		{"visitor", "", `,"phone":"5551","slug":"v"`, false},
	} {
		var schemas []string
		if tt.schema != "" {
			schemas = append(schemas, tt.schema)
		}
		rows := []string{entry(tt.name, 1, "d1", "null", "null", `,"title":"V"`+tt.fields), entry(tt.name, 2, "d1", "null", `"`+date+`"`, `,"title":"V"`+tt.fields), entry(tt.name, 3, "d2", "null", `"`+date+`"`, `,"title":"W"`)}
		want := 0
		if tt.out {
			want = 3
		}
		r := run(t, parts(schemas, rows, nil), imports.Options{}).OK()
		if r.Count("api::"+tt.name+"."+tt.name, "people's data", want); t.Failed() {
			t.Fatalf("%+v", tt)
		}
	}
}

// TestFilesOfPeople: a file that only left out entries show is not a part of items, and references to such an entry
// stay.
func TestFilesOfPeople(t *testing.T) {
	schemas := []string{schema("application", false, title+`,"resume":{"type":"media"}`), schema("post", false, title+`,"by":{"type":"relation"}`)}
	rows := []string{old("application", 1, "null", `,"title":"A"`), old("post", 1, "null", `,"title":"P"`), upload(1)}
	links := []string{morph(1, at("application", "resume", 1, "1")), link(at("post", "by", 1, "1"), at("application", "", 1, ""))}
	r := run(t, parts(schemas, rows, links), imports.Options{}).OK()
	r.Count("plugin::upload.file", "no entry shows it", 1)
	r.Is(r.Named("P"), "Data.by.Type", `"Reference"`)
	r.Lacks(`"A"`)
}
