// This file matches wildcards. Each piece between stars takes its first possible position, which never prevents a later
// match. Without backtracking, the cost is at most the length of the pattern times the length of the term.

package pattern

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// anyRune represents `?` in a segment.
const anyRune rune = -1

// asWritten marks a code point that has a backslash before it: FoldASCII compares it as it is, as
// Elasticsearch does.
const asWritten rune = 1 << 24

type segment struct {
	runes []rune // folded; anyRune for `?`
	// exact is the UTF-8 text for a bytewise comparison. It is nil if runes has a `?` or is folded.
	exact []byte
}

// Wildcard is a compiled pattern: `*` matches any run of code points, `?` one code point. A
// backslash makes the next code point literal and is literal at the end.
type Wildcard struct {
	fold     Fold
	first    segment   // anchored at the start; the whole pattern if it has no star
	middle   []segment // between two stars, never empty
	last     segment   // anchored at the end
	star     bool
	literals [][]byte
	prefix   []byte
	minRunes int
}

// CompileWildcard compiles pat. Every string is a valid pattern.
func CompileWildcard(pat string, fold Fold) *Wildcard {
	w := &Wildcard{fold: fold}
	var segments []segment
	var cur []rune
	for _, t := range scanWildcard(pat) {
		if t.special && t.r == '*' {
			segments = append(segments, w.newSegment(cur))
			cur = nil
			continue
		}
		w.minRunes++
		switch {
		case t.special:
			cur = append(cur, anyRune)
		case t.escaped && fold == FoldASCII && !fold.hasOneCase(t.r):
			cur = append(cur, t.r|asWritten)
		default:
			cur = append(cur, fold.rune(t.r))
		}
	}
	segments = append(segments, w.newSegment(cur))
	w.distribute(segments)
	w.findPrefix()
	return w
}

// Only returns the text that matches, if only one text matches and case counts.
func (w *Wildcard) Only() (text []byte, ok bool) {
	return w.first.exact, !w.star && w.first.exact != nil
}

type wildcardToken struct {
	r       rune
	special bool
	escaped bool
}

// Escape returns the wildcard that matches only a text.
func Escape(text string) string { return wildcardEscapes.Replace(text) }

