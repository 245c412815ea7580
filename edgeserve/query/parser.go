// This file parses query strings into Groups with the grammar of Lucene's classic parser.
// Package search gives the operators between clauses their meaning.

package query

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// stringParser is a cursor over the tokens of text.
type stringParser struct {
	text        string
	toks        []token
	at          int
	depth       int // open parentheses
	clausesLeft int // clauses left before the limit
}

// fieldPrefix is the field name before a clause or before its parentheses.
type fieldPrefix struct {
	name  string
	given bool
}

// parseQueryString parses a query_string with at most limit clauses. Blank text gives nil.
func parseQueryString(text string, limit int) (*Group, *Error) {
	if strings.TrimFunc(text, func(c rune) bool { return c <= ' ' }) == "" {
		return nil, nil
	}
	p := &stringParser{text: text, toks: tokens(text), clausesLeft: limit}
	g, err := p.group(fieldPrefix{})
	if err == nil && p.peekKind(0) != tokEnd {
		err = p.unexpected()
	}
	if err != nil {
		return nil, err
	}
	return g, nil
}

// peekKind returns the kind of the token n positions ahead. The last token repeats.
func (p *stringParser) peekKind(n int) tokenKind {
	return p.toks[min(p.at+n, len(p.toks)-1)].kind
}

// consume consumes the next token and returns its text.
func (p *stringParser) consume() string {
	t := p.toks[p.at]
	if p.at < len(p.toks)-1 {
		p.at++
	}
	return p.text[t.start:t.end]
}

// accept consumes the next token if its kind is k.
func (p *stringParser) accept(k tokenKind) bool {
	if p.peekKind(0) != k {
		return false
	}
	p.consume()
	return true
}

// start returns the offset of the next token.
func (p *stringParser) start() int { return int(p.toks[p.at].start) }

// group parses clauses up to a closing parenthesis or the end.
func (p *stringParser) group(f fieldPrefix) (*Group, *Error) {
	g := &Group{Boost: 1}
	for first := true; first || p.more(); first = false {
		start := p.start()
		c, err := p.element(f, first)
		if err != nil {
			return nil, err
		}
		g.Clauses = append(g.Clauses, c)
		if p.clausesLeft--; p.clausesLeft < 0 || len(g.Clauses) > maxClauses {
			return nil, stringError(CodeTooManyClauses, start, "the query string has too many clauses: at most %d at one level and %d in all", maxClauses, maxNodes)
		}
	}
	return g, nil
}

// more reports whether another clause follows.
func (p *stringParser) more() bool {
	switch p.peekKind(0) {
	case tokEnd, tokClose, tokColon, tokCaret, tokFuzzy, tokBad:
		return false
	}
	return true
}

// element parses adjacent words, or one clause with its operators.
func (p *stringParser) element(f fieldPrefix, first bool) (Clause, *Error) {
	if p.peekKind(0) == tokTerm && p.joinsText(1) {
		return p.words(f)
	}
	var c Clause
	if !first {
		c.Conj = p.conjunction()
	}
	c.Mod = p.modifier()
	err := p.clause(&c, f)
	return c, err
}

// joinsText reports whether the token n positions ahead continues a text of adjacent words.
func (p *stringParser) joinsText(n int) bool {
	if p.peekKind(n) != tokTerm {
		return false
	}
	switch p.peekKind(n + 1) {
	case tokColon, tokStar, tokFuzzy, tokCaret, tokAnd, tokOr:
		return false
	}
	return true
}

// words parses adjacent words as one text.
func (p *stringParser) words(f fieldPrefix) (Clause, *Error) {
	text, err := p.unescaped(p.start(), p.consume())
	b := []byte(text)
	for err == nil && p.joinsText(0) {
		text, err = p.unescaped(p.start(), p.consume())
		b = append(append(b, ' '), text...)
	}
	return Clause{Leaf: f.leaf(LeafText, string(b))}, err
}

func (p *stringParser) conjunction() Conj {
	switch {
	case p.accept(tokAnd):
		return ConjAnd
	case p.accept(tokOr):
		return ConjOr
	}
	return ConjNone
}

func (p *stringParser) modifier() Mod {
	switch {
	case p.accept(tokPlus):
		return ModReq
	case p.accept(tokMinus), p.accept(tokNot):
		return ModNot
	}
	return ModNone
}

