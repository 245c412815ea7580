// This file parses regular expressions. In rising precedence: `|`, `&`, concatenation, repetition,
// `~`. As in Lucene, an operator in place of an operand is a literal: `|a` is the text "|a".

package pattern

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

type operator uint8

const (
	opSet        operator = iota // one code point of spans
	opConcat                     // kids in order; without kids the empty string
	opUnion                      // any of kids; without kids nothing
	opIntersect                  // all of kids
	opComplement                 // every string that kids[0] does not match
	opRepeat                     // kids[0] from min to max times
)

// unlimited is the max of a repetition without an upper limit.
const unlimited = -1

type span struct{ lo, hi rune }

type node struct {
	op       operator
	spans    []span // sorted and disjoint
	kids     []*node
	min, max int
	// classes caches the spans of opSet in the alphabet of the expression.
	classes []edge
	// compiled caches the DFA of opIntersect and opComplement: a repetition may copy it often.
	compiled *dfa
}

var anySpan = []span{{0, utf8.MaxRune}}

func anyChar() *node { return &node{op: opSet, spans: anySpan} }

func literal(r rune) *node { return &node{op: opSet, spans: []span{{r, r}}} }

func repeat(n *node, min, max int) *node {
	return &node{op: opRepeat, kids: []*node{n}, min: min, max: max}
}

func join(op operator, kids []*node) *node {
	if len(kids) == 1 {
		return kids[0]
	}
	return &node{op: op, kids: kids}
}

// classStarts appends the code points at which a class of the alphabet must begin.
func (n *node) classStarts(dst []rune) []rune {
	for _, s := range n.spans {
		dst = append(dst, s.lo, s.hi+1)
	}
	for _, k := range n.kids {
		dst = k.classStarts(dst)
	}
	return dst
}

type regexpParser struct {
	expr   string
	pos    int
	syntax Syntax
	err    *Error
}

// RegexpTooLong reports whether a regular expression is longer than MaxRegexpUnits.
func RegexpTooLong(expr string) bool { return len(utf16.Encode([]rune(expr))) > MaxRegexpUnits }

func parseRegexp(expr string, syntax Syntax) (*node, error) {
	if RegexpTooLong(expr) {
		msg := "the regular expression is longer than " + strconv.Itoa(MaxRegexpUnits) + " characters"
		return nil, &Error{Message: msg, Position: -1}
	}
	if expr == "" {
		return join(opConcat, nil), nil
	}
	p := &regexpParser{expr: expr, syntax: syntax}
	tree := p.union()
	if p.more() {
		p.fail("unexpected ')'")
	}
	if p.err != nil {
		return nil, p.err
	}
	return tree, nil
}

// fail stores the first error and moves to the end of the text, where every loop stops.
func (p *regexpParser) fail(message string) {
	if p.err == nil {
		p.err = &Error{Message: message, Position: p.pos}
	}
	p.pos = len(p.expr)
}

func (p *regexpParser) more() bool { return p.pos < len(p.expr) }

func (p *regexpParser) peek(chars string) bool {
	return p.more() && strings.IndexByte(chars, p.expr[p.pos]) >= 0
}

