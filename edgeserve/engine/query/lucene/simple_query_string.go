// This file parses simple_query_string by Lucene's simple grammar, which ignores misplaced operators.

package lucene

import (
	"strconv"
	"strings"
)

// simpleParser parses text. close maps each ( to its matching ), so that parsing takes linear time.
type simpleParser struct {
	text        string
	and         bool
	flags       int // the operators that are on
	close       map[int]int
	depth       int
	clausesLeft int
	err         *Error
}

// ParseSimple parses the text of a simple_query_string, of at most limit clauses. With and set, the default
// operator is AND. flags are the operators that are on. Only texts beyond a limit are errors.
func ParseSimple(text string, and bool, flags, limit int) (*Group, *Error) {
	if strings.TrimFunc(text, func(c rune) bool { return c <= ' ' }) == "*" {
		all := fieldPrefix{"*", true}.leaf(LeafWildcard, "*")
		return &Group{Boost: 1, Clauses: []Clause{{Leaf: all}}}, nil
	}
	p := &simpleParser{text: text, and: and, flags: flags, clausesLeft: limit}
	p.close = p.parentheses()
	top := p.level(0, len(text))
	switch {
	case p.err != nil:
		return nil, p.err
	case top.Leaf != nil:
		return &Group{Boost: 1, Clauses: []Clause{top}}, nil
	}
	return top.Group, nil
}

func (p *simpleParser) parentheses() map[int]int {
	pairs := make(map[int]int)
	if !p.on('(') {
		return pairs
	}
	var open []int
	for i := 0; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == '\\' && p.on(c):
			i++
		case c == '(':
			open = append(open, i)
		case c == ')':
			if n := len(open); n > 0 {
				pairs[open[n-1]] = i
				open = open[:n-1]
			}
		}
	}
	return pairs
}

// simpleOperators maps the byte of an operator to the flag that switches it on.
var simpleOperators = [256]int{
	'+': simpleAnd, '-': simpleNot, '|': simpleOr, '"': simplePhrase, '(': simplePrecedence, ')': simplePrecedence,
	'\\': simpleEscape, ' ': simpleWhitespace, '\t': simpleWhitespace, '\n': simpleWhitespace, '\r': simpleWhitespace,
	'*': simplePrefix,
}

// on reports whether a byte is an operator that is on.
func (p *simpleParser) on(c byte) bool { return p.flags&simpleOperators[c] != 0 }

// simpleLevel is one parenthesis level. top is empty, one element, or a Group that topOperator joins.
type simpleLevel struct {
	at, end     int
	top         Clause
	pending     operator // the operator after the last element
	topOperator operator // joins the clauses of top
	negations   int
}

type operator uint8

const (
	opNone operator = iota
	opAnd
	opOr
)

func (p *simpleParser) level(at, end int) Clause {
	s := &simpleLevel{at: at, end: end}
	for s.at < s.end && p.err == nil {
		c := p.text[s.at]
		if !p.on(c) {
			c = 'a'
		}
		switch c {
		case '-':
			s.negations++
			s.at++
			continue
		case '(':
			p.parens(s)
		case '"':
			p.phrase(s)
		case '+':
			s.operator(opAnd)
		case '|':
			s.operator(opOr)
		case ')', ' ', '\t', '\n', '\r':
			s.at++
		default:
			p.token(s)
		}
		s.negations = 0
	}
	return s.top
}

// operator records o, unless o begins the level or follows another operator.
func (s *simpleLevel) operator(o operator) {
	if s.pending == opNone && !s.empty() {
		s.pending = o
	}
	s.at++
}

func (s *simpleLevel) empty() bool { return s.top.Leaf == nil && s.top.Group == nil }

// parens parses a group, or skips an unmatched parenthesis.
func (p *simpleParser) parens(s *simpleLevel) {
	open := s.at
	end, ok := p.close[open]
	s.at++
	switch {
	case !ok || end >= s.end:
	case end == s.at:
		s.pending = opNone
		s.at++
	default:
		if p.depth++; p.depth > maxParens {
			p.fail(TooDeep, "the simple query string nests parentheses deeper than "+strconv.Itoa(maxParens))
			return
		}
		inner := p.level(s.at, end)
		p.depth--
		p.add(s, inner)
		s.at = end + 1
	}
}

func (p *simpleParser) fail(fault Fault, message string) {
	if p.err == nil {
		p.err = &Error{Fault: fault, Message: message, Position: -1}
	}
}

// phrase parses a quoted text, or skips an unmatched quote.
func (p *simpleParser) phrase(s *simpleLevel) {
	start := s.at + 1
	text, end := p.upTo(start, s.end, func(i int) bool { return p.text[i] == '"' })
	switch {
	case end == s.end:
		s.at = start
		return
	case end == start && !(end+1 < s.end && p.text[end+1] == '~' && p.flags&simpleNear != 0):
		s.pending = opNone
		s.at = end + 1
		return
	}
	l := fieldPrefix{}.leaf(LeafQuoted, text)
	l.Slop = 0
	s.at = end + 1
	if s.at < s.end && p.text[s.at] == '~' && p.flags&simpleNear != 0 {
		s.at++
		if s.at < s.end {
			l.Slop = p.distance(s)
			s.at++ // consume the byte that ended the number
		}
	}
	p.add(s, Clause{Leaf: l})
}