// clause parses an atom or a group, with an optional field prefix.
func (p *stringParser) clause(c *Clause, f fieldPrefix) *Error {
	if p.peekKind(1) == tokColon && (p.peekKind(0) == tokTerm || p.peekKind(0) == tokStar) {
		name, err := p.unescaped(p.start(), p.consume())
		if err != nil {
			return err
		}
		f = fieldPrefix{name, true}
		p.consume()
	}
	var err *Error
	if p.peekKind(0) == tokOpen {
		c.Group, err = p.parens(f)
	} else {
		c.Leaf, err = p.atom(f)
	}
	return err
}

func (p *stringParser) parens(f fieldPrefix) (*Group, *Error) {
	if p.depth++; p.depth > maxParens {
		return nil, stringError(CodeTooDeep, p.start(), "the query string nests parentheses deeper than %d", maxParens)
	}
	open := p.start()
	p.consume()
	g, err := p.group(f)
	if err != nil {
		return nil, err
	}
	if p.peekKind(0) == tokEnd {
		return nil, stringError(CodeQueryString, open, `this "(" is never closed: close it, or write \( for a parenthesis that is meant`)
	}
	if !p.accept(tokClose) {
		return nil, p.unexpected()
	}
	p.depth--
	if p.peekKind(0) == tokCaret {
		g.Boost, err = p.boost()
	}
	return g, err
}

func (f fieldPrefix) leaf(k LeafKind, text string) *Leaf {
	return &Leaf{Kind: k, Field: f.name, HasField: f.given, Text: text, Boost: 1, Slop: -1}
}

// atom parses a word, pattern, quoted text or range.
func (p *stringParser) atom(f fieldPrefix) (*Leaf, *Error) {
	switch p.peekKind(0) {
	case tokTerm, tokStar, tokPrefix, tokWild, tokRegexp, tokBareOper:
		return p.unquoted(f)
	case tokQuoted:
		return p.quoted(f)
	case tokRangeIn, tokRangeEx:
		return p.rangeLeaf(f)
	}
	return nil, p.unexpected()
}

// unquoted parses a word or pattern.
func (p *stringParser) unquoted(f fieldPrefix) (*Leaf, *Error) {
	kind, start, image := p.peekKind(0), p.start(), p.consume()
	if kind == tokBareOper {
		image = image[:1]
	}
	text, err := p.unescaped(start, image) // for every kind: a bad escape is always an error
	if err != nil {
		return nil, err
	}
	l := f.leaf(LeafText, text)
	fuzzy, err := p.suffixes(l)
	if err != nil {
		return nil, err
	}
	switch {
	case kind == tokStar || kind == tokWild:
		l.Kind, l.Text = LeafWildcard, image
	case kind == tokPrefix:
		l.Kind, l.Text = LeafPrefix, strings.TrimSuffix(text, "*")
	case kind == tokRegexp:
		l.Kind, l.Text = LeafRegexp, image[1:len(image)-1]
	case fuzzy != "":
		l.Kind, l.Fuzzy = LeafFuzzy, fuzzy[1:]
	}
	return l, nil
}

func (p *stringParser) quoted(f fieldPrefix) (*Leaf, *Error) {
	start, image := p.start(), p.consume()
	text, err := p.unescaped(start+1, image[1:len(image)-1])
	if err != nil {
		return nil, err
	}
	l := f.leaf(LeafQuoted, text)
	near := p.start()
	fuzzy, err := p.suffixes(l)
	if err != nil || fuzzy == "" {
		return l, err
	}
	if n, ok := javaFloat(fuzzy[1:]); ok {
		if l.Slop = clampInt(n); l.Slop < 0 {
			return nil, stringError(CodeQueryString, near, "the distance after ~ must not be negative")
		}
	}
	return l, nil
}

// clampInt returns the integer part of f, clamped to 32 bits.
func clampInt(f float64) int {
	if math.IsNaN(f) {
		return 0
	}
	return int(max(math.MinInt32, min(math.MaxInt32, f)))
}

// suffixes parses ~… and ^… in either order. It returns the whole ~… token, or "".
func (p *stringParser) suffixes(l *Leaf) (fuzzy string, err *Error) {
	if p.peekKind(0) == tokFuzzy {
		fuzzy = p.consume()
	}
	if p.peekKind(0) == tokCaret {
		if l.Boost, err = p.boost(); err != nil {
			return "", err
		}
		if fuzzy == "" && p.peekKind(0) == tokFuzzy {
			fuzzy = p.consume()
		}
	}
	return fuzzy, nil
}

func (p *stringParser) boost() (float64, *Error) {
	caret := p.start()
	p.consume()
	if p.peekKind(0) != tokNumber {
		return 0, stringError(CodeQueryString, caret, `a number must follow "^" at once: write \^ for a caret that is meant`)
	}
	f, err := strconv.ParseFloat(p.consume(), 32)
	if err != nil {
		return 0, stringError(CodeQueryString, caret, "the boost is too large")
	}
	return f, nil
}

