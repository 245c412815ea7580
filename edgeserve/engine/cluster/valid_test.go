// This file tests the check of responses against encoding/json.

package cluster

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

var validTexts = []string{
	``, ` `, `null`, `nul`, `nulll`, ` true `, `false`, `0`, `-0`, `00`, `-`, `1.`, `.5`, `1.50e+3`, `1e`, `1E-`, `12a`, `"`, `""`, `"a`, `"\"`, `"\\"`, `"\u12aF"`, `"\u12g0"`, `"\x"`, `"\`,
	"\"a\nb\"", "\"\x1f\"", "\"\x7f\"", "\"\xff\"", `"12345678"`, "\"1234567\x01\"", `"1234567\n"`, `"日本語日本語"`, `{}`, `{ }`, `[]`, `[ ]`, `{"a":1}`, `{"a" : [1 , {"b":null}] }`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`,
	`{1:2}`, `{"a":1 "b":2}`, `[1,]`, `[1 2]`, `[,1]`, `[`, `{`, `{"a"`, `{"a":`, `]`, `}`, `[}`, `{]`, `[[]`, `[]]`, `[{}]`, `1 2`, `{"a":1}x`, `[true,false,null,"",-1.5e9]`,
}

func TestValid(t *testing.T) {
	for _, text := range validTexts {
		want := json.Valid([]byte(text)) && utf8.ValidString(text)
		if _, got := valid([]byte(text)); got != want {
			t.Errorf("valid(%q) is %v, want %v", text, got, want)
		}
	}
	for n, want := range map[int]bool{maxNesting: true, maxNesting + 1: false} {
		if _, got := valid([]byte(strings.Repeat("[", n) + strings.Repeat("]", n))); got != want {
			t.Errorf("%d brackets: %v, want %v", n, got, want)
		}
	}
}

// TestExtents finds the long objects and arrays of a text, whatever lies inside of them.
func TestExtents(t *testing.T) {
	words := strings.Repeat("]}\\\"", minExtent)
	text := []byte(` {"short":[{}],"long":{"a":["` + words + `",[]],"b":{"c":[]}},"last":["` + words + `"]} `)
	long, ok := valid(text)
	if !ok || len(long) != 4 {
		t.Fatalf("%v %v", long, ok)
	}
	checkExtents(t, text, long)
}

// checkExtents compares extents with where decoders find that values end.
func checkExtents(t *testing.T, text []byte, long []extent) {
	t.Helper()
	last := -1
	for _, e := range long {
		dec := json.NewDecoder(bytes.NewReader(text[e.start:]))
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil || e.start+len(v) != e.end || len(v) < minExtent || e.start <= last || text[e.start] != '{' && text[e.start] != '[' {
			t.Errorf("extent %v of %q: a value of %d bytes, %v", e, text, len(v), err)
		}
		last = e.start
	}
}

func FuzzValid(f *testing.F) {
	for _, text := range validTexts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		deep := bytes.Count(text, []byte("{"))+bytes.Count(text, []byte("[")) > maxNesting
		long, got := valid(text)
		if want := json.Valid(text) && utf8.Valid(text); got != want && !deep {
			t.Errorf("valid(%q) is %v, want %v", text, got, want)
		}
		checkExtents(t, text, long)
	})
}

func BenchmarkValid(b *testing.B) {
	item := `{"_id":"C_1","_score":1.25,"_source":{"Name":"foxes and dogs","Data":{"title":"日本語 text","body":"` + strings.Repeat("some words of an item, ", 50) + `","n":12.5,"list":["a","b",true]}}}`
	text := []byte("[" + strings.Repeat(item+",", 9) + item + "]")
	ours := func(text []byte) bool { _, ok := valid(text); return ok }
	for name, check := range map[string]func([]byte) bool{"ours": ours, "encoding": func(text []byte) bool { return json.Valid(text) && utf8.Valid(text) }} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if !check(text) {
					b.Fatal("it is JSON")
				}
			}
		})
	}
}
