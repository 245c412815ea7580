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
		if got, want := valid([]byte(text)), json.Valid([]byte(text)) && utf8.ValidString(text); got != want {
			t.Errorf("valid(%q) is %v, want %v", text, got, want)
		}
	}
	for n, want := range map[int]bool{maxNesting: true, maxNesting + 1: false} {
		if got := valid([]byte(strings.Repeat("[", n) + strings.Repeat("]", n))); got != want {
			t.Errorf("%d brackets: %v, want %v", n, got, want)
		}
	}
}

func FuzzValid(f *testing.F) {
	for _, text := range validTexts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		deep := bytes.Count(text, []byte("{"))+bytes.Count(text, []byte("[")) > maxNesting
		if got, want := valid(text), json.Valid(text) && utf8.Valid(text); got != want && !deep {
			t.Errorf("valid(%q) is %v, want %v", text, got, want)
		}
	})
}

func BenchmarkValid(b *testing.B) {
	item := `{"_id":"C_1","_score":1.25,"_source":{"Name":"foxes and dogs","Data":{"title":"日本語 text","body":"` + strings.Repeat("some words of an item, ", 50) + `","n":12.5,"list":["a","b",true]}}}`
	text := []byte("[" + strings.Repeat(item+",", 9) + item + "]")
	for name, check := range map[string]func([]byte) bool{"ours": valid, "encoding": func(text []byte) bool { return json.Valid(text) && utf8.Valid(text) }} {
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
