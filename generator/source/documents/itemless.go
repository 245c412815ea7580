// This file recognises JSON that holds no items: data and settings of other programs.

package documents

import (
	"bytes"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/visibility"
)

// Itemless reports whether the first object of a text, perhaps in an array, is not an item: it has none of the members
// of an item, or the text has no object. Name and Status count as they are written, as much data has a name: the id and
// the template count in other capitals too. The text may be the beginning of a file, and may not be JSON: then
// what can be read decides, and whole is false. A text of which nothing can be said is not itemless.
func Itemless(text []byte, whole bool) bool {
	s := memberScan{text: bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))}
	s.space()
	list := s.at < len(s.text) && s.text[s.at] == '['
	if list {
		s.at++
		s.space()
	}
	if s.at >= len(s.text) || s.text[s.at] != '{' {
		return list && (whole || s.at < len(s.text))
	}
	s.at++
	for {
		name, ok := s.member()
		switch {
		case ok:
		case s.wrong && s.at < len(s.text) && s.text[s.at] != '}':
			return !namesItem(s.text)
		default:
			return whole || s.wrong
		}
		if isItemMember(name) {
			return false
		}
	}
}

// namesItem reports whether a text that is not JSON names a member that only items have: it is an item that needs mending.
func namesItem(text []byte) bool {
	for _, name := range []string{address.FieldContentID, address.FieldTemplateName} {
		if bytes.Contains(text, []byte(`"`+name+`"`)) {
			return true
		}
	}
	return false
}

func isItemMember(name string) bool {
	return slices.Contains(address.Fields[:], name) || name == visibility.FieldExpiresAt ||
		strings.EqualFold(name, address.FieldContentID) || strings.EqualFold(name, address.FieldTemplateName)
}

// memberScan finds the names of the members of one object. It knows strings, brackets and comments, and no other grammar.
type memberScan struct {
	text  []byte
	at    int
	wrong bool // the object ended, or what follows is not a member
}

// space skips white space and comments, as settings of other programs have them.
func (s *memberScan) space() {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			s.at++
		case bytes.HasPrefix(rest, []byte("//")):
			s.after(rest, "\n")
		case bytes.HasPrefix(rest, []byte("/*")):
			s.after(rest, "*/")
		default:
			return
		}
	}
}

func (s *memberScan) after(rest []byte, end string) {
	if i := bytes.Index(rest, []byte(end)); i >= 0 {
		s.at += i + len(end)
	} else {
		s.at = len(s.text)
	}
}

// member returns the name of the next member, and skips its value. ok is false at the end of the object, or of the text.
func (s *memberScan) member() (name string, ok bool) {
	s.space()
	if s.at < len(s.text) && s.text[s.at] == ',' {
		s.at++
		s.space()
	}
	if s.at >= len(s.text) {
		return "", false
	}
	if s.text[s.at] != '"' {
		s.wrong = true
		return "", false
	}
	begin := s.at + 1
	if !s.quoted() {
		return "", false
	}
	name = string(s.text[begin : s.at-1])
	s.space()
	if s.at < len(s.text) && s.text[s.at] != ':' {
		s.wrong = true
		return "", false
	}
	s.value()
	return name, true
}

// quoted skips a string. It returns false if the text ends in it.
func (s *memberScan) quoted() bool {
	for s.at++; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case '"':
			s.at++
			return true
		}
	}
	return false
}

// comment skips a comment, and reports whether there is one.
func (s *memberScan) comment() bool {
	before := s.at
	s.space()
	return s.at > before
}

// value skips to the comma or the bracket that ends a value.
func (s *memberScan) value() {
	for depth := 0; s.at < len(s.text); {
		switch c := s.text[s.at]; {
		case c == '"':
			s.quoted()
			continue
		case c == '{' || c == '[':
			depth++
		case (c == '}' || c == ']' || c == ',') && depth == 0:
			return
		case c == '}' || c == ']':
			depth--
		case c == '/':
			if s.comment() {
				continue
			}
		}
		s.at++
	}
}
