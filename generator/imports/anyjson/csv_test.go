package anyjson

import (
	"strings"
	"testing"
	"time"

	"contentedge/generator/imports"
	"contentedge/generator/imports/importstest"
)

func tryCSV(t *testing.T, o Options, mapping, text string) *importstest.Checks {
	t.Helper()
	o.CSV = true
	return importstest.Try(t, System(o), map[string]string{"goods.csv": text}, imports.Options{Mapping: mappingOf(t, mapping)})
}

// TestCSV shows what flags and mapping files make of rows.
func TestCSV(t *testing.T) {
	const text = "\ufeffSKU,Label,Kind,State,Made on,size,price.net\r\nA-1,Rye,Bread,active,2024-01-31,S,3.20\r\nB 2,Oat,,draft,\"Feb 1, 2024\",L,\r\nA-1,,,,,L,\"5,80\"\r\n"
	o := Options{ID: "SKU", Name: "Label", Template: ".Kind", Created: "Made on", Status: ".State", Group: "SKU"}
	r := tryCSV(t, o, "", text).OK()
	for path, want := range map[string]string{
		"TemplateName": `"Bread"`, "CreatedAt": `"2024-01-31T00:00:00Z"`, "Status": `"Published"`, "Source": `{"System":"csv","Type":"Bread","ID":"A-1"}`,
		"Data.rows": `[{"size":"S","price.net":"3.20"},{"size":"L","price.net":"5,80"}]`, "Data.Label": `"Rye"`,
	} {
		r.Is(r.Named("Rye"), path, want)
	}
	r.Is(r.Named("Oat"), "TemplateName", `"goods"`)
	r.Is(r.Named("Oat"), "Status", `"Draft"`)
	r.Is(r.Named("Oat"), "Data.rows", "nothing")
	if r.Items("")[0].Get("Data", "SKU").Str() == "" {
		t.Error("the column of the key is not in Data")
	}

	o.Group = ""
	const rules = "json: {group: {by: SKU, parts: {sizes: [size, 'price*']}}, numbers: [price.net], id: .SKU}"
	r = tryCSV(t, Options{Name: "Label", Created: "Made on"}, rules, strings.Replace(text, "5,80", "5.80", 1)).OK()
	r.Is(r.Named("Rye"), "Data.sizes", `[{"size":"S","price.net":3.20},{"size":"L","price.net":5.80}]`)
	r.Is(r.Named("Oat"), "Data.sizes", `[{"size":"L"}]`)
	r.Is(r.Named("Oat"), "Status", `"Published"`) // the column State is not a mark
}

// TestMarksOfCSV: columns that say who sees an item count in any case.
func TestMarksOfCSV(t *testing.T) {
	r := tryCSV(t, Options{ID: "id", Created: "on"}, "", "id,Name,on,Status,Published,Expires\n1,A,2024-01-31,active,TRUE,\n2,B,2024-01-31,active,FALSE,\n3,C,2024-01-31,Archived,true,\n4,D,2024-01-31,,yes,2024-03-01\n5,E,2024-01-31,,2024-02-01,\n").OK()
	for name, want := range map[string]string{"A": "Published", "B": "Draft", "C": "Archived", "D": "Published", "E": "Published"} {
		r.Is(r.Named(name), "Status", `"`+want+`"`)
	}
	r.Is(r.Named("D"), "ExpiresAt", `"2024-03-01T00:00:00Z"`)
}

func TestFaultsOfCSV(t *testing.T) {
	by := Options{ID: "k", Created: "on", Group: "k"}
	for _, tt := range []struct {
		name, text string
		o          Options
		want       []string
	}{
		{"no id", "a\n1\n", Options{}, []string{"--id", "--id SKU"}},
		{"a column that is not there", "a,on\n1,2024-01-31\n", Options{ID: "k"}, []string{"goods.csv:2:1", "no id at .k", "its members are a, on"}},
		{"an empty id", "k,on\n,2024-01-31\n", Options{ID: "k"}, []string{"goods.csv:2:1", "an id must be a text or a number"}},
		{"a date that is none", "k,on\n1,\"5/6\n/2024\"\n", Options{ID: "k", Created: "on"}, []string{"goods.csv:2:3", `"5/6`}},
		{"the same id twice", "k,on\n1,2024-01-31\n1,2024-01-31\n", Options{ID: "k", Created: "on"}, []string{"the same id"}},
		{"a status that differs", "k,on,status\n1,2024-01-31,active\n1,,draft\n", by, []string{"goods.csv:2:14", "status"}},
		{"a date that differs", "k,on\n1,2024-01-31\n1,2024-02-01\n", by, []string{"goods.csv:2:3", `"on"`}},
		{"no column for groups", "a,on\n1,2\n", by, []string{"goods.csv:1:1", `no column "k"`}},
		{"a row with less", "k,on\n1\n", by, []string{"goods.csv:2:1", "1 values"}},
		{"semicolons", "k;on\n1;2024-01-31\n", by, []string{"not separated by commas"}},
		{"a NUL", "k,on\n1,\x00\n", by, []string{"NUL"}},
		{"an open quote", "k,on\n1,\"x\n", by, []string{"goods.csv:2:3", "not closed"}},
		{"a large file", "k,on\n" + strings.Repeat("x", 33<<20), by, []string{"more than 32"}},
		{"a mark nobody understands", "k,on,draft\n1,2024-01-31,maybe\n", by, []string{"goods.csv:2:14", "draft must be"}},
	} {
		t.Run(tt.name, func(t *testing.T) { tryCSV(t, tt.o, "", tt.text).Fails(tt.want...) })
	}
}

// TestShopifyIsRecognised: the columns of an export of Shopify need no flags.
func TestShopifyIsRecognised(t *testing.T) {
	date := time.Date(2024, 1, 31, 0, 0, 0, 0, time.UTC)
	r := importstest.Try(t, System(Options{CSV: true}), sample(t, "shopify"), imports.Options{Date: date}).OK()
	r.Warned("the columns look like shopify", 1)
	r.Count("Product", "Product", 4)
}

// TestPeopleOfCSV: files whose name or columns are those of people are left out.
func TestPeopleOfCSV(t *testing.T) {
	o := Options{ID: "id", Created: "on", CSV: true}
	for name, text := range map[string]string{"customers.csv": "id,on,title\n1,2024-01-31,x\n", "list.csv": "id,on,phone\n1,2024-01-31,5551\n"} {
		r := importstest.Try(t, System(o), map[string]string{name: text}, imports.Options{}).OK()
		if r.Report.Items != 0 || r.Skipped != 1 {
			t.Errorf("%s: %s", name, r.Result.Account())
		}
	}
}