// rangeLeaf parses [low TO high]. Each end may have either bracket.
func (p *stringParser) rangeLeaf(f fieldPrefix) (*Leaf, *Error) {
	l := f.leaf(LeafRange, "")
	l.IncLow = p.peekKind(0) == tokRangeIn
	p.consume()
	var err *Error
	if l.Low, l.LowOpen, err = p.bound(); err != nil {
		return nil, err
	}
	if !p.accept(tokTo) {
		return nil, p.unexpected()
	}
	if l.High, l.HighOpen, err = p.bound(); err != nil {
		return nil, err
	}
	l.IncHigh = p.peekKind(0) == tokEndIn
	if !p.accept(tokEndIn) && !p.accept(tokEndEx) {
		return nil, p.unexpected()
	}
	if p.peekKind(0) == tokCaret {
		l.Boost, err = p.boost()
	}
	return l, err
}

// bound parses one bound. A star is unbounded, even in quotes.
func (p *stringParser) bound() (text string, open bool, err *Error) {
	kind, start := p.peekKind(0), p.start()
	switch kind {
	case tokGoop, tokTo:
		text, err = p.unescaped(start, p.consume())
	case tokRangeQuoted:
		image := p.consume()
		text, err = p.unescaped(start+1, image[1:len(image)-1])
	default:
		return "", false, p.unexpected()
	}
	if err == nil && text == "*" {
		return "", true, nil
	}
	return text, false, err
}

// unescaped resolves the escapes of s, whose offset in the text is start.
func (p *stringParser) unescaped(start int, s string) (string, *Error) {
	first := strings.IndexByte(s, '\\')
	if first < 0 {
		return s, nil
	}
	b := append(make([]byte, 0, len(s)), s[:first]...)
	r := jsonReader{src: s, at: first}
	for r.at < len(s) {
		if s[r.at] != '\\' {
			b = append(b, s[r.at])
			r.at++
			continue
		}
		if r.at++; r.at == len(s) {
			return "", stringError(CodeQueryString, start+r.at-1, `a backslash must be followed by the character it escapes`)
		}
		if s[r.at] != 'u' {
			b = append(b, s[r.at])
			r.at++
			continue
		}
		var err *Error
		if b, err = r.unicode(b); err != nil {
			return "", stringError(CodeQueryString, start+r.at-1, `\u must be followed by four hexadecimal digits: write \\ for a backslash that is meant`)
		}
	}
	return string(b), nil
}

// stringError returns an error at byte pos of a query string.
func stringError(code string, pos int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf("query string, byte %d: ", pos) + fmt.Sprintf(format, args...), Position: pos}
}

// unexpected returns the syntax error of the next token.
func (p *stringParser) unexpected() *Error {
	start, image := p.start(), clip(p.text[p.start():p.toks[p.at].end])
	switch p.peekKind(0) {
	case tokEnd:
		return stringError(CodeQueryString, start, "it ends where a word, a quoted text or a \"(\" must follow")
	case tokBad:
		return stringError(CodeQueryString, start, "%s", badToken(p.text[start]))
	case tokAnd, tokOr, tokNot:
		return stringError(CodeQueryString, start, "the operator %s cannot stand here: write it in quotes or small letters to search for the word", image)
	case tokClose:
		return stringError(CodeQueryString, start, `unexpected ")": write \) for a parenthesis that is meant`)
	case tokColon:
		return stringError(CodeQueryString, start, `unexpected ":": only a field's name may stand before it, write \: for a colon that is meant`)
	}
	return stringError(CodeQueryString, start, "unexpected %q", strings.TrimSpace(image))
}

// badToken explains why no token begins with c.
func badToken(c byte) string {
	switch c {
	case '"':
		return `this quote is never closed: close it, or write \" for a quote that is meant`
	case '/':
		return `"/" begins a regular expression and no "/" ends it: write \/ for a slash that is meant`
	case '\\':
		return `a backslash must be followed by the character it escapes: write \\ for a backslash that is meant`
	}
	return fmt.Sprintf(`unexpected "%c": write \%c for a bracket that is meant`, c, c)
}

// size counts the clauses of g and of its nested groups.
func (g *Group) size() int {
	if g == nil {
		return 0
	}
	n := len(g.Clauses)
	for i := range g.Clauses {
		n += g.Clauses[i].Group.size()
	}
	return n
}
