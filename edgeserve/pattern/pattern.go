// Package pattern matches whole index terms against wildcards, regular expressions in
// Lucene's syntax, and misspelt words.
//
// A dictionary may have many thousands of terms, and queries are untrusted. Every matcher
// therefore has three properties:
//
//   - It is immutable and safe for concurrent use.
//   - Match does not allocate.
//   - Its work is bounded. A wildcard costs at most pattern times term, a regular expression one
//     table step per code point, a fuzzy term five cells per code point. Regular expressions that
//     exceed the limits give an *Error.
//
// Terms are UTF-8. An invalid byte counts as one code point, U+FFFD, for `?`, `.` and edit
// distances.
package pattern

import "fmt"

// Matcher matches whole terms. Prefix returns a common prefix of all matches, which may be
// empty. Callers with a sorted dictionary need to scan only that range.
type Matcher interface {
	Match(term []byte) bool
	Prefix() []byte
}

var (
	_ Matcher = (*Wildcard)(nil)
	_ Matcher = (*Regexp)(nil)
	_ Matcher = (*Fuzzy)(nil)
)

// Error reports an expression that cannot be compiled. Position is a byte offset in the
// expression, or -1 if the error has no single position.
type Error struct {
	Message  string
	Position int
}

// Error returns the message.
func (e *Error) Error() string {
	if e.Position < 0 {
		return e.Message
	}
	return fmt.Sprintf("%s at position %d", e.Message, e.Position)
}
