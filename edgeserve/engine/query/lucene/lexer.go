// This file splits query strings into tokens. Like Lucene's classic parser it takes the longest token at each offset.
// Of equally long tokens it takes the first kind below. After [, { and ^ other kinds of tokens follow.

package lucene

import (
	"strings"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokEnd tokenKind = iota
	tokAnd
	tokOr
	tokNot
	tokPlus
	tokMinus
	tokBareOper // + - or ! and the white space after it
	tokOpen
	tokClose
	tokColon
	tokStar
	tokCaret
	tokQuoted
	tokTerm
	tokFuzzy
	tokPrefix
	tokWild
	tokRegexp
	tokRangeIn // [
	tokRangeEx // {
	tokNumber  // only after ^
	tokTo      // this and all kinds below: only inside a range
	tokEndIn
	tokEndEx
	tokRangeQuoted
	tokGoop
	tokBad // no token begins here; always the last token
)

// token is a piece of the text. Offsets fit 32 bits: a body is much smaller than 4 GB.
type token struct {
	kind       tokenKind
	start, end uint32
}

type byteClass uint8

const (
	plain  byteClass = iota // begins or continues a term
	sign                    // + and -: continue a term but do not begin one
	wild                    // * and ?
	escape                  // \
	stop                    // ends a term
)

var classes = func() (t [256]byteClass) {
	for _, c := range []byte(" \t\n\r!():^[]\"{}~/") {
		t[c] = stop
	}
	t['+'], t['-'] = sign, sign
	t['*'], t['?'] = wild, wild
	t['\\'] = escape
	return t
}()

// wideSpace is the only white space of the grammar outside ASCII.
const wideSpace = "\u3000"

func spaceLen(s string, i int) int {
	if i >= len(s) {
		return 0
	}
	switch s[i] {
	case ' ', '\t', '\n', '\r':
		return 1
	case wideSpace[0]:
		if strings.HasPrefix(s[i:], wideSpace) {
			return len(wideSpace)
		}
	}
	return 0
}

type lexer struct {
	text string
	at   int
	out  []token
}

// tokens splits text. The last token is tokEnd, or tokBad if no token begins there.
func tokens(text string) []token {
	l := &lexer{text: text, out: make([]token, 0, 8+len(text)/8)}
	for l.next() {
	}
	return l.out
}

// emit appends a token that ends at end. It returns false after the last token.
func (l *lexer) emit(k tokenKind, end int) bool {
	l.out = append(l.out, token{k, uint32(l.at), uint32(end)})
	l.at = end
	return k != tokBad && k != tokEnd
}

// next appends one token. After [, { and ^ it also appends all tokens that belong to them. It returns false at the end.
func (l *lexer) next() bool {
	for n := spaceLen(l.text, l.at); n > 0; n = spaceLen(l.text, l.at) {
		l.at += n
	}
	if l.at == len(l.text) {
		return l.emit(tokEnd, l.at)
	}
	switch c := l.text[l.at]; c {
	case '(':
		return l.emit(tokOpen, l.at+1)
	case ')':
		return l.emit(tokClose, l.at+1)
	case ':':
		return l.emit(tokColon, l.at+1)
	case '+', '-', '!':
		return l.operator(c)
	case '^':
		return l.emit(tokCaret, l.at+1) && l.number()
	case '~':
		return l.emit(tokFuzzy, l.run(l.at+1, false))
	case '"':
		return l.quoted()
	case '/':
		return l.delimited(tokRegexp, '/')
	case '[':
		return l.emit(tokRangeIn, l.at+1) && l.rangeTokens()
	case '{':
		return l.emit(tokRangeEx, l.at+1) && l.rangeTokens()
	}
	return l.word()
}

// operator appends + - or !. Before white space these characters are not operators.
func (l *lexer) operator(c byte) bool {
	if n := spaceLen(l.text, l.at+1); n > 0 {
		return l.emit(tokBareOper, l.at+1+n)
	}
	kind := tokNot
	switch c {
	case '+':
		kind = tokPlus
	case '-':
		kind = tokMinus
	}
	return l.emit(kind, l.at+1)
}

