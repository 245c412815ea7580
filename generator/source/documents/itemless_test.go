package documents

import (
	"strings"
	"testing"
)

// TestItemless: JSON of other programs is told from items, also where only its beginning is known and where it is broken.
func TestItemless(t *testing.T) {
	long := `"` + strings.Repeat("x", 1000)
	for _, tt := range []struct {
		text        string
		whole, part bool // what is said of the text as a whole file, and as the beginning of one
	}{
		{`{"name":"site","scripts":{"Data":1}}`, true, true},
		{`[{"layout":"post"},{"ContentID":"a"}]`, true, true},
		{"// settings\n{ /* x */ \"compilerOptions\": {\"a\": \"ContentID\",}, }", true, true},
		{"\xef\xbb\xbf{\"a\":1}", true, true},
		{`{}`, true, true},
		{`[]`, true, true},
		{`["Name"]`, true, true},
		{`{"a": tru`, true, false},
		{`{"a": [1, {"b": ` + long, true, false},
		{`{a: 1}`, true, true},
		{`{"a" 1}`, true, true},
		{`{{"ContentID":"a"}`, false, false},
		{"{\n<<<<<<< ours\n\"TemplateName\": 1", false, false},
		{"{\n<<<<<<< ours\n\"a\": 1", true, true},
		{`{"Name":"a"}`, false, false},
		{`{"layout":"x","contentid":"a"}`, false, false},
		{`{"a":{"b":[",}"]},"Data":` + long, false, false},
		{`[ {"ExpiresAt"`, false, false},
		{`{"a":"\"","TemplateName":"b"`, false, false},
		{"{\"a\":1 // ContentID\n,\"Status\":\"b\"}", false, false},
		{``, false, false},
		{`x`, false, false},
		{`[`, true, false},
	} {
		if got := Itemless([]byte(tt.text), true); got != tt.whole {
			t.Errorf("%.80q as a file: %t", tt.text, got)
		}
		if got := Itemless([]byte(tt.text), false); got != tt.part {
			t.Errorf("%.80q as a beginning: %t", tt.text, got)
		}
	}
}

// FuzzItemless: no text makes it panic or run on.
func FuzzItemless(f *testing.F) {
	f.Add([]byte(`[{"a":{"b":"\"/*"},/*x*/"Name":1}]`), true)
	f.Fuzz(func(t *testing.T, text []byte, whole bool) { Itemless(text, whole) })
}
