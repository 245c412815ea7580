package openapi

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/openapi/openapitest"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

// sample has what the document says of items.
var sample = &release.Manifest{Build: "0123456789abcdef", Environments: []release.Environment{
	{ID: "shop", Items: 1}, {ID: "site", Items: 3, Templates: []release.Template{
		{Name: "Article", Items: 2, Paths: []release.Path{
			{Keys: []string{"Data"}, Always: true, Kinds: release.Kinds{release.KindObject: 2}},
			{Keys: []string{"Data", "author"}, Always: true, Kinds: release.Kinds{release.KindReference: 2}, Targets: []string{"Author"}},
			{Keys: []string{"Data", "parts"}, Kinds: release.Kinds{release.KindArray: 1}, Elements: []release.Kinds{{release.KindObject: 2}}},
			{Keys: []string{"Data", "parts", "title"}, Always: true, Kinds: release.Kinds{release.KindString: 1, release.KindNull: 1}},
			{Keys: []string{"Data", "words"}, Kinds: release.Kinds{release.KindObject: 1}},
			{Keys: []string{"Data", "words", "*"}, Any: true, Kinds: release.Kinds{release.KindInteger: 40}},
		}},
		{Name: "Résumé", Items: 1, Paths: []release.Path{{Keys: []string{"Data"}, Always: true, Kinds: release.Kinds{"newer": 1}}}},
	}},
}}

func document(t *testing.T, env string) (*openapitest.Document, []byte) {
	t.Helper()
	described, err := New(sample, env)
	if err != nil {
		t.Fatal(err)
	}
	text := described.Append(nil)
	d, err := openapitest.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return d, text
}

// TestOpenAPI shows what a document has of the tables that it is made from: a row without a text is missing here, and
// a text without a row describes nothing.
func TestOpenAPI(t *testing.T) {
	t.Run("every address has an operation of its own name", func(t *testing.T) {
		d, _ := document(t, "")
		seen := map[any]bool{}
		for _, e := range address.Endpoints() {
			for _, method := range []string{"GET", "POST"} {
				o, _ := d.Operation(method, strings.NewReplacer("*", "a", ":", "").Replace(e.Pattern))
				if has := address.Takes(e.Allow, method); has != (o != nil) {
					t.Errorf("%s %s: described %t, but %t", method, e.Pattern, o != nil, has)
				}
				if o != nil && (seen[o["operationId"]] || operations[e.Kind].id == "") {
					t.Errorf("%s %s: the name %v is empty or taken", method, e.Pattern, o["operationId"])
				}
				if o != nil {
					seen[o["operationId"]] = true
				}
			}
		}
	})
	t.Run("every parameter has a text, and every text a parameter", func(t *testing.T) {
		read := map[string]bool{}
		for kind := range operations {
			for _, name := range namesOf(kind) {
				if p, ok := textOf(kind, name); !ok || p.text == "" || p.schema == nil {
					t.Errorf("%s of %s has no text or no schema", name, operations[kind].id)
				}
				read[name] = true
			}
		}
		for _, table := range []map[string]parameter{listParameters, searchParameters, sharedSearchParameters, elasticParameters, openapiParameters} {
			for name := range table {
				if !read[name] {
					t.Errorf("nothing reads the parameter %s", name)
				}
			}
		}
	})
	t.Run("every code has a scope", func(t *testing.T) {
		for _, p := range problem.All() {
			if _, ok := scopes[p.Code]; !ok {
				t.Errorf("nothing says which operations answer with %s", p.Code)
			}
		}
		if len(scopes) != len(problem.All()) {
			t.Errorf("%d codes have a scope, of %d", len(scopes), len(problem.All()))
		}
		for _, code := range problem.OfSearches() {
			if scopes[code]&(computed|ofElasticItems) == 0 {
				t.Errorf("no search answers with %s", code)
			}
		}
	})
	t.Run("every header field has a text", func(t *testing.T) {
		var used []string
		for kind := range operations {
			used = append(used, fieldsOf(kind)...)
		}
		for of := ofItems; of != 0; of <<= 1 {
			for _, r := range refusals(of) {
				for _, f := range r.describe()[1].value.(object) {
					used = append(used, f.name)
				}
			}
		}
		for _, name := range used {
			if !slices.ContainsFunc(responseHeaders, func(m member) bool { return m.name == name }) {
				t.Errorf("the field %s has no text", name)
			}
		}
		for _, h := range responseHeaders {
			if !slices.Contains(used, h.name) {
				t.Errorf("no response has the field %s", h.name)
			}
		}
	})
	t.Run("every field of items has a type, and every member and query that has a schema exists", func(t *testing.T) {
		for _, name := range address.Fields {
			if _, ok := fieldTexts[name]; !ok {
				t.Errorf("the field %s has no text", name)
			}
		}
		for name := range bodyMembers {
			if !slices.Contains(body.Members(), name) {
				t.Errorf("a body has no member %s", name)
			}
		}
		var options []string
		for _, name := range body.Types() {
			options = append(options, body.QueryOptions(name)...)
		}
		for name := range queryOptions {
			if !slices.Contains(options, name) {
				t.Errorf("no query has the option %s", name)
			}
		}
		for name := range onField {
			if !slices.Contains(body.Types(), name) {
				t.Errorf("there is no query %s", name)
			}
		}
		if len(aggregations()) != len(query.AggKinds())+3 {
			t.Errorf("%d members of an aggregation", len(aggregations()))
		}
	})
	t.Run("the same release gives the same bytes", func(t *testing.T) {
		_, first := document(t, "")
		if _, second := document(t, ""); !bytes.Equal(first, second) {
			t.Error("two documents differ")
		}
	})
	t.Run("an environment that the release does not have is an error", func(t *testing.T) {
		if _, err := New(sample, "nope"); err == nil || !strings.Contains(err.Error(), `"nope"`) {
			t.Errorf("%v", err)
		}
	})
}

