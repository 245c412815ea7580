// This file shows what is wrong with a search body: the place, the message, and the line with a mark.

package main

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/wire/problem"
)

// bodyError is an error of a search text.
type bodyError struct {
	name    string // of the text, as the user gave it
	text    string
	inQuery bool // the text is a query string, not a body
	problem *problem.Problem
}

// Error returns the place and the message, then the line of the place with a mark below it.
func (e *bodyError) Error() string {
	at := e.offset()
	if at < 0 {
		return e.name + ": " + e.problem.Message
	}
	line, column := position(e.text, at)
	shown, mark := excerpt(e.text, at)
	return fmt.Sprintf("%s:%d:%d: %s\n  %s\n  %s^", e.name, line, column, e.problem.Message, shown, strings.Repeat(" ", mark))
}

// Refused says what is refused.
func (*bodyError) Refused() string { return "the search is wrong" }

func (e *bodyError) offset() int {
	p := e.problem
	if e.inQuery {
		return min(p.Position, len(e.text))
	}
	return body.Locate([]byte(e.text), &query.Error{Parameter: p.Parameter, Position: p.Position})
}

// position returns the line and the column, in characters from 1, of a byte of a text.
func position(text string, at int) (line, column int) {
	before := text[:at]
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
}

// around is how many characters of a line are shown before the place, and after it.
const around = 60

// excerpt returns the line of a byte, cut to the characters around the byte, and how many shown characters
// precede the byte.
func excerpt(text string, at int) (shown string, mark int) {
	before, after := []rune(text[strings.LastIndexByte(text[:at], '\n')+1:at]), []rune(text[at:])
	if end := strings.IndexByte(text[at:], '\n'); end >= 0 {
		after = []rune(text[at : at+end])
	}
	if len(before) > around {
		before = append([]rune("…"), before[len(before)-around:]...)
	}
	if len(after) > around {
		after = append(after[:around:around], '…')
	}
	return printable(string(before) + string(after)), len(before)
}

// printable replaces each character that could control a terminal by another one.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// withoutMark removes a byte order mark from a text, as columns do not count it.
func withoutMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\ufeff")) }
