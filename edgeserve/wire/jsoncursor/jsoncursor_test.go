package jsoncursor

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// compact writes the value at an offset again without white space, and returns its end.
func compact(dst, text []byte, at int) ([]byte, int) {
	if at = SkipSpace(text, at); at >= len(text) || text[at] != '{' && text[at] != '[' {
		end := ScalarEnd(text, at)
		return append(dst, text[at:end]...), end
	}
	start := len(dst)
	end := Children(text, at, func(name []byte, at int) (end int) {
		if len(dst) > start {
			dst = append(dst, ',')
		}
		if name != nil {
			dst = append(append(dst, name...), ':')
		}
		dst, end = compact(dst, text, at)
		return end
	})
	open := text[at]
	return append(append(append(append([]byte(nil), dst[:start]...), open), dst[start:]...), open+2), end
}

var valid = []string{
	`{}`, `[]`, ` [ ] `, `{"a":{"b":[1,-2.5e3 ,"x\"y\\"],"c":null},"":[[],{}]}`, "\t{ \"a\" :\n[ true , false ] }\r", `"x"`, `12`, ` null`,
	`{"a\\":"\\","b\"":"}]","c":["{","\\\"]"]}`, `[[[[]]],{"a":{}}]`, `{"日本":"\u65e5","a":""}`, strings.Repeat("[", 500) + strings.Repeat("]", 500),
}

var damaged = []string{
	``, ` `, `"`, `"\`, `"a\"`, `{`, `[`, `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,"`, `{"a" 1}`, `{a:1}`, `{"a":}`, `{"a":,"b":1}`, `{"a":1 "b":2}`, `[1 2]`, `[,]`, `[1,,2]`,
	`[1`, `["a]`, `[}`, `{]`, `]`, `}`, `:`, `,`, `[[]`, `{"a":[}`, "[\x00", "{\"\xff\":\xff}", `{"a":"b\\\`, strings.Repeat(`[`, 500), strings.Repeat(`{"a":`, 500), strings.Repeat(`\"`, 500),
}

// TestJSONCursor writes values again member by member, and compares them with the output of encoding/json. Reads of
// damaged JSON stay inside the text.
func TestJSONCursor(t *testing.T) {
	for _, text := range append(valid, damaged...) {
		checkValue(t, []byte(text))
	}
}

// checkValue compares a valid text with encoding/json, and bounds what is read of any text.
func checkValue(t *testing.T, text []byte) {
	t.Helper()
	for at := range len(text) + 2 {
		for _, end := range []int{ValueEnd(text, at), ScalarEnd(text, at), StringEnd(text, at), Children(text, at, func(name []byte, at int) int { return at })} {
			if end > len(text) || end <= min(at, len(text)-1) {
				t.Fatalf("%.100q: the value at %d ends at %d", text, at, end)
			}
		}
		StringAt(text, at)
	}
	got, end := compact(nil, text, 0)
	if !json.Valid(text) {
		return
	}
	var want bytes.Buffer
	if err := json.Compact(&want, text); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%.100q: got %.100q, want %.100q", text, got, want.Bytes())
	}
	if at := SkipSpace(text, 0); SkipSpace(text, end) != len(text) || ValueEnd(text, at) != end {
		t.Errorf("%.100q: ends are %d and %d", text, end, ValueEnd(text, at))
	}
}

// TestDamaged finds that damage inside an object or array ends it, and that nothing after the damage is visited.
func TestDamaged(t *testing.T) {
	tests := []struct{ text, visited string }{
		{`{"a" 1,"b":2}`, ``},
		{`{a:1,"b":2}`, ``},
		{`{"a":1 "b":2}`, `"a"=1 `},
		{`{"a":"x,"b":2}`, `"a"="x," `},
		{`{"a":,"b":2}`, `"a"=,"b":2} `},
		{`[1 2]`, `1 `},
		{`[1,2,"a]`, `1 2 "a] `},
		{`{"a":{"b":1,"c":2`, `"a"={"b":1,"c":2 `},
		{`"text"`, ``},
		{`12`, ``},
	}
	for _, tt := range tests {
		visited := ""
		end := Children([]byte(tt.text), 0, func(name []byte, at int) int {
			end := ValueEnd([]byte(tt.text), at)
			if name != nil {
				visited += string(name) + "="
			}
			visited += tt.text[at:end] + " "
			return end
		})
		if end != len(tt.text) || visited != tt.visited {
			t.Errorf("%s: visited %s up to %d, want %s up to %d", tt.text, visited, end, tt.visited, len(tt.text))
		}
	}
}

func TestChildrenStop(t *testing.T) {
	text, visited := []byte(`[1,2,3] `), 0
	end := Children(text, 0, func([]byte, int) int { visited++; return len(text) })
	if visited != 1 || end != len(text) {
		t.Errorf("visited %d elements up to %d", visited, end)
	}
}

func FuzzValues(f *testing.F) {
	for _, text := range append(valid, damaged...) {
		f.Add([]byte(text))
	}
	f.Fuzz(checkValue)
}

func BenchmarkValueEnd(b *testing.B) {
	text := []byte(`{"Title":"A title of six words","Body":"` + strings.Repeat(`Some prose, with <a href=\"/x\">a link</a>. `, 50) + `","Numbers":[` + strings.Repeat("12,-3.5,", 50) + `0]}`)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		ValueEnd(text, 0)
	}
}
