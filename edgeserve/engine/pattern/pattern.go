// Package pattern matches whole index terms against wildcards, regular expressions in Lucene's
// syntax, and misspelt words. Matchers are immutable and safe for concurrent use, and do not
// allocate; walks compare one term of a sorted dictionary after the other.
//
// As queries are untrusted, the work per term is limited. A wildcard takes at most the length of the
// pattern times the length of the term; MatchWithin charges this work. A regular expression and a misspelt
// word take one table step per code point. An *Error reports a regular expression that exceeds the limits.
//
// Terms are UTF-8. An invalid byte counts as one code point, U+FFFD, for `?`, `.` and edit
// distances.
package pattern

import "fmt"

// Matcher matches whole terms. Prefix is a common prefix of all matches, maybe empty: callers with
// a sorted dictionary scan only that range.
type Matcher interface {
	Match(term []byte) bool
	Prefix() []byte
}

var (
	_ Matcher = (*Wildcard)(nil)
	_ Matcher = (*Regexp)(nil)
	_ Matcher = (*Fuzzy)(nil)
)

// Error reports an expression that cannot be compiled. Position is a byte offset, or -1 for none.
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
