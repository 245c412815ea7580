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

// BytePrefix matches like Lucene's automaton of a prefix in intervals. The automaton treats the bytes of
// the prefix, and the bytes that follow, as letters below U+0100.
func BytePrefix(text string) *Continued {
	letters := make([]rune, len(text))
	for i := range len(text) {
		letters[i] = rune(text[i])
	}
	return &Continued{[]byte(string(letters)), func(rest []byte) bool {
		return bytes.IndexFunc(rest, func(c rune) bool { return c > 0xff }) < 0
	}}
}

// LongerBy matches a text, and longer words that begin with it and have at most most more characters.
// Lucene's automaton does so for a misspelt word that is wholly a fixed prefix.
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
