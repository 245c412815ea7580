// This file tests the JSON parser: accepted bodies and the positions of errors.

package strictjson

import (
	"strings"
	"testing"
)

// TestStrictJSON shows the values of JSON texts. Comments are skipped; a half of a surrogate pair is U+FFFD.
func TestStrictJSON(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`"a"`, `a`},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t"},
		{`"\u00e9x\u20AC"`, "éx€"},
		{`"\ud83d\ude00"`, "😀"},
		{`"\ud83dx\ude00\ud83d\u0041"`, "\ufffdx\ufffd\ufffdA"},
		{`"é😀` + "\u2028\x7f" + `"`, "é😀\u2028\x7f"},
		{`"\u0000"`, "\x00"},
		{`-0.10e+5`, `-0.10e+5`},
		{`0`, `0`},
		{`12345678901234567890`, `12345678901234567890`},
		{"/**/ true //", `true`},
		{"//\nfalse", `false`},
	} {
		var v Value
		err := Read(c.in, &v)
		if err != nil || v.Text != c.want {
			t.Errorf("%s: got %+v, %v", c.in, v, err)
		}
	}
}

func TestReadJSONErrors(t *testing.T) {
	for _, c := range []struct {
		in   string
		pos  int
		want string
	}{
		{`{`, 1, `is the end, expected a member name in double quotes`},
		{`{"a"`, 4, `is the end, expected a colon`},
		{`{"a":`, 5, `is the end, expected a value`},
		{`{"a":1`, 6, `is the end, expected a comma or '}'`},
		{`{"a":1,}`, 7, `is '}', expected a member name in double quotes`},
		{`{a:1}`, 1, `is 'a', expected a member name in double quotes`},
		{`{'a':1}`, 1, `is '\'', expected a member name in double quotes`},
		{`[1,]`, 3, `is ']', expected a value`},
		{`[1 2]`, 3, `is '2', expected a comma or ']'`},
		{`[}`, 1, `is '}', expected a value`},
		{`{"a":1}x`, 7, `is 'x', expected the end: one JSON value is all a body may hold`},
		{`{}{}`, 2, `is '{', expected the end: one JSON value is all a body may hold`},
		{`{"a":1,"b":2,"a":3}`, 17, `is the second value of the member "a" of one object`},
		{`{"a":{"x":1,"x":1}}`, 16, `is the second value of the member "x" of one object`},
		{`NaN`, 0, `is 'N', expected a value`},
		{`-Infinity`, 1, `is 'I', expected a digit`},
		{`010`, 1, `is '1', expected the end: one JSON value is all a body may hold`},
		{`1.`, 2, `is the end, expected a digit`},
		{`1e`, 2, `is the end, expected a digit`},
		{`.5`, 0, `is '.', expected a value`},
		{`+1`, 0, `is '+', expected a value`},
		{`tru`, 0, `is 't', expected a value`},
		{`"a`, 2, `is the end, expected a closing quote`},
		{`"a\`, 3, "is the end, expected one of \" \\ / b f n r t u after a backslash"},
		{`"a\x"`, 3, "is 'x', expected one of \" \\ / b f n r t u after a backslash"},
		{`"\u12g4"`, 2, `is 'u', expected four hexadecimal digits after \u`},
		{"\"a\nb\"", 2, `is '\n', expected a string's end or an escape: control characters must be escaped`},
		{"\"\xff\"", 1, `is not UTF-8`},
		{"\xef\xbb\xbf\xef\xbb\xbf{}", 3, `is '\ufeff', expected a value`},
		{"\xef\xbb\xbf{", 4, `is the end, expected a member name in double quotes`},
		{" \xef\xbb\xbf{}", 1, `is '\ufeff', expected a value`},
		{`/* x`, 0, `begins a comment that does not end`},
		{`/x`, 0, `is '/', expected a value or a comment`},
		{`{} /`, 3, `is '/', expected a value or a comment`},
	} {
		err := Read(c.in, new(Value))
		if err == nil {
			t.Errorf("%s: no error", c.in)
			continue
		}
		_, got, _ := strings.Cut(strings.TrimPrefix(err.Message, "not valid JSON: byte "), " ")
		if got != c.want || err.Position != c.pos || err.TooDeep {
			t.Errorf("%s\n got %d %s\nwant %d %s", c.in, err.Position, got, c.pos, c.want)
		}
	}
}

func TestDuplicateInLargeObject(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		b.WriteString(`"` + strings.Repeat("x", i) + `":1,`)
	}
	if err := Read(`{`+b.String()+`"y":1}`, new(Value)); err != nil {
		t.Errorf("no name twice: %v", err)
	}
	if err := Read(`{`+b.String()+`"xxx":1}`, new(Value)); err == nil || err.TooDeep {
		t.Errorf("xxx twice: %v", err)
	}
}