// upTo returns the text from i up to end, or up to the first index for which stop is true, without escapes.
func (p *simpleParser) upTo(i, end int, stop func(int) bool) (string, int) {
	var b []byte
	for i < end {
		if p.text[i] == '\\' && p.on('\\') {
			if i++; i < end {
				b = append(b, p.text[i])
				i++
			}
			continue
		}
		if stop(i) {
			break
		}
		b = append(b, p.text[i])
		i++
	}
	return string(b), i
}

func (p *simpleParser) token(s *simpleLevel) {
	start, star := s.at, -1
	text, end := p.upTo(start, s.end, func(i int) bool {
		if p.ends(p.text[i]) || p.text[i] == '~' && i > start && p.flags&simpleFuzzy != 0 {
			return true
		}
		if p.text[i] == '*' && i > start && p.on('*') {
			star = i
		}
		return false
	})
	s.at = end
	if text == "" {
		return
	}
	l := fieldPrefix{}.leaf(LeafText, text)
	switch {
	case end < s.end && p.text[end] == '~' && p.flags&simpleFuzzy != 0:
		s.at++
		if n := p.distance(s); n > 0 {
			l.Kind, l.Fuzzy = LeafFuzzy, strconv.Itoa(min(2, n))
		}
	case star == end-1:
		l.Kind, l.Text = LeafPrefix, text[:len(text)-1]
	}
	p.add(s, Clause{Leaf: l})
}

// ends reports whether a byte ends a token.
func (p *simpleParser) ends(c byte) bool { return c != '-' && c != '\\' && c != '*' && p.on(c) }

// distance parses the number after ~. A missing number gives 2, an invalid number 0.
func (p *simpleParser) distance(s *simpleLevel) int {
	start := s.at
	for s.at < s.end && !p.ends(p.text[s.at]) {
		s.at++
	}
	if s.at == start {
		return 2
	}
	n, err := strconv.ParseInt(p.text[start:s.at], 10, 32)
	if err != nil {
		return 0
	}
	return int(max(0, n))
}

func (p *simpleParser) add(s *simpleLevel, c Clause) {
	if c.Leaf == nil && c.Group == nil {
		return
	}
	if p.clausesLeft--; p.clausesLeft < 0 {
		p.fail(TooManyClauses, "the simple query string has too many clauses: at most "+strconv.Itoa(MaxNodes)+" in all")
	}
	if s.negations%2 == 1 {
		c.Mod = ModNot
		c = Clause{Group: &Group{Boost: 1, Clauses: []Clause{c}}}
	}
	if s.empty() {
		s.top, s.pending = c, opNone
		return
	}
	op := s.pending
	c.written = op
	if op == opNone {
		op = opOr
		if p.and {
			op = opAnd
		}
	}
	if op != s.topOperator {
		s.top = Clause{Group: &Group{Boost: 1, Clauses: []Clause{op.clause(s.top)}, continued: s.topOperator != opNone}}
	}
	g := s.top.Group
	if g.Clauses = append(g.Clauses, op.clause(c)); len(g.Clauses) > MaxClauses {
		p.fail(TooManyClauses, "the simple query string has too many clauses: at most "+strconv.Itoa(MaxClauses)+" at one level")
	}
	s.topOperator, s.pending = op, opNone
}

func (o operator) clause(c Clause) Clause {
	if o == opAnd {
		c.Mod = ModReq
	}
	return c
}

// Without returns the Group of a simple_query_string without the leaves that vanish. Lucene drops these leaves
// before it nests elements by their operators. The operator before a dropped element goes to the next element.
// The Group is empty if all leaves vanish.
func (g *Group) Without(vanishes func(*Leaf) bool) *Group {
	var left []Clause
	changed, before := false, opNone
	for _, c := range g.elements(nil) {
		gone := false
		if c.Group == nil {
			gone = vanishes(c.Leaf)
		} else if inner := c.Group.Without(vanishes); inner != c.Group {
			changed, gone = true, len(inner.Clauses) == 0
			if c.Group = inner; len(inner.Clauses) == 1 && inner.Clauses[0].Mod == ModNone {
				c.Leaf, c.Group = inner.Clauses[0].Leaf, inner.Clauses[0].Group
			}
		}
		switch {
		case !gone && before != opNone:
			c.Mod = ModNone
			c, before = before.clause(c), opNone
		case gone && before == opNone && len(left) > 0:
			before = c.written
		}
		if changed = changed || gone; !gone {
			left = append(left, c)
		}
	}
	if !changed {
		return g
	}
	return nested(left)
}

// nested makes a Group of a flat list of elements, each with the operator before it.
func nested(elements []Clause) *Group {
	g := &Group{Boost: 1}
	for i, c := range elements {
		switch {
		case i == 0 && c.Mod != ModNot:
			c.Mod = ModNone
		case i == 1:
			g.Clauses[0].Mod = c.Mod
		case i > 1 && c.Mod != elements[i-1].Mod:
			g = &Group{Boost: 1, Clauses: []Clause{{Mod: c.Mod, Group: g}}}
		}
		g.Clauses = append(g.Clauses, c)
	}
	if len(g.Clauses) == 1 && g.Clauses[0].Mod == ModNone && g.Clauses[0].Group != nil {
		return g.Clauses[0].Group
	}
	return g
}

// elements appends the elements of a level as a flat list, each with the operator before it.
func (g *Group) elements(all []Clause) []Clause {
	if !g.continued {
		return append(all, g.Clauses...)
	}
	return append(g.Clauses[0].Group.elements(all), g.Clauses[1:]...)
}
