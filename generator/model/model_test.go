package model

import (
	"strings"
	"testing"

	"contentedge/generator/visibility"
)

// TestModel shows the text that is delivered for an item, whatever file it is written in. Packages
// source and documents show which items files hold; TestDiagnostics shows what is refused.
func TestModel(t *testing.T) {
	const full = `{"Status":"Draft","CreatedBy":"Ann","CreatedAt":"2025-01-31T09:00:00.000Z",` +
		`"Data":{"b":1,"a":[1.0,-0,1E400,12345678901234567890],"é":"\u00e9\/<"},` +
		`"PublishedBy":"Bob","UpdatedAt":"2025-02-01T00:00:00.000Z","Name":"N\u0061me","PublishedAt":"2025-02-02T00:00:00.000Z","UpdatedBy":"Cy",` +
		`"TemplateName":"Page","TemplateID":"Template_1","ContentID":"` + id1 + `","b":{"x":[1,2]},"a\u0031":null}`
	minimal := `{"Status":"Published","CreatedBy":"","CreatedAt":"2025-01-31T09:00:00.000Z",` +
		`"Data":{},` +
		`"PublishedBy":"","UpdatedAt":"2025-01-31T09:00:00.000Z","Name":"n","PublishedAt":"2025-01-31T09:00:00.000Z","UpdatedBy":"",` +
		`"TemplateName":"t","TemplateID":"` + TemplateID("t") + `","ContentID":"` + id1 + `"}`
	for _, tt := range []struct {
		name, file string
		text       string
		want       string
	}{
		{
			"an item in the order of delivery comes out as it was written", "e/x.ndjson",
			full,
			full,
		},
		{
			"white space goes", "e/x.json",
			spaced(full),
			full,
		},
		{
			"fields come in the order of delivery, and those that are missing get defaults", "e/x.json", `
			{
			  "ContentID": "` + id1 + `",
			  "CreatedAt": "2025-01-31T09:00:00.000Z",
			  "TemplateName": "t",
			  "Name": "n"
			}`,
			minimal,
		},
		{
			"null means the same as a field that is missing", "e/x.json", `
			{
			  "ContentID": "` + id1 + `",
			  "Name": "n",
			  "TemplateName": "t",
			  "CreatedAt": "2025-01-31T09:00:00.000Z",
			  "CreatedBy": null,
			  "Data": null,
			  "UpdatedAt": null,
			  "TemplateID": null,
			  "UpdatedBy": null
			}`,
			minimal,
		},
		{
			"the name of a field may have escapes", "e/x.json", `
			{
			  "ContentID": "` + id1 + `",
			  "N\u0061me": "n",
			  "TemplateName": "t",
			  "CreatedAt": "2025-01-31T09:00:00.000Z"
			}`,
			minimal,
		},
		{
			"a file may begin with a byte order mark", "e/x.json",
			"\ufeff" + item(id1, ""),
			minimal,
		},
		{
			"an item may stand in an array", "e/x.json",
			" [ " + item(id1, "") + " ] ",
			minimal,
		},
		{
			"or in a saved list", "e/x.json",
			`{"status":200,"data":[` + item(id1, "") + `],"totalItems":1}`,
			minimal,
		},
		{
			"or in a saved item", "e/x.json",
			`{"data":` + item(id1, "") + `,"status":200}`,
			minimal,
		},
		{
			"or on a line", "e/x.jsonl",
			"\ufeff\r\n  \n" + item(id1, "") + " \r\n",
			minimal,
		},
		{
			"the last line needs no end", "e/x.ndjson",
			"\n" + item(id1, ""),
			minimal,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			site, diagnostics := load(t, map[string]string{tt.file: tt.text}, Options{Rules: visibility.Everything()})
			if failed(diagnostics) {
				t.Fatal(said(diagnostics))
			}
			if got := text(&site.Envs[0].Items[0]); got != tt.want || len(site.Envs[0].Items) != 1 {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

// spaced spreads JSON without "," or ":" in its strings, timestamps aside.
func spaced(s string) string {
	s = strings.NewReplacer(`,"`, " ,\r\n\t\"", `":`, "\" :\n", "{", "{ ", "}", " }", "[", "[\t", ",1", ", 1").Replace(s)
	return "\n" + s + "\n"
}
