// These tests compare the leaves that the walk gives with those of encoding/json, over
// compact text, over text with white space, and over random objects.

package mapping_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/mapping"
)

// leaf is a leaf as both ways give it.
type leaf struct {
	path string
	kind mapping.Kind
	text string // of a string, without quotes and escapes
}

// walked returns the leaves of an item, and proves the place of each.
func walked(t *testing.T, paths *mapping.Paths, item []byte) (out []leaf) {
	t.Helper()
	paths.Walk(item, func(l *mapping.Leaf) { out = append(out, leafOf(t, item, l)) })
	return out
}

func leafOf(t *testing.T, item []byte, l *mapping.Leaf) leaf {
	t.Helper()
	if at := item[l.Offset:]; !bytes.HasPrefix(at, l.Text) {
		t.Errorf("%s: %q does not stand at %d", l.Path.Name, l.Text, l.Offset)
	}
	text := l.Text
	if l.Kind == mapping.String {
		if item[l.Offset-1] != '"' || item[l.Offset+len(text)] != '"' {
			t.Errorf("%s: no quotes around %q at %d", l.Path.Name, text, l.Offset)
		}
		if l.Plain == bytes.Contains(text, []byte(`\`)) {
			t.Errorf("%s: %q plain %t", l.Path.Name, text, l.Plain)
		}
		text = jsoncursor.AppendUnquoted(nil, text)
	}
	return leaf{l.Path.Name, l.Kind, string(text)}
}

// decoded returns the leaves that encoding/json finds, in order.
func decoded(t *testing.T, item []byte) []leaf {
	t.Helper()
	d := decoder{t: t, Decoder: json.NewDecoder(bytes.NewReader(item))}
	d.UseNumber()
	d.value(nil)
	return d.out
}

type decoder struct {
	*json.Decoder
	t   *testing.T
	out []leaf
}

func (d *decoder) token() json.Token {
	tok, err := d.Token()
	if err != nil && err != io.EOF {
		d.t.Fatal(err)
	}
	return tok
}

// value takes in the value at a path.
func (d *decoder) value(path []string) {
	name := strings.Join(path, ".")
	switch v := d.token().(type) {
	case json.Delim:
		for d.More() {
			below := path
			if v == '{' {
				below = append(slices.Clone(path), d.token().(string))
			}
			d.value(below)
		}
		d.token()
	case string:
		d.out = append(d.out, leaf{name, mapping.String, v})
	case json.Number:
		d.out = append(d.out, leaf{name, mapping.Number, v.String()})
	case bool:
		d.out = append(d.out, leaf{name, mapping.Boolean, fmt.Sprint(v)})
	}
}

var items = []struct{ name, json string }{
	{"nothing", `{}`},
	{"each kind", `{"s":"a","n":-1.5e+3,"t":true,"f":false,"z":null}`},
	{"empty values", `{"s":"","a":[],"o":{},"b":[[],{}]}`},
	{"below", `{"a":{"b":{"c":1}},"d":[{"e":2},{"e":[3,4]},[5,[6]]]}`},
	{"strings that look like more", `{"a":"]},{\"b\":1","c":"\\","d":"\"","e":"null"}`},
	{"escapes", `{"a":"\u00e5\n\ud83d\ude00\/","\u006b\"\\.x":"v"}`},
	{"escapes before the quote", `{"a":"\\\\","b":"\\\"","c":1}`},
	{"dots in keys", `{"a.b":1,"a":{"b":2},"":{"":3},"x":{"":4}}`},
	{"one key twice", `{"a":1,"a":"x"}`},
	{"beyond ASCII", `{"å":"€😀","日本":["語"]}`},
	{"numbers", `{"n":[0,-0,1e5,1E-5,123456789012345678901234567890,0.1]}`},
	{"controls that need no escape", "{\"a\":\"\u007f\u2028\"}"},
}

func TestWalk(t *testing.T) {
	paths := mapping.NewPaths() // one for all: what is met before changes nothing
	for _, tt := range items {
		t.Run(tt.name, func(t *testing.T) {
			want := decoded(t, []byte(tt.json))
			if got := walked(t, paths, []byte(tt.json)); !slices.Equal(got, want) {
				t.Errorf("leaves %v, want %v", got, want)
			}
		})
	}
}

// White space of every kind between tokens changes no leaf.
func TestWalkWhiteSpace(t *testing.T) {
	for _, tt := range items {
		for _, space := range []string{" ", "\n", "\r\n", "\t", " \t\r\n "} {
			item := spaced(t, tt.json, space)
			want := walked(t, mapping.NewPaths(), []byte(tt.json))
			if got := walked(t, mapping.NewPaths(), item); !slices.Equal(got, want) {
				t.Errorf("%s with %q between tokens: leaves %v, want %v", tt.name, space, got, want)
			}
		}
	}
}

// spaced puts white space before and behind every token, but not around the object.
func spaced(t *testing.T, text, space string) []byte {
	t.Helper()
	var b strings.Builder
	quoted, escaped := false, false
	for _, r := range text {
		if !quoted && strings.ContainsRune("{}[],:", r) {
			b.WriteString(space + string(r) + space)
		} else {
			b.WriteRune(r)
		}
		quoted = quoted != (r == '"' && !escaped)
		escaped = quoted && r == '\\' && !escaped
	}
	out := []byte(strings.TrimSpace(b.String()))
	var compact bytes.Buffer
	if err := json.Compact(&compact, out); err != nil || compact.String() != text {
		t.Fatalf("%s became %s: %v", text, out, err)
	}
	return out
}

// A member is walked where it stands, and gives what a walk of the whole item gives.
func TestWalkMember(t *testing.T) {
	const text = `..., "Data" : {"a":[1,{"b":"x\n"}]} , "Name":"n"`
	tests := []struct {
		name, member string
		at           int
		want         []leaf
	}{
		{"object", "Data", strings.Index(text, `{`), []leaf{{"Data.a", mapping.Number, "1"}, {"Data.a.b", mapping.String, "x\n"}}},
		{"string", "Name", strings.LastIndex(text, `"n"`), []leaf{{"Name", mapping.String, "n"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []leaf
			mapping.NewPaths().WalkMember(tt.member, []byte(text), tt.at, func(l *mapping.Leaf) { got = append(got, leafOf(t, []byte(text), l)) })
			if !slices.Equal(got, tt.want) {
				t.Errorf("leaves %v, want %v", got, tt.want)
			}
		})
	}
}

// Paths of one name have one number, and a path keeps its own.
func TestPathIDs(t *testing.T) {
	paths := mapping.NewPaths()
	ids := map[string]int{}
	for range 2 {
		for _, item := range []string{`{"a.b":1,"c":2}`, `{"d":[3],"a":{"b":4}}`} {
			paths.Walk([]byte(item), func(l *mapping.Leaf) {
				if id, ok := ids[l.Path.Name]; ok && id != l.Path.ID {
					t.Errorf("%s is %d, and was %d", l.Path.Name, l.Path.ID, id)
				}
				ids[l.Path.Name] = l.Path.ID
			})
		}
	}
	if want := map[string]int{"a.b": 0, "c": 1, "d": 2}; fmt.Sprint(ids) != fmt.Sprint(want) {
		t.Errorf("numbers %v, want %v", ids, want)
	}
}

func TestWalkAllocatesNothing(t *testing.T) {
	item := []byte(`{"a":{"b":["x",1,true]},"\u0063":"y\n"}`)
	paths := mapping.NewPaths()
	visit := func(*mapping.Leaf) {}
	paths.Walk(item, visit)
	if n := testing.AllocsPerRun(100, func() { paths.Walk(item, visit) }); n > 1 { // the walk itself
		t.Errorf("%v allocations for paths it has met", n)
	}
}

// FuzzWalk holds the walk to encoding/json on any valid object: as it is, compact, and
// indented.
func FuzzWalk(f *testing.F) {
	for _, tt := range items {
		f.Add([]byte(tt.json))
	}
	f.Fuzz(func(t *testing.T, item []byte) {
		item = bytes.TrimSpace(item)
		if !json.Valid(item) || item[0] != '{' {
			return
		}
		// What is no UTF-8 is replaced by the decoder, and stays as it is in the walk;
		// so are halves of surrogate pairs by both.
		item = bytes.ToValidUTF8(item, []byte("?"))
		want := decoded(t, item)
		var compact, indented bytes.Buffer
		if json.Compact(&compact, item) != nil || json.Indent(&indented, item, "\r", "\t ") != nil {
			return
		}
		for _, text := range [][]byte{item, compact.Bytes(), indented.Bytes()} {
			if got := walked(t, mapping.NewPaths(), text); !slices.Equal(got, want) {
				t.Errorf("%s: leaves %v, want %v", text, got, want)
			}
		}
	})
}
