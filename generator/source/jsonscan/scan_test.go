package jsonscan

import (
	"strings"
	"testing"

	"github.com/goccy/go-json/jsontext"
)

// TestJSONScan shows what the offsets of an error give: the scanner refuses the second of two equal names, and the first
// one is found again.
func TestJSONScan(t *testing.T) {
	tests := []struct{ name, text, first string }{
		{"next to each other", `{"a":1,"a":2}`, `"a":1`},
		{"after others", "{\"b\":\"\\\"a\\\":\",\n\t\"c\":[1,{}] ,\r\n \"a\" : 1,\"a\":2}", `"a" : 1`},
		{"below", `{"a":{"b":0},"x":{"b":1, "b":2}}`, `"b":1`},
		{"in an array", `{"a":[{"a":0},{"a":1,"a":2}]}`, `"a":1`},
		{"escaped", `{"\\\"":1,"z":0,"\\\"":2}`, `"\\\"":1`},
		{"one escaped", `{"\u0061":1,"a":2}`, `"\u0061":1`},
		{"empty", `{"":1,"":2}`, `"":1`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const before = "{} \n"
			text := []byte(before + tt.text)
			_, _, err := New().Object(text, len(before))
			if err == nil {
				t.Fatal("no error")
			}
			fault := SyntaxErrorOf(text, len(before), err)
			at := New().SameName(text, len(before), fault.Pointer)
			if at < 0 || !strings.HasPrefix(string(text[at:]), tt.first) {
				t.Errorf("the first name is at %d of %s", at, text)
			}
			if fault.At <= at {
				t.Errorf("the second name is at %d, the first at %d", fault.At, at)
			}
		})
	}
	for _, text := range []string{``, `{`, `{"b":1}`, `{"b":1,"b`, `[]`} {
		if at := New().SameName([]byte(text), 0, jsontext.Pointer("/a")); at != -1 {
			t.Errorf("%s: a name at %d", text, at)
		}
	}
}
