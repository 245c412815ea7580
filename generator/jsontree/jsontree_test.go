package jsontree

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"contentedge/generator/source/documents"
)

// TestJSONTree: order, numbers and strings stay as they were written, and a tree may be changed.
func TestJSONTree(t *testing.T) {
	const text = ` {"z": 1.0, "a": [12345678901234567890, "\u00e9\/", null, true, {}], "x": {"y": "é"}} `
	v, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(v.Append(nil)); got != `{"z":1.0,"a":[12345678901234567890,"\u00e9\/",null,true,{}],"x":{"y":"é"}}` {
		t.Error(got)
	}
	if got := v.Get("x", "y").Str(); got != "é" || v.Get("x", "q", "y") != nil || v.Get("z").Str() != "" || v.Get("z").Text() != "1.0" {
		t.Error(got)
	}
	if at := v.Get("x", "y").Offset; text[at:at+4] != `"é"` {
		t.Errorf("%q", text[at:])
	}
	copied := v.Clone()
	v.Set("z", String("a\"\n\xff"))
	v.Get("x").Set("new", Array(Raw("1"), Object(Member{"k", nil})))
	v.Delete("a")
	if got := string(v.Append(nil)); got != `{"z":"a\"\n�","x":{"y":"é","new":[1,{"k":null}]}}` {
		t.Error(got)
	}
	if got := string(copied.Append(nil)); !strings.HasPrefix(got, `{"z":1.0,"a":[`) || strings.Contains(got, "new") {
		t.Errorf("a copy changed: %s", got)
	}
}

func TestErrorsHaveAPlace(t *testing.T) {
	for text, want := range map[string]string{
		``: "", `{"a":1,"a":2}`: "given twice", `{"a":}`: "", `[1] 2`: "more after the end", "\"\xff\"": "not UTF-8", `{"a":"x`: "in the middle", `"\ud800"`: "surrogate",
		strings.Repeat("[", documents.MaxDepth+1) + strings.Repeat("]", documents.MaxDepth+1): "nested more than", strings.Repeat("[", 1e6): "",
	} {
		_, err := Parse([]byte(text))
		e, ok := err.(*Error)
		if !ok || !strings.Contains(e.Message, want) || e.Offset > len(text) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	deepest := strings.Repeat("[", documents.MaxDepth) + strings.Repeat("]", documents.MaxDepth)
	if _, err := Parse([]byte(deepest)); err != nil {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{"b":"\ud83d\ude00"}],"a.b":-0.1e+5}`, `[[[[`, `{"":{"":[[]]}}`, `"\u12"`, ` null `, `{"a":1,"a":2}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := Parse(text)
		if err != nil {
			return
		}
		if !json.Valid(text) {
			t.Fatalf("%q is no JSON", text)
		}
		once := v.Append(nil)
		again, err := Parse(once)
		if err != nil || !bytes.Equal(again.Append(nil), once) || !bytes.Equal(v.Clone().Append(nil), once) {
			t.Fatalf("%q is written as %q: %v", text, once, err)
		}
	})
}
