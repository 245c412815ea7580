// Package pattern matches whole index terms against what a query leaves open:
// wildcards, regular expressions in Lucene's syntax, and misspelt words.
//
// A dictionary may hold many thousands of terms and a query may be hostile, so
// every matcher here keeps three promises. It is immutable once compiled and
// may be shared between goroutines. Match never allocates. Its work is bounded:
// a wildcard costs at most pattern times term, a regular expression one table
// step per code point, a fuzzy term five cells per code point; what cannot be
// compiled within fixed limits is refused with an *Error.
//
// Terms are UTF-8. A byte that belongs to no valid sequence counts as one code
// point, U+FFFD, for `?`, `.` and for edit distance.
package pattern

import "fmt"

// Matcher decides whether a term matches as a whole. Prefix returns bytes that
// every matching term begins with, so that a caller with a sorted dictionary
// need look at that range only; it is empty when nothing is known.
type Matcher interface {
	Match(term []byte) bool
	Prefix() []byte
}

var (
	_ Matcher = (*Wildcard)(nil)
	_ Matcher = (*Regexp)(nil)
	_ Matcher = (*Fuzzy)(nil)
)

// Error reports an expression that cannot be compiled. Position is a byte
// offset in the expression, or -1 when no single place is to blame.
type Error struct {
	Message  string
	Position int
}

// Error implements error.
func (e *Error) Error() string {
	if e.Position < 0 {
		return e.Message
	}
	return fmt.Sprintf("%s at position %d", e.Message, e.Position)
}
