package index

import (
	"encoding/json"
	"testing"

	"contentedge/edgeserve/release"
)

var fields = []release.Field{
	{Path: "CreatedAt", Type: "date", SubFields: []string{"keyword", "date"}},
	{Path: "Data.a", Type: "boolean", SubFields: []string{"keyword", "boolean"}},
	{Path: "Data.a.b", Type: "long", SubFields: []string{"keyword", "long"}},
	{Path: "Name", Type: "text", SubFields: []string{"keyword", "long", "boolean"}},
}

func TestProperty(t *testing.T) {
	tests := []struct {
		field int
		kind  Kind
		want  string
	}{
		{0, Plain, `{"ignore_malformed":true,"type":"date"}`},
		{0, Full, `{"fields":{"date":{"ignore_malformed":true,"type":"date"},"keyword":{"ignore_above":8000,"type":"keyword"},"words":{"type":"text"}},"ignore_malformed":true,"type":"date"}`},
		{1, Full, `{"fields":{"boolean":{"type":"boolean"},"keyword":{"ignore_above":8000,"type":"keyword"},"words":{"type":"text"}},"type":"boolean"}`},
		{3, Plain, `{"fields":{"keyword":{"ignore_above":8000,"type":"keyword"}},"type":"text"}`},
		{3, Full, `{"fields":{"keyword":{"ignore_above":8000,"type":"keyword"},"long":{"ignore_malformed":true,"type":"long"}},"type":"text"}`},
	}
	for _, test := range tests {
		if got, err := json.Marshal(property(fields[test.field], test.kind)); err != nil || string(got) != test.want {
			t.Errorf("%s, %v: %s %v", fields[test.field].Path, test.kind, got, err)
		}
	}
}

// A path that is a value in one item and an object in another has no field.
func TestLeftOut(t *testing.T) {
	out := LeftOut(fields)
	if len(out) != 1 || out[0] != "Data.a" {
		t.Errorf("%q", out)
	}
	for item, want := range map[string]string{
		`{"Data":{"a":true}}`:                 `{"Data":{"a":null}}`,
		`{"Data":{"a":[true,{"b":1}],"c":2}}`: `{"Data":{"a":[{"b":1}],"c":2}}`,
		`{"Data":[{"a":{"b":1}},{"a":"x"}]}`:  `{"Data":[{"a":{"b":1}},{"a":null}]}`,
		`{"a":12345678901234567890}`:          `{"a":12345678901234567890}`,
	} {
		if got, err := without([]byte(item), out); err != nil || string(got) != want {
			t.Errorf("%s: %s %v", item, got, err)
		}
	}
}

func TestName(t *testing.T) {
	if got := Name("site", Plain); got != "site" {
		t.Error(got)
	}
	if a, b := Name("Site", Full), Name("sITE", Full); a == b || a[:5] != "site-" {
		t.Error(a, b)
	}
}
