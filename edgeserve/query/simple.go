// This file parses the text of simple_query_string as Lucene's simple parser does.
// Whatever is typed means something: an operator that makes no sense is dropped.

package query

import (
	"strconv"
	"strings"
)

// simpleParser reads text. close gives for the index of every ( that of the ) which
// closes it, so that no parenthesis is looked for twice.
type simpleParser struct {
	text  string
	and   bool
	close map[int]int
	depth int
	left  int
	err   *Error
}

// parseSimple parses text; and is the default operator. The only errors are limits.
func parseSimple(text string, and bool, limit int) (*Group, *Error) {
	if strings.TrimFunc(text, func(c rune) bool { return c <= ' ' }) == "*" {
		all := prefix{"*", true}.leaf(LeafWildcard, "*")
		return &Group{Boost: 1, Clauses: []Clause{{Leaf: all}}}, nil
	}
	p := &simpleParser{text: text, and: and, close: parentheses(text), left: limit}
	top := p.level(0, len(text))
	switch {
	case p.err != nil:
		return nil, p.err
	case top.Leaf != nil:
		return &Group{Boost: 1, Clauses: []Clause{top}}, nil
	}
	return top.Group, nil
}

// parentheses pairs those that no backslash escapes.
func parentheses(text string) map[int]int {
	pairs := make(map[int]int)
	var open []int
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '(':
			open = append(open, i)
		case ')':
			if n := len(open); n > 0 {
				pairs[open[n-1]] = i
				open = open[:n-1]
			}
		}
	}
	return pairs
}

// simpleLevel is one level of parentheses while it is read. top is what the elements
// so far make: nothing, a single element, or a Group whose clauses were joined with
// the operator joined, as required or as optional ones.
type simpleLevel struct {
	at, end int
	top     Clause
	now     operator // written since the last element
	joined  operator // of top
	not     int      // minus signs right before at
}

// operator joins two elements.
type operator uint8

const (
	opNone operator = iota
	opAnd
	opOr
)

// level reads text[at:end].
func (p *simpleParser) level(at, end int) Clause {
	s := &simpleLevel{at: at, end: end}
	for s.at < s.end && p.err == nil {
		switch c := p.text[s.at]; c {
		case '-':
			s.not++
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
		s.not = 0
	}
	return s.top
}

// operator notes an operator, unless it is not the first or nothing stands before it.
func (s *simpleLevel) operator(o operator) {
	if s.now == opNone && !s.empty() {
		s.now = o
	}
	s.at++
}

func (s *simpleLevel) empty() bool { return s.top.Leaf == nil && s.top.Group == nil }

// parens reads a group, or skips a parenthesis that nothing closes.
func (p *simpleParser) parens(s *simpleLevel) {
	open := s.at
	end, ok := p.close[open]
	s.at++
	switch {
	case !ok || end >= s.end:
	case end == s.at:
		s.now = opNone
		s.at++
	default:
		if p.depth++; p.depth > maxParens {
			p.fail(CodeTooDeep, "the simple query string nests parentheses deeper than "+strconv.Itoa(maxParens))
			return
		}
		inner := p.level(s.at, end)
		p.depth--
		p.add(s, inner)
		s.at = end + 1
	}
}

func (p *simpleParser) fail(code, message string) {
	if p.err == nil {
		p.err = &Error{Code: code, Message: message, Position: -1}
	}
}

// phrase reads a quoted text, or skips a quote that nothing closes.
func (p *simpleParser) phrase(s *simpleLevel) {
	start := s.at + 1
	text, end := p.upTo(start, s.end, func(i int) bool { return p.text[i] == '"' })
	switch {
	case end == s.end:
		s.at = start
		return
	case end == start && !(end+1 < s.end && p.text[end+1] == '~'):
		s.now = opNone
		s.at = end + 1
		return
	}
	l := prefix{}.leaf(LeafQuoted, text)
	l.Slop = 0
	s.at = end + 1
	if s.at < s.end && p.text[s.at] == '~' {
		s.at++
		if s.at < s.end {
			l.Slop = p.distance(s)
			s.at++ // what ended the number is used up with it
		}
	}
	p.add(s, Clause{Leaf: l})
}

// upTo reads from i to where stop says so, or end, and resolves escapes.
func (p *simpleParser) upTo(i, end int, stop func(int) bool) (string, int) {
	var b []byte
	for i < end {
		if p.text[i] == '\\' {
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

// token reads a word, with a star or a distance behind it or not.
func (p *simpleParser) token(s *simpleLevel) {
	start, star := s.at, -1
	text, end := p.upTo(start, s.end, func(i int) bool {
		if simpleEnd(p.text[i]) || p.text[i] == '~' && i > start {
			return true
		}
		if p.text[i] == '*' && i > start {
			star = i
		}
		return false
	})
	s.at = end
	if text == "" {
		return
	}
	l := prefix{}.leaf(LeafText, text)
	switch {
	case end < s.end && p.text[end] == '~':
		s.at++
		if n := p.distance(s); n > 0 {
			l.Kind, l.Fuzzy = LeafFuzzy, strconv.Itoa(min(2, n))
		}
	case star == end-1:
		l.Kind, l.Text = LeafPrefix, text[:len(text)-1]
	}
	p.add(s, Clause{Leaf: l})
}

// simpleEnd tells what ends a word.
func simpleEnd(c byte) bool {
	switch c {
	case '"', '|', '+', '(', ')', ' ', '\t', '\n', '\r':
		return true
	}
	return false
}

// distance reads the number after ~; nothing is 2, and what is no number is 0.
func (p *simpleParser) distance(s *simpleLevel) int {
	start := s.at
	for s.at < s.end && !simpleEnd(p.text[s.at]) {
		s.at++
	}
	if s.at == start {
		return 2
	}
	n, err := javaInt(p.text[start:s.at])
	if err != nil {
		return 0
	}
	return max(0, n)
}

// add joins the element c to those before it.
func (p *simpleParser) add(s *simpleLevel, c Clause) {
	if c.Leaf == nil && c.Group == nil {
		s.now = opNone
		return
	}
	if p.left--; p.left < 0 {
		p.fail(CodeTooManyClauses, "the simple query string has too many clauses: at most "+strconv.Itoa(maxNodes)+" in all")
	}
	if s.not%2 == 1 {
		c.Mod = ModNot
		c = Clause{Group: &Group{Boost: 1, Clauses: []Clause{c}}}
	}
	if s.empty() {
		s.top, s.now = c, opNone
		return
	}
	op := s.now
	if op == opNone {
		op = opOr
		if p.and {
			op = opAnd
		}
	}
	if op != s.joined {
		s.top = Clause{Group: &Group{Boost: 1, Clauses: []Clause{op.clause(s.top)}}}
	}
	g := s.top.Group
	if g.Clauses = append(g.Clauses, op.clause(c)); len(g.Clauses) > maxClauses {
		p.fail(CodeTooManyClauses, "the simple query string has too many clauses: at most "+strconv.Itoa(maxClauses)+" at one level")
	}
	s.joined, s.now = op, opNone
}

// clause makes c a required or an optional clause.
func (o operator) clause(c Clause) Clause {
	if o == opAnd {
		c.Mod = ModReq
	}
	return c
}
