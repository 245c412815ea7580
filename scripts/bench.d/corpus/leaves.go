// This file finds the scalars in an item's text, so that items can be split and
// rewritten without other changes.

package corpus

import (
	"bytes"
	"encoding/json"
)

// Kind is the JSON type of a Leaf.
type Kind uint8

// The scalar JSON types. Null is not a leaf.
const (
	String Kind = iota
	Number
	Boolean
)

// Leaf is a scalar of an item. Raw is item[Start:End]; for a string it is the escaped
// text between the quotes.
type Leaf struct {
	Path       string // keys joined by dots; arrays add nothing
	Kind       Kind
	Raw        []byte
	Start, End int
}

// Text is the decoded value.
func (l Leaf) Text() string {
	if l.Kind != String || bytes.IndexByte(l.Raw, '\\') < 0 {
		return string(l.Raw)
	}
	quoted := append(append([]byte{'"'}, l.Raw...), '"')
	var s string
	if err := json.Unmarshal(quoted, &s); err != nil {
		panic(err) // items are validated when read
	}
	return s
}

// Leaves calls visit for every leaf of a compact, valid JSON object, in order.
func Leaves(item []byte, visit func(Leaf)) {
	s := scanner{b: item, visit: visit}
	s.value("")
}

type scanner struct {
	b     []byte
	i     int
	visit func(Leaf)
}

func (s *scanner) value(path string) {
	switch s.b[s.i] {
	case '{':
		s.members('}', func() {
			from, to := s.str()
			s.i++ // the colon
			s.value(join(path, string(s.b[from:to])))
		})
	case '[':
		s.members(']', func() { s.value(path) })
	case '"':
		from, to := s.str()
		s.give(path, String, from, to)
	default:
		s.scalar(path)
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// members calls element for each element up to the closing bracket.
func (s *scanner) members(end byte, element func()) {
	s.i++
	for s.b[s.i] != end {
		element()
		if s.b[s.i] == ',' {
			s.i++
		}
	}
	s.i++
}

// str skips a string and returns the bounds of its content.
func (s *scanner) str() (from, to int) {
	s.i++
	from = s.i
	for s.b[s.i] != '"' {
		if s.b[s.i] == '\\' {
			s.i++
		}
		s.i++
	}
	s.i++
	return from, s.i - 1
}

// scalar skips a number, a boolean or null.
func (s *scanner) scalar(path string) {
	from := s.i
	for s.i < len(s.b) && bytes.IndexByte([]byte(",]}"), s.b[s.i]) < 0 {
		s.i++
	}
	switch s.b[from] {
	case 'n':
	case 't', 'f':
		s.give(path, Boolean, from, s.i)
	default:
		s.give(path, Number, from, s.i)
	}
}

func (s *scanner) give(path string, kind Kind, from, to int) {
	s.visit(Leaf{Path: path, Kind: kind, Raw: s.b[from:to], Start: from, End: to})
}

// Rewrite copies an item and replaces every leaf's text by the result of change.
func Rewrite(item []byte, change func(Leaf) []byte) []byte {
	out := make([]byte, 0, len(item)+len(item)/8)
	copied := 0
	Leaves(item, func(l Leaf) {
		out = append(out, item[copied:l.Start]...)
		out = append(out, change(l)...)
		copied = l.End
	})
	return append(out, item[copied:]...)
}
