package page_test

import (
	"encoding/json"
	"net/http"
	"testing"
)

// testReference: the document of OpenAPI and the part of the page that shows it follow each build.
func testReference(t *testing.T, s *suite) {
	p := s.preview(t, bakery())
	document := func(query string) (status int, d struct {
		OpenAPI    string
		Components struct{ Schemas map[string]any }
	}) {
		t.Helper()
		response, err := http.Get(p.base + "/openapi.json" + query)
		check(t, err)
		defer response.Body.Close()
		check(t, json.NewDecoder(response.Body).Decode(&d))
		return response.StatusCode, d
	}
	if status, d := document(""); status != 200 || d.OpenAPI != "3.1.0" {
		t.Errorf("%d: version %q", status, d.OpenAPI)
	}
	if status, _ := document("?env=nope"); status != 404 {
		t.Errorf("an environment that does not exist: %d", status)
	}
	b := s.open(t, p.base)
	b.visit("/site/reference")
	b.says("#parts [aria-current=page]", "Interface")
	b.says("main", "/cda/rest/v1/{env}/contents")
	b.click("main details summary")
	b.says("main details[open] table", "searchByName")
	b.says("main details[open]", "bad_page_size")
	p.save("site/new.json", `{"ContentID":"new","Name":"New","TemplateName":"Recipe of today","CreatedAt":"2024-01-01T00:00:00Z"}`)
	b.says("main", "site.Recipe_of_today")
	b.says("main details[open] table", "searchByName")
	if _, d := document("?env=site"); d.Components.Schemas["site.Recipe_of_today"] == nil {
		t.Error("the document has not the new template")
	}
}
