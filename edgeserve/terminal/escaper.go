// This file finds the commands that CI systems read from lines of a log.

package terminal

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// escaper escapes texts that follow each other in a line. GitHub obeys a line that begins with :: after white space. Azure
// Pipelines obeys ##vso[ and TeamCity ##teamcity[ anywhere in a line, and ##[ is a command too: so an escaper escapes each
// bracket after ## and letters.
type escaper struct {
	inLine bool // the line has more than white space
	colon  bool // the line is a colon after white space
	mark   mark
	source bool // bytes that are not UTF-8 stay
}

// mark is how much of a command with a bracket was written.
type mark uint8

const (
	noMark   mark = iota
	oneHash       // #
	hashes        // ## or more
	hashWord      // ## and letters
)

// append appends a text, with characters escaped that a function names.
func (e *escaper) append(dst, s []byte, escaped func(rune) bool) []byte {
	for len(s) > 0 {
		if n := e.plain(s); n > 0 {
			dst, s, e.mark = append(dst, s[:n]...), s[n:], noMark
			continue
		}
		_, n := utf8.DecodeRune(s)
		dst, s = e.appendOne(dst, s[:n], escaped), s[n:]
	}
	return dst
}

// appendOne appends one character.
func (e *escaper) appendOne(dst, character []byte, escaped func(rune) bool) []byte {
	r, n := utf8.DecodeRune(character)
	switch {
	case r == utf8.RuneError && n == 1 && !e.source:
		e.ends()
		return fmt.Appendf(dst, `\x%02x`, character[0])
	case escaped(r):
		e.ends()
		return fmt.Appendf(dst, `\u%04x`, r)
	case e.commands(r):
		return fmt.Appendf(dst, `\u%04x`, r)
	}
	return append(dst, character...)
}

// plain returns the length of the beginning of a text that certainly stays as it is. The access log writes a line for each
// request, and nearly all its bytes are plain: BenchmarkWriter.
func (e *escaper) plain(s []byte) (n int) {
	if !e.inLine || e.colon || e.mark >= hashes {
		return 0
	}
	for n < len(s) && ' ' <= s[n] && s[n] <= '~' && s[n] != '#' {
		n++
	}
	return n
}

// ends forgets the mark of a command at an escaped character.
func (e *escaper) ends() { e.inLine, e.colon, e.mark = true, false, noMark }

// commands reports whether a character would complete the mark of a command, and remembers the character.
func (e *escaper) commands(r rune) bool {
	if r == '\n' {
		e.inLine, e.colon, e.mark = false, false, noMark
		return false
	}
	bracket := r == '[' && e.mark >= hashes
	e.mark = e.mark.after(r)
	colons := r == ':' && e.colon
	e.colon = r == ':' && !e.inLine
	e.inLine = e.inLine || !unicode.IsSpace(r)
	return bracket || colons
}

// after returns the mark after one more character. Characters without a width do not end it: some systems pass over them.
func (m mark) after(r rune) mark {
	switch {
	case unicode.Is(unicode.Cf, r):
		return m
	case r == '#' && (m == oneHash || m == hashes):
		return hashes
	case r == '#':
		return oneHash
	case unicode.IsLetter(r) && m >= hashes:
		return hashWord
	}
	return noMark
}
