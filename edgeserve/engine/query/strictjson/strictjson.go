// Package strictjson reads a JSON text into a tree of Values. Each Value has its byte offset, and Path returns
// its path in the tree. The package refuses texts that most readers accept silently: with duplicate members,
// invalid UTF-8 or a second value. It limits the depth. It knows nothing of queries.
package strictjson

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"contentedge/edgeserve/wire/envelope"
)

// Kind is the type of a Value.
type Kind uint8

// The types of values.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}

// String returns the name of the type with its article, for messages.
func (k Kind) String() string { return kindNames[k] }

// Value is a JSON value. Text is the text of a scalar: a String is decoded, other scalars stay as written. Name
// is set for a member of an Object. Items are the elements of an Array or the members of an Object.
type Value struct {
	Kind  Kind
	Pos   int32 // byte offset in the text
	Name  string
	Text  string
	Items []Value
}

// Member returns the member with a name, or nil.
func (v *Value) Member(name string) *Value {
	for i := range v.Items {
		if v.Items[i].Name == name {
			return &v.Items[i]
		}
	}
	return nil
}

// Path returns the path of a value below v, such as a.b[0], with long names shortened. It finds the value by its Pos,
// which is between the Pos of its parent and the Pos of the parent's next sibling.
func (v *Value) Path(below *Value) string {
	var b strings.Builder
	for at := v; at.Pos != below.Pos; {
		i := len(at.Items) - 1
		for i > 0 && at.Items[i].Pos > below.Pos {
			i--
		}
		if at.Kind == Array {
			fmt.Fprintf(&b, "[%d]", i)
		} else {
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(Clip(at.Items[i].Name))
		}
		at = &at.Items[i]
	}
	return b.String()
}

// Append writes v as compact JSON, without its name.
func (v *Value) Append(dst []byte, escapes *envelope.Escapes) []byte {
	open, end := byte('['), byte(']')
	switch v.Kind {
	case Object:
		open, end = '{', '}'
	case Array:
	case String:
		return escapes.AppendString(dst, v.Text)
	case Null:
		return append(dst, "null"...)
	default:
		return append(dst, v.Text...)
	}
	dst = append(dst, open)
	for i := range v.Items {
		if i > 0 {
			dst = append(dst, ',')
		}
		if v.Kind == Object {
			dst = append(escapes.AppendString(dst, v.Items[i].Name), ':')
		}
		dst = v.Items[i].Append(dst, escapes)
	}
	return append(dst, end)
}

// Clip shortens a text for a message.
func Clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	n := most
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
