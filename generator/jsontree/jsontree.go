// Package jsontree reads JSON into a tree that may be changed: the order of members and the text of
// numbers and strings stay. It is for documents of one item's size; package jsonscan reads larger
// texts by offsets.
package jsontree

import (
	"slices"

	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/jsonscan"

	"github.com/goccy/go-json/jsontext"
)

// Value is a JSON value. All methods that read accept nil, which means a missing value.
type Value struct {
	Members []Member // of an object
	Items   []*Value // of an array
	Offset  int      // in the text that was parsed

	first byte   // of its JSON text: which kind it is
	raw   []byte // the JSON text of a string, a number or a word
}

// Member is a member of an object.
type Member struct {
	Name  string
	Value *Value
}

// Error says where and why a text is not a value.
type Error struct {
	Offset        int
	Message, Hint string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Parse reads a text that is one value. Its error is an *Error.
func Parse(text []byte) (*Value, error) {
	at, err := Check(text)
	if err != nil {
		return nil, err
	}
	return build(text, at)
}

// Check returns the offset of the value that a text is, without making a tree. ParseValid may read the parts of such a
// text. The error is an *Error.
func Check(text []byte) (int, error) {
	at := jsoncursor.SkipSpace(text, 0)
	s := jsonscan.New()
	end, err := s.Skip(text, at)
	if err != nil {
		offset, message, hint := documents.Explain(s, text, at, err)
		return 0, &Error{offset, message, hint}
	}
	if rest := jsoncursor.SkipSpace(text, end); rest < len(text) {
		return 0, &Error{rest, "there is more after the end of the value", ""}
	}
	return at, nil
}

// ParseValid reads the value at an offset of a text that Check accepted. Only its depth is checked.
func ParseValid(text []byte, at int) (*Value, error) { return build(text, at) }

func build(text []byte, at int) (*Value, error) {
	v, _ := read(text, at, 0)
	if v == nil {
		deep := jsonscan.TooDeep(text[at:], documents.MaxDepth)
		return nil, &Error{at + max(deep, 0), documents.TooDeep, ""}
	}
	return v, nil
}

// read returns the value at an offset and its end; no value if it is nested too deep.
func read(text []byte, at, depth int) (*Value, int) {
	v := &Value{first: text[at], Offset: at}
	if v.first != '{' && v.first != '[' {
		end := jsoncursor.ScalarEnd(text, at)
		v.raw = text[at:end:end]
		return v, end
	}
	if depth == documents.MaxDepth {
		return nil, 0
	}
	deep := false
	end := jsoncursor.Children(text, at, func(name []byte, at int) int {
		if deep {
			return len(text)
		}
		child, end := read(text, at, depth+1)
		switch {
		case child == nil:
			deep = true
			return len(text)
		case name != nil:
			v.Members = append(v.Members, Member{string(jsoncursor.Unquote(name)), child})
		default:
			v.Items = append(v.Items, child)
		}
		return end
	})
	if deep {
		return nil, 0
	}
	return v, end
}

// Object returns a new object.
func Object(members ...Member) *Value { return &Value{first: '{', Members: members} }

// Array returns a new array.
func Array(items ...*Value) *Value { return &Value{first: '[', Items: items} }

// String returns a new string.
func String(text string) *Value {
	raw, err := jsontext.AppendQuote(nil, text)
	if err != nil { // invalid UTF-8 became U+FFFD
		raw, _ = jsontext.AppendQuote(nil, string([]rune(text)))
	}
	return &Value{first: '"', raw: raw}
}

// Raw returns a new number, or a word as null, from its JSON text.
func Raw(text string) *Value { return &Value{first: text[0], raw: []byte(text)} }

// IsObject reports whether a value is an object.
func (v *Value) IsObject() bool { return v != nil && v.first == '{' }

// IsArray reports whether a value is an array.
func (v *Value) IsArray() bool { return v != nil && v.first == '[' }

// IsString reports whether a value is a string.
func (v *Value) IsString() bool { return v != nil && v.first == '"' }

// IsNumber reports whether a value is a number.
func (v *Value) IsNumber() bool {
	return v != nil && (v.first == '-' || v.first >= '0' && v.first <= '9')
}

// IsNull reports whether a value is null, or no value.
func (v *Value) IsNull() bool { return v == nil || v.first == 'n' }

// IsTrue reports whether a value is true.
func (v *Value) IsTrue() bool { return v != nil && v.first == 't' }

// Kind names the kind of a value with an article, as "an object".
func (v *Value) Kind() string {
	if v == nil {
		return "nothing"
	}
	return jsonscan.KindName(v.first)
}

// Text returns the text of a string, or the JSON text of a number or a word; "" for others.
func (v *Value) Text() string {
	switch {
	case v == nil || v.raw == nil:
		return ""
	case v.first == '"':
		return string(jsoncursor.Unquote(v.raw))
	}
	return string(v.raw)
}

// Str returns the text of a string; "" for any other value.
func (v *Value) Str() string {
	if !v.IsString() {
		return ""
	}
	return v.Text()
}

// Get returns the value that names of members lead to, or nil.
func (v *Value) Get(names ...string) *Value {
	for _, name := range names {
		i := v.index(name)
		if i < 0 {
			return nil
		}
		v = v.Members[i].Value
	}
	return v
}

// List returns the elements of an array; none of any other value.
func (v *Value) List() []*Value {
	if v == nil {
		return nil
	}
	return v.Items
}

// At returns an element of an array, or nil.
func (v *Value) At(i int) *Value {
	if list := v.List(); i >= 0 && i < len(list) {
		return list[i]
	}
	return nil
}

// Has reports whether an object has a member of that name.
func (v *Value) Has(name string) bool { return v.index(name) >= 0 }

func (v *Value) index(name string) int {
	if v == nil {
		return -1
	}
	return slices.IndexFunc(v.Members, func(m Member) bool { return m.Name == name })
}

// Set gives a member a value. A new member becomes the last one.
func (v *Value) Set(name string, to *Value) {
	if i := v.index(name); i >= 0 {
		v.Members[i].Value = to
		return
	}
	v.Members = append(v.Members, Member{name, to})
}

// Fields makes an object of many members. Set and Has take the same time however many there are.
type Fields struct {
	v  *Value
	at map[string]int
}

// NewFields returns the Fields of an object. Change the object only through the Fields.
func NewFields(object *Value) *Fields {
	f := &Fields{object, make(map[string]int, len(object.Members))}
	for i, m := range object.Members {
		f.at[m.Name] = i
	}
	return f
}

// Has reports whether the object has a member of that name.
func (f *Fields) Has(name string) bool { return f.Get(name) != nil }

// Get returns the value of a member, or nil.
func (f *Fields) Get(name string) *Value {
	if i, ok := f.at[name]; ok {
		return f.v.Members[i].Value
	}
	return nil
}

// Set gives a member a value. A new member becomes the last one.
func (f *Fields) Set(name string, to *Value) {
	if i, ok := f.at[name]; ok {
		f.v.Members[i].Value = to
		return
	}
	f.at[name] = len(f.v.Members)
	f.v.Members = append(f.v.Members, Member{name, to})
}

// Delete removes a member.
func (v *Value) Delete(name string) {
	if i := v.index(name); i >= 0 {
		v.Members = slices.Delete(v.Members, i, i+1)
	}
}

// Append appends the JSON text of a value without white space.
func (v *Value) Append(dst []byte) []byte {
	switch {
	case v == nil:
		return append(dst, "null"...)
	case v.first == '{':
		dst = append(dst, '{')
		for i, m := range v.Members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, String(m.Name).raw...)
			dst = append(dst, ':')
			dst = m.Value.Append(dst)
		}
		return append(dst, '}')
	case v.first == '[':
		dst = append(dst, '[')
		for i, item := range v.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.Append(dst)
		}
		return append(dst, ']')
	}
	return append(dst, v.raw...)
}

// Clone returns a copy that may be changed by itself.
func (v *Value) Clone() *Value {
	if v == nil {
		return nil
	}
	c := *v
	c.Members, c.Items = slices.Clone(v.Members), slices.Clone(v.Items)
	for i := range c.Members {
		c.Members[i].Value = c.Members[i].Value.Clone()
	}
	for i := range c.Items {
		c.Items[i] = c.Items[i].Clone()
	}
	return &c
}
