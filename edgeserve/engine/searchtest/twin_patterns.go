// This file holds the twin's matchers: backtracking ones, written for their meaning.

package searchtest

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"contentedge/edgeserve/engine/query"
)

// wild matches a whole text against a pattern of * ? and \; same compares characters. Where the text does not continue
// as the pattern does, the last star takes one more.
func wild(pattern, text []rune, same, escaped func(a, b rune) bool) bool {
	star, taken := -1, 0
	for p, i := 0, 0; i < len(text) || p < len(pattern); {
		if p < len(pattern) && pattern[p] == '*' {
			star, taken = p, i
			p++
			continue
		}
		if i < len(text) && p < len(pattern) {
			width, equal := 1, same
			if pattern[p] == '\\' && p+1 < len(pattern) {
				width, equal = 2, escaped
			}
			if width == 1 && pattern[p] == '?' || equal(pattern[p+width-1], text[i]) {
				p, i = p+width, i+1
				continue
			}
		}
		if star < 0 || taken == len(text) {
			return false
		}
		taken++
		p, i = star+1, taken
	}
	return true
}

func sameRune(a, b rune) bool { return a == b }

// sameASCII overlooks the case of A to Z.
func sameASCII(a, b rune) bool {
	lower := func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}
	return lower(a) == lower(b)
}

// sameFold overlooks all case.
func sameFold(a, b rune) bool { return strings.EqualFold(string(a), string(b)) }

// distance is the number of edits between two words: insert, delete, replace and swap
// of neighbours, no part edited twice.
func distance(a, b []rune, swaps bool) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0 || j == 0:
				d[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				d[i][j] = d[i-1][j-1]
			default:
				d[i][j] = 1 + min(d[i-1][j], d[i][j-1], d[i-1][j-1])
			}
			if swaps && i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

// places is a set of places in a text, from before its first to after its last character.
type places []bool

func (p places) add(q places) places {
	for i, in := range q {
		p[i] = p[i] || in
	}
	return p
}

// expression is a node of a regular expression: given where a match may begin, it
// tells where it may end.
type expression func(text []rune, starts places) places

// each applies f to every start on its own and joins the ends.
func each(f func(text []rune, start int, alone places) places) expression {
	return func(t []rune, starts places) places {
		ends := make(places, len(starts))
		for s, in := range starts {
			if in {
				alone := make(places, len(starts))
				alone[s] = true
				ends.add(f(t, s, alone))
			}
		}
		return ends
	}
}

// compileRegexp reads Lucene's syntax; precedence from low to high is | & juxtaposition
// ? * + {} and ~.
func compileRegexp(s string) (func(text string) bool, error) {
	return compileRegexpOf(s, query.RegexpFlags, false)
}

// compileRegexpOf is compileRegexp with some of the optional operators, by Lucene's bits: 1 for &,
// 2 for ~, 4 for #, 8 for @, 16 and 32 for < >.
func compileRegexpOf(s string, flags int, anyCase bool) (func(text string) bool, error) {
	p := &regexpParser{s: []rune(s), flags: flags, anyCase: anyCase}
	if len(p.s) > 1000 {
		return nil, errRegexp
	}
	e := literal("")
	if s != "" {
		e = p.union()
	}
	if p.i < len(p.s) {
		p.bad = true
	}
	if p.bad {
		return nil, errRegexp
	}
	return func(text string) bool {
		r := []rune(text)
		starts := make(places, len(r)+1)
		starts[0] = true
		return e(r, starts)[len(r)]
	}, nil
}

var errRegexp = errors.New("malformed regular expression")

type regexpParser struct {
	s       []rune
	i       int
	bad     bool
	flags   int
	anyCase bool
}

// optional matches an operator that is on.
func (p *regexpParser) optional(flag int, c rune) bool { return p.flags&flag != 0 && p.match(c) }

// text matches characters, whatever their case if it does not count.
func (p *regexpParser) text(s string) expression {
	e := literal("")
	for _, want := range s {
		e = then(e, one(func(r rune) bool { return r == want || p.anyCase && sameASCII(r, want) }))
	}
	return e
}

func (p *regexpParser) more() bool { return p.i < len(p.s) }

func (p *regexpParser) peek(set string) bool {
	return p.more() && strings.ContainsRune(set, p.s[p.i])
}

func (p *regexpParser) match(c rune) bool {
	if p.more() && p.s[p.i] == c {
		p.i++
		return true
	}
	return false
}

func (p *regexpParser) next() rune {
	if !p.more() {
		p.bad = true
		return 0
	}
	p.i++
	return p.s[p.i-1]
}

// until reads up to a closing character.
func (p *regexpParser) until(c rune) string {
	start := p.i
	for p.more() && p.s[p.i] != c {
		p.i++
	}
	text := string(p.s[start:p.i])
	p.bad = p.bad || !p.match(c)
	return text
}

func (p *regexpParser) union() expression {
	a := p.both()
	if p.bad || !p.match('|') {
		return a
	}
	b := p.union()
	return func(t []rune, starts places) places { return slices.Clone(a(t, starts)).add(b(t, starts)) }
}

func (p *regexpParser) both() expression {
	a := p.sequence()
	if p.bad || !p.optional(1, '&') {
		return a
	}
	b := p.both()
	return each(func(t []rune, _ int, alone places) places {
		ends, with := slices.Clone(a(t, alone)), b(t, alone)
		for i := range ends {
			ends[i] = ends[i] && with[i]
		}
		return ends
	})
}

