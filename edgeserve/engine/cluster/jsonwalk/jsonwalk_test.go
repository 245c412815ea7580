package jsonwalk

import (
	"bytes"
	"encoding/json"
	"testing"
)

// rewrite writes a value again without white space.
func rewrite(c *Cursor, dst []byte) []byte {
	comma := func(open byte) {
		if dst[len(dst)-1] != open {
			dst = append(dst, ',')
		}
	}
	switch c.Peek() {
	case '{':
		dst = append(dst, '{')
		c.Members(func(name []byte) {
			comma('{')
			dst = rewrite(c, append(append(dst, name...), ':'))
		})
		return append(dst, '}')
	case '[':
		dst = append(dst, '[')
		c.Elements(func() {
			comma('[')
			dst = rewrite(c, dst)
		})
		return append(dst, ']')
	}
	return append(dst, c.Scalar()...)
}

func TestJSONWalk(t *testing.T) {
	for _, text := range seeds {
		check(t, []byte(text))
	}
	if got := Unquote([]byte(`"a\u00e9\"b"`)); got != `aé"b` {
		t.Error(got)
	}
}

var seeds = []string{`{}`, `[]`, ` [ ] `, `{"a":{"b":[1,-2.5e3 ,"x\"y\\"],"c":null},"":[[],{}]}`, "\t{ \"a\" :\n[ true , false ] }\r", `"x"`, `12`, ` null`}

// check compares with encoding/json.
func check(t *testing.T, text []byte) {
	if !json.Valid(text) {
		return
	}
	var want bytes.Buffer
	if err := json.Compact(&want, text); err != nil {
		t.Fatal(err)
	}
	c := Cursor{Text: append(bytes.Clone(text), ' ')}
	if got := rewrite(&c, nil); !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s: %s, want %s", text, got, want.Bytes())
	}
	c = Cursor{Text: text}
	if got := c.Value(); !bytes.Equal(bytes.TrimSpace(text), got) {
		t.Errorf("%s: the value is %s", text, got)
	}
}

func FuzzJSONWalk(f *testing.F) {
	for _, text := range seeds {
		f.Add([]byte(text))
	}
	f.Fuzz(check)
}