var wildcardEscapes = strings.NewReplacer(`*`, `\*`, `?`, `\?`, `\`, `\\`)

func scanWildcard(pat string) []wildcardToken {
	tokens := make([]wildcardToken, 0, len(pat))
	quoted := false
	for _, r := range pat {
		if r == '\\' && !quoted {
			quoted = true
			continue
		}
		t := wildcardToken{r, !quoted && (r == '*' || r == '?'), quoted}
		quoted = false
		if n := len(tokens); t.special && r == '*' && n > 0 && tokens[n-1] == t {
			continue // consecutive stars count as one
		}
		tokens = append(tokens, t)
	}
	if quoted {
		tokens = append(tokens, wildcardToken{'\\', false, false})
	}
	return tokens
}

func (w *Wildcard) newSegment(runes []rune) segment {
	s := segment{runes: runes}
	var run []byte
	plain := true
	for _, r := range runes {
		if r != anyRune {
			run = utf8.AppendRune(run, w.folded(r))
			continue
		}
		plain = false
		w.addLiteral(run)
		run = nil
	}
	w.addLiteral(run)
	if plain && w.fold == FoldNone {
		s.exact = append([]byte{}, run...)
	}
	return s
}

func (w *Wildcard) addLiteral(run []byte) {
	if len(run) > 0 {
		w.literals = append(w.literals, run)
	}
}

func (w *Wildcard) distribute(segments []segment) {
	w.first = segments[0]
	n := len(segments)
	if n == 1 {
		return
	}
	w.star = true
	w.last = segments[n-1]
	for _, s := range segments[1 : n-1] {
		if len(s.runes) > 0 {
			w.middle = append(w.middle, s)
		}
	}
}

// folded returns a code point of a segment, folded. It removes the mark asWritten.
func (w *Wildcard) folded(r rune) rune {
	if r&asWritten == 0 {
		return r
	}
	return w.fold.rune(r &^ asWritten)
}

// findPrefix sets the prefix: the leading literal up to the first code point with case variants.
func (w *Wildcard) findPrefix() {
	for _, r := range w.first.runes {
		if r == anyRune || r&asWritten == 0 && !w.fold.hasOneCase(r) {
			return
		}
		w.prefix = utf8.AppendRune(w.prefix, r&^asWritten)
	}
}

// Prefix returns a common prefix of all matches, up to the first code point with case variants.
func (w *Wildcard) Prefix() []byte { return w.prefix }

// Literals returns the folded runs between wildcards. Matches contain them in this order, up to case.
func (w *Wildcard) Literals() [][]byte { return w.literals }

// MatchesAll reports whether the pattern consists of stars only.
func (w *Wildcard) MatchesAll() bool { return w.star && w.minRunes == 0 }

// IsInfix reports whether the pattern is a `*literal*` with FoldAll. A term then matches if its folded
// text contains literal.
func (w *Wildcard) IsInfix() bool {
	return w.fold == FoldAll && w.star && len(w.first.runes)+len(w.last.runes) == 0 &&
		len(w.middle) == 1 && len(w.literals) == 1 && !slices.Contains(w.middle[0].runes, anyRune)
}

// MinRunes returns the least number of code points of a match.
func (w *Wildcard) MinRunes() int { return w.minRunes }

// Match reports whether the whole of term matches.
func (w *Wildcard) Match(term []byte) bool { return w.match(term, &matchWork{next: math.MaxInt}) }

// MatchWithin is Match for terms of any length. One comparison for each byte of term is free. For further
// comparisons it calls charge, with a step for each matchPerStep. An error of charge ends the match.
func (w *Wildcard) MatchWithin(term []byte, charge func(steps int) error) bool {
	c := matchWork{charged: len(term), next: len(term) + chargeEvery, charge: charge}
	ok := w.match(term, &c)
	return c.settle() && ok
}

// matchWork counts code points compared and bytes searched.
type matchWork struct {
	steps, charged int
	next           int // number of steps at which settle charges them
	charge         func(steps int) error
	failed         bool
}

const (
	matchPerStep = 8       // comparisons that take as long as a step of a search
	chargeEvery  = 1 << 16 // comparisons
)

// goOn reports whether a match may continue.
func (c *matchWork) goOn() bool { return c.steps < c.next || c.settle() }

func (c *matchWork) settle() bool {
	if n := (c.steps - c.charged) / matchPerStep; n > 0 && !c.failed {
		c.failed = c.charge(n) != nil
		c.charged, c.next = c.steps, c.steps+chargeEvery
	}
	return !c.failed
}

func (w *Wildcard) match(term []byte, c *matchWork) bool {
	pos, ok := w.at(&w.first, term, c)
	if !ok || !w.star {
		return ok && pos == len(term)
	}
	term = term[pos:]
	end, ok := w.tail(term, c)
	if !ok {
		return false
	}
	term = term[:end]
	for i := range w.middle {
		pos, ok := w.find(&w.middle[i], term, c)
		if !ok {
			return false
		}
		term = term[pos:]
	}
	return true
}

// at returns the number of bytes that s matches at the start of text.
func (w *Wildcard) at(s *segment, text []byte, c *matchWork) (end int, ok bool) {
	if s.exact != nil {
		c.steps += len(s.exact)
		return len(s.exact), bytes.HasPrefix(text, s.exact)
	}
	for i, r := range s.runes {
		if end == len(text) {
			c.steps += i
			return 0, false
		}
		have, n := rune(text[end]), 1
		if have >= utf8.RuneSelf {
			have, n = utf8.DecodeRune(text[end:])
		}
		if r != anyRune && r != have && r != w.fold.rune(have) && r != have|asWritten {
			c.steps += i + 1
			return 0, false
		}
		end += n
	}
	c.steps += len(s.runes)
	return end, true
}

func (w *Wildcard) find(s *segment, text []byte, c *matchWork) (end int, ok bool) {
	if s.exact != nil {
		i := bytes.Index(text, s.exact)
		if i < 0 {
			c.steps += len(text)
			return 0, false
		}
		c.steps += i + len(s.exact)
		return i + len(s.exact), true
	}
	for start := 0; start < len(text); {
		if w.differs(s.runes[0], text[start]) {
			c.steps++
			start++
			continue
		}
		if n, ok := w.at(s, text[start:], c); ok {
			return start + n, true
		}
		if !c.goOn() {
			break
		}
		_, n := utf8.DecodeRune(text[start:])
		start += n
	}
	return 0, false
}

// differs reports whether no text with first byte c begins with r. It saves find most calls of at.
func (w *Wildcard) differs(r rune, c byte) bool {
	if w.fold != FoldNone {
		c = foldASCII(c)
	}
	return r != anyRune && rune(c) != w.folded(r) && c < utf8.RuneSelf
}

func (w *Wildcard) tail(text []byte, c *matchWork) (start int, ok bool) {
	start = len(text)
	for range w.last.runes {
		if start == 0 {
			return 0, false
		}
		_, n := utf8.DecodeLastRune(text[:start])
		start -= n
	}
	c.steps += len(w.last.runes)
	_, ok = w.at(&w.last, text[start:], c)
	return start, ok
}
