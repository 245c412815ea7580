// This file makes the ids of headings.

package markdown

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
)

// ids are those of a text. A repeated id gets a number, which is found at once.
type ids struct {
	guard *guard
	used  map[string]int
}

// Generate makes an id of a heading's text as GitHub does: lower-case letters, digits, "_" and "-", with
// "-" for spaces.
func (s *ids) Generate(value []byte, _ ast.NodeKind) []byte {
	s.guard.heading()
	id := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(string(value)))
	if id == "" {
		id = "heading"
	}
	n, again := s.used[id]
	s.used[id] = n + 1
	for again {
		numbered := id + "-" + strconv.Itoa(n)
		if _, taken := s.used[numbered]; !taken {
			s.used[numbered], s.used[id] = 1, n+1
			return []byte(numbered)
		}
		n++
	}
	return []byte(id)
}

// Put notes an id that a text gives itself.
func (s *ids) Put(value []byte) { s.used[string(value)] = 1 }