// run returns the end of the term characters from i on. wilds includes * and ? in them.
func (l *lexer) run(i int, wilds bool) int {
	for i < len(l.text) {
		switch classes[l.text[i]] {
		case stop:
			return i
		case wild:
			if !wilds {
				return i
			}
			i++
		case escape:
			if i+1 == len(l.text) {
				return i
			}
			_, n := utf8.DecodeRuneInString(l.text[i+1:])
			i += 1 + n
		default:
			if spaceLen(l.text, i) > 0 {
				return i
			}
			i++
		}
	}
	return i
}

func (l *lexer) word() bool {
	if l.text[l.at] == '*' && l.run(l.at, true) == l.at+1 {
		return l.emit(tokStar, l.at+1)
	}
	end := l.run(l.at, true)
	if end == l.at {
		return l.emit(tokBad, len(l.text))
	}
	term := l.run(l.at, false)
	switch {
	case term == end:
		return l.emit(wordKind(l.text[l.at:end]), end)
	case term > l.at && term == end-1 && l.text[term] == '*':
		return l.emit(tokPrefix, end)
	}
	return l.emit(tokWild, end)
}

func wordKind(s string) tokenKind {
	switch s {
	case "AND", "&&":
		return tokAnd
	case "OR", "||":
		return tokOr
	case "NOT":
		return tokNot
	}
	return tokTerm
}

func (l *lexer) quoted() bool {
	for i := l.at + 1; i < len(l.text); i++ {
		switch l.text[i] {
		case '\\':
			i++
		case '"':
			return l.emit(tokQuoted, i+1)
		}
	}
	return l.emit(tokBad, len(l.text))
}

func (l *lexer) delimited(kind tokenKind, delim byte) bool {
	end := closingDelim(l.text, l.at, delim)
	if end < 0 {
		return l.emit(tokBad, len(l.text))
	}
	return l.emit(kind, end)
}

// closingDelim returns the end of the longest text that ends with delim, or -1. An escaped delim ends the
// text only if no later delim does.
func closingDelim(s string, i int, delim byte) int {
	last := -1
	for j := i + 1; j < len(s); j++ {
		if s[j] != delim {
			continue
		}
		last = j + 1
		if s[j-1] != '\\' {
			break
		}
	}
	return last
}

func (l *lexer) number() bool {
	end := digitsEnd(l.text, l.at)
	if end == l.at {
		if end == len(l.text) {
			return true
		}
		return l.emit(tokBad, len(l.text))
	}
	if end < len(l.text) && l.text[end] == '.' {
		if frac := digitsEnd(l.text, end+1); frac > end+1 {
			end = frac
		}
	}
	return l.emit(tokNumber, end)
}

func digitsEnd(s string, i int) int {
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return i
}

func (l *lexer) rangeTokens() bool {
	for l.at < len(l.text) {
		switch l.text[l.at] {
		case ']':
			return l.emit(tokEndIn, l.at+1)
		case '}':
			return l.emit(tokEndEx, l.at+1)
		}
		goop := l.goop()
		if n := spaceLen(l.text, l.at); n > 0 && goop <= l.at+n {
			l.at += n
			continue
		}
		kind := tokGoop
		if l.text[l.at] == '"' {
			if end := closingDelim(l.text, l.at, '"'); end >= goop {
				kind, goop = tokRangeQuoted, end
			}
		}
		if l.text[l.at:goop] == "TO" {
			kind = tokTo
		}
		l.emit(kind, goop)
	}
	return true
}

// goop returns the end of an unquoted bound. Only a space or a closing bracket ends it.
func (l *lexer) goop() int {
	n := strings.IndexAny(l.text[l.at:], " ]}")
	if n < 0 {
		return len(l.text)
	}
	return l.at + n
}
