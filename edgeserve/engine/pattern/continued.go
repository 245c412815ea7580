// This file matches prefixes whose rest is limited, as Lucene's intervals need them.

package pattern

import (
	"bytes"
	"unicode/utf8"
)

// Continued matches a prefix with a rest that passes a test.
type Continued struct {
	prefix []byte
	rest   func(rest []byte) bool
}

var _ Matcher = (*Continued)(nil)

// BytePrefix matches as Lucene's automaton of a prefix does in intervals: it takes the bytes of the
// prefix, and those that follow, for letters below U+0100.
func BytePrefix(text string) *Continued {
	letters := make([]rune, len(text))
	for i := range len(text) {
		letters[i] = rune(text[i])
	}
	return &Continued{[]byte(string(letters)), func(rest []byte) bool {
		return bytes.IndexFunc(rest, func(c rune) bool { return c > 0xff }) < 0
	}}
}

// LongerBy matches a text and what is longer by at most so many characters: a misspelt word all of
// which is a fixed prefix, as Lucene's automaton has it.
func LongerBy(text string, most int) *Continued {
	return &Continued{[]byte(text), func(rest []byte) bool { return utf8.RuneCount(rest) <= most }}
}

// Prefix implements Matcher.
func (c *Continued) Prefix() []byte { return c.prefix }

// Match implements Matcher.
func (c *Continued) Match(term []byte) bool {
	rest, ok := bytes.CutPrefix(term, c.prefix)
	return ok && c.rest(rest)
}
