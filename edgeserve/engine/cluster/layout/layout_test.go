package layout

import (
	"encoding/json"
	"testing"

	"contentedge/edgeserve/wire/release"
)

var fields = []release.Field{
	{Path: "CreatedAt", Type: "date", SubFields: []string{"keyword", "date"}},
	{Path: "Data.a", Type: "boolean", SubFields: []string{"keyword", "boolean"}},
	{Path: "Data.a.b", Type: "long", SubFields: []string{"keyword", "long"}},
	{Path: "Name", Type: "text", SubFields: []string{"keyword", "long", "boolean"}},
}

func TestDefinition(t *testing.T) {
	for field, want := range []string{
		`{"ignore_malformed":true,"type":"date"}`, `{"type":"boolean"}`, `{"ignore_malformed":true,"type":"long"}`,
		`{"fields":{"keyword":{"ignore_above":8000,"type":"keyword"}},"type":"text"}`,
	} {
		if got, err := json.Marshal(property(fields[field])); err != nil || string(got) != want {
			t.Errorf("%s: %s %v", fields[field].Path, got, err)
		}
	}
	mapped := Definition(release.Environment{Fields: fields}, Meta{Build: "b"}, 1)["mappings"].(object)["properties"].(object)
	for name, want := range map[string]bool{"Data.a": false, "Data.a·": true, "Data.a.b": true, "_sub.Name.boolean·": true, "_sub.Name.keyword·": false} {
		if _, ok := mapped[name]; ok != want {
			t.Errorf("%s is mapped: %v", name, ok)
		}
	}
}

// A path that is a value in one item and an object in another has its values aside. Sub-fields have the values
// once more. The item comes back byte for byte.
func TestDocuments(t *testing.T) {
	w := NewDocuments(fields)
	for item, want := range map[string]string{
		`{"Data":{"a":true}}`:                  `{"Data":{"a":null,"a·":true},"_item":{"Data":{"a":true}},"_sub":{"rank·":7,"item·":19,"Data.a.boolean·":[true],"Data.a.keyword·":[true],"Data.a.words·":[true]}}`,
		`{"Data":[{"a":{"b":1}},{"a":"no"}]}`:  `{"Data":[{"a":{"b":1}},{"a":null,"a·":"no"}],"_item":{"Data":[{"a":{"b":1}},{"a":"no"}]},"_sub":{"rank·":7,"item·":35,"Data.a.b.keyword·":[1],"Data.a.b.long·":[1],"Data.a.b.words·":[1],"Data.a.keyword·":["no"],"Data.a.words·":["no"]}}`,
		`{"Data":{"a":{"b":[ ]},"c":2}}`:       `{"Data":{"a":{"b":[ ]},"c":2},"_sub":{"rank·":7}}`,
		`{"Data":{"a":[true,{"b":[]}],"c":2}}`: `{"Data":{"a":[{"b":[]}],"a·":[true],"c":2},"_item":{"Data":{"a":[true,{"b":[]}],"c":2}},"_sub":{"rank·":7,"item·":36,"Data.a.boolean·":[true],"Data.a.keyword·":[true],"Data.a.words·":[true]}}`,
		`{"a":12345678901234567890}`:           `{"a":12345678901234567890,"_sub":{"rank·":7}}`,
		`{}`:                                   `{"_sub":{"rank·":7}}`,
		`{"Name":["true","no",false,null]}`:    `{"Name":["true","no",false,null],"_sub":{"rank·":7,"Name.boolean·":["true",false],"Name.long·":["true","no",false]}}`,
	} {
		got, err := w.Append([]byte("x"), []byte(item), 7)
		if err != nil || string(got) != "x"+want {
			t.Errorf("%s: %s %v", item, got, err)
			continue
		}
		back, rank, err := Item([]byte("y"), got[1:])
		if err != nil || string(back) != "y"+item || rank != 7 {
			t.Errorf("%s: %s rank %d %v", item, back, rank, err)
		}
	}
}

func TestLayout(t *testing.T) {
	if got := Alias("site"); got != "site" {
		t.Error(got)
	}
	if got := IndexName("site", "0123456789abcdef"); got != "site-0123456789abcdef" {
		t.Error(got)
	}
	if a, b := Alias("Site"), Alias("sITE"); a == b || a[:5] != "site-" {
		t.Error(a, b)
	}
}