func (p *regexpParser) match(c byte) bool {
	if p.more() && p.expr[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

func (p *regexpParser) expect(c byte) {
	if !p.match(c) {
		p.fail("expected '" + string(c) + "'")
	}
}

func (p *regexpParser) next() rune {
	if !p.more() {
		p.fail("unexpected end")
		return 0
	}
	r, n := utf8.DecodeRuneInString(p.expr[p.pos:])
	p.pos += n
	return r
}

func (p *regexpParser) until(c byte) string {
	from := p.pos
	n := strings.IndexByte(p.expr[from:], c)
	if n < 0 {
		p.pos = len(p.expr)
		p.fail("expected '" + string(c) + "'")
		return ""
	}
	p.pos += n + 1
	return p.expr[from : from+n]
}

func (p *regexpParser) union() *node {
	kids := []*node{p.intersection()}
	for p.match('|') {
		kids = append(kids, p.intersection())
	}
	return join(opUnion, kids)
}

func (p *regexpParser) intersection() *node {
	kids := []*node{p.concat()}
	for p.matchIf(Intersection, '&') {
		kids = append(kids, p.concat())
	}
	return join(opIntersect, kids)
}

func (p *regexpParser) concat() *node {
	kids := []*node{p.repetition()}
	for p.more() && !p.peek(")|") && !(p.has(Intersection) && p.peek("&")) {
		kids = append(kids, p.repetition())
	}
	return join(opConcat, kids)
}

func (p *regexpParser) repetition() *node {
	n := p.complement()
	for {
		switch {
		case p.match('?'):
			n = repeat(n, 0, 1)
		case p.match('*'):
			n = repeat(n, 0, unlimited)
		case p.match('+'):
			n = repeat(n, 1, unlimited)
		case p.match('{'):
			n = p.counted(n)
		default:
			return n
		}
	}
}

// counted parses {n}, {n,} or {n,m} after its opening brace.
func (p *regexpParser) counted(n *node) *node {
	least, ok := p.count()
	if !ok {
		p.fail("expected a number")
	}
	most := least
	if p.match(',') {
		if most, ok = p.count(); !ok {
			most = unlimited
		}
	}
	p.expect('}')
	return repeat(n, least, most)
}

func (p *regexpParser) count() (n int, ok bool) {
	from := p.pos
	for p.peek("0123456789") {
		p.pos++
	}
	if from == p.pos {
		return 0, false
	}
	n, err := strconv.Atoi(p.expr[from:p.pos])
	if err != nil || n > math.MaxInt32 {
		p.fail("the number is too large")
	}
	return n, true
}

func (p *regexpParser) complement() *node {
	if p.matchIf(Complement, '~') {
		return &node{op: opComplement, kids: []*node{p.complement()}}
	}
	if p.match('[') {
		return p.class()
	}
	return p.simple()
}

// class parses a bracket expression. Its first member may be `]`.
func (p *regexpParser) class() *node {
	negated := p.match('^')
	spans := p.classMember(nil)
	for p.more() && !p.peek("]") {
		spans = p.classMember(spans)
	}
	p.expect(']')
	spans = normalize(spans)
	if negated {
		spans = negate(spans)
	}
	return &node{op: opSet, spans: spans}
}

// classMember appends a range as written, or a character. If case does not count, it appends the
// character in both cases.
func (p *regexpParser) classMember(spans []span) []span {
	from := p.pos
	s := span{lo: p.char()}
	s.hi = s.lo
	if !p.match('-') {
		return append(spans, p.literal(s.lo).spans...)
	}
	s.hi = p.char()
	if s.lo > s.hi && p.err == nil {
		p.pos = from
		p.fail("the range ends before it begins")
	}
	return append(spans, s)
}

func (p *regexpParser) char() rune {
	p.match('\\')
	return p.next()
}

func (p *regexpParser) simple() *node {
	switch {
	case p.match('.'):
		return anyChar()
	case p.matchIf(EmptyLanguage, '#'):
		return join(opUnion, nil)
	case p.matchIf(AnyString, '@'):
		return repeat(anyChar(), 0, unlimited)
	case p.match('"'):
		return p.text(p.until('"'))
	case p.match('('):
		return p.group()
	case p.matchIf(Interval|NamedAutomaton, '<'):
		return p.interval()
	}
	return p.literal(p.char())
}

func (p *regexpParser) group() *node {
	if p.match(')') {
		return join(opConcat, nil)
	}
	n := p.union()
	p.expect(')')
	return n
}

func (p *regexpParser) text(s string) *node {
	var kids []*node
	for _, r := range s {
		kids = append(kids, p.literal(r))
	}
	return join(opConcat, kids)
}

func normalize(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return int(a.lo - b.lo) })
	out := spans[:1]
	for _, s := range spans[1:] {
		if last := &out[len(out)-1]; s.lo <= last.hi+1 {
			last.hi = max(last.hi, s.hi)
		} else {
			out = append(out, s)
		}
	}
	return out
}

func negate(spans []span) []span {
	var out []span
	next := rune(0)
	for _, s := range spans {
		if s.lo > next {
			out = append(out, span{next, s.lo - 1})
		}
		next = s.hi + 1
	}
	if next <= utf8.MaxRune {
		out = append(out, span{next, utf8.MaxRune})
	}
	return out
}