func (p *regexpParser) sequence() expression {
	a := p.repeat()
	if p.bad || !p.more() || p.peek(")|") || p.flags&1 != 0 && p.peek("&") {
		return a
	}
	return then(a, p.sequence())
}

func then(a, b expression) expression {
	return func(t []rune, starts places) places { return b(t, a(t, starts)) }
}

func (p *regexpParser) repeat() expression {
	e := p.complement()
	for !p.bad && p.peek("?*+{") {
		switch p.next() {
		case '?':
			e = times(e, 0, 1)
		case '*':
			e = times(e, 0, -1)
		case '+':
			e = times(e, 1, -1)
		default:
			least, most := p.counts()
			e = times(e, least, most)
		}
	}
	return e
}

// counts reads n}, n,} or n,m}; a greatest count of -1 is open.
func (p *regexpParser) counts() (least, most int) {
	least, most = p.integer(), -1
	if !p.match(',') {
		most = least
	} else if p.peek("0123456789") {
		most = p.integer()
	}
	p.bad = p.bad || !p.match('}')
	return least, most
}

func (p *regexpParser) integer() int {
	start := p.i
	for p.peek("0123456789") {
		p.i++
	}
	n, err := strconv.Atoi(string(p.s[start:p.i]))
	p.bad = p.bad || err != nil
	return n
}

// times repeats an expression; a greatest count below the least matches nothing.
func times(e expression, least, most int) expression {
	return func(t []rune, starts places) places {
		at, ends := slices.Clone(starts), make(places, len(starts))
		for n := 0; most < 0 || n <= most; n++ {
			if n >= least {
				fresh := false
				for i := range at {
					at[i] = at[i] && !ends[i]
					fresh = fresh || at[i]
				}
				if !fresh {
					break
				}
				ends.add(at)
			}
			if n > len(t) && n < least {
				n = least - 1 // an empty match repeats as often as it likes
			}
			at = slices.Clone(e(t, at))
		}
		return ends
	}
}

func (p *regexpParser) complement() expression {
	if !p.optional(2, '~') {
		return p.atom()
	}
	e := p.complement()
	return each(func(t []rune, s int, alone places) places {
		ends := slices.Clone(e(t, alone))
		for i := range ends {
			ends[i] = i >= s && !ends[i]
		}
		return ends
	})
}

func (p *regexpParser) atom() expression {
	switch {
	case p.match('['):
		return p.class()
	case p.match('.'):
		return one(func(rune) bool { return true })
	case p.optional(4, '#'):
		return func(_ []rune, starts places) places { return make(places, len(starts)) }
	case p.optional(8, '@'):
		return times(one(func(rune) bool { return true }), 0, -1)
	case p.match('"'):
		return p.text(p.until('"'))
	case p.optional(16|32, '<'):
		return p.interval(p.until('>'))
	case p.match('('):
		if p.match(')') {
			return literal("")
		}
		e := p.union()
		p.bad = p.bad || !p.match(')')
		return e
	}
	return p.text(string(p.char()))
}

func (p *regexpParser) char() rune {
	p.match('\\')
	return p.next()
}

func (p *regexpParser) class() expression {
	negative := p.match('^')
	var pairs [][2]rune
	for first := true; !p.bad && (first || p.more() && !p.peek("]")); first = false {
		lo := p.char()
		hi := lo
		if p.match('-') {
			hi = p.char()
		} else if other := lo ^ ('a' - 'A'); p.anyCase && sameASCII(lo, other) {
			pairs = append(pairs, [2]rune{other, other})
		}
		p.bad = p.bad || lo > hi
		pairs = append(pairs, [2]rune{lo, hi})
	}
	p.bad = p.bad || !p.match(']')
	return one(func(c rune) bool {
		for _, r := range pairs {
			if r[0] <= c && c <= r[1] {
				return !negative
			}
		}
		return negative
	})
}

// interval is the decimal numbers n-m; bounds of one length ask for that length.
func (p *regexpParser) interval(text string) expression {
	a, b, ok := strings.Cut(text, "-")
	lo, err1 := strconv.ParseInt(a, 10, 32)
	hi, err2 := strconv.ParseInt(b, 10, 32)
	if p.flags&32 == 0 || !ok || err1 != nil || err2 != nil || a[0] == '+' || b[0] == '+' || b[0] == '-' {
		p.bad = true
		return literal("")
	}
	lo, hi = min(lo, hi), max(lo, hi)
	return each(func(t []rune, s int, _ places) places {
		ends := make(places, len(t)+1)
		for e := s + 1; e <= len(t) && '0' <= t[e-1] && t[e-1] <= '9'; e++ {
			n, err := strconv.ParseInt(string(t[s:e]), 10, 64)
			if err == nil && lo <= n && n <= hi && (len(a) != len(b) || e-s == len(a)) {
				ends[e] = true
			}
		}
		return ends
	})
}

func one(ok func(rune) bool) expression {
	return func(t []rune, starts places) places {
		ends := make(places, len(starts))
		for s := range t {
			ends[s+1] = starts[s] && ok(t[s])
		}
		return ends
	}
}

func literal(text string) expression {
	want := []rune(text)
	return func(t []rune, starts places) places {
		ends := make(places, len(starts))
		for s := 0; s+len(want) <= len(t); s++ {
			ends[s+len(want)] = starts[s] && slices.Equal(t[s:s+len(want)], want)
		}
		return ends
	}
}