// TestReferences resolves every reference of a document.
func TestReferences(t *testing.T) {
	d, text := document(t, "")
	for part := range strings.SplitSeq(string(text), `"$ref": "#/components/schemas/`) {
		if name, _, ok := strings.Cut(part, `"`); ok && !strings.HasPrefix(part, "{") {
			d.CheckJSON(d.Schema(name), []byte("0")) // panics without the schema
		}
	}
}

// TestTemplates holds items against the schemas of their templates.
func TestTemplates(t *testing.T) {
	d, _ := document(t, "site")
	for _, c := range []struct{ name, schema, data, want string }{
		{"an article", "site.Article", `{"author":{"Type":"Reference","ReferenceType":"Content","ContentIDs":["a"]},"parts":[{"title":"x"},{"title":null}],"words":{"any":1}}`, ""},
		{"without an optional member", "site.Article", `{"author":{"Type":"Reference","ReferenceType":"Content","ContentIDs":[]}}`, ""},
		{"without a member that all have", "site.Article", `{}`, ".Data lacks author"},
		{"an element without a member", "site.Article", `{"author":{"Type":"Reference","ReferenceType":"Content"},"parts":[{}]}`, ".Data.parts[0] lacks title"},
		{"a member of another type", "site.Article", `{"author":{"Type":"Reference","ReferenceType":"Content"},"parts":{}}`, ".Data.parts: type is array"},
		{"a value of a table", "site.Article", `{"author":{"Type":"Reference","ReferenceType":"Content"},"words":{"b":"x"}}`, ".Data.words.b: type is integer"},
		{"a kind that this program does not know", "site.R_sum_", `{"what":["ever"]}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			template := "Article"
			if c.schema != "site.Article" {
				template = "Résumé"
			}
			item := `{"Status":"","CreatedBy":"","CreatedAt":"","Data":` + c.data + `,"PublishedBy":"","UpdatedAt":"","Name":"","PublishedAt":"","UpdatedBy":"","TemplateName":"` + template + `","TemplateID":"","ContentID":""}`
			faults := strings.Join(d.CheckJSON(d.Schema(c.schema), []byte(item)), "; ")
			if c.want == "" && faults != "" || !strings.Contains(faults, c.want) {
				t.Errorf("%s, want %s", faults, c.want)
			}
		})
	}
}

// TestSearchBodies holds bodies that a node accepts against the schema of bodies: the schema must not refuse what works.
func TestSearchBodies(t *testing.T) {
	d, _ := document(t, "site")
	files, err := filepath.Glob("../../../scripts/elasticsearch.d/bodies/*.jsonl")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files of bodies: %v", len(files), err)
	}
	n := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			if _, err := body.Parse(line); err != nil || !json.Valid(line) {
				continue
			}
			n++
			if faults := d.CheckJSON(d.Schema("SearchBody"), line); faults != nil {
				t.Errorf("%s: %s%v", filepath.Base(name), line, faults)
			}
		}
	}
	if n < 1000 {
		t.Errorf("%d bodies", n)
	}
	for _, wrong := range []string{`{"quer":{}}`, `{"query":{"mach":{}}}`, `{"query":{"match":{},"term":{}}}`, `{"query":{"bool":{"must":1}}}`, `{"aggs":{"a":{"term":{}}}}`, `[]`} {
		if d.CheckJSON(d.Schema("SearchBody"), []byte(wrong)) == nil {
			t.Errorf("the schema admits %s", wrong)
		}
	}
}
