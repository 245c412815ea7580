// This file parses query_string by Lucene's classic grammar. A Group keeps operators as written: they
// get their meaning when package compile compiles it.

package lucene

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/query/strictjson"
)

// parser is a cursor over tokens. After an error it is at the last token, where loops stop.
type parser struct {
	text        string
	toks        []token
	at          int
	depth       int    // open parentheses
	clausesLeft int    // clauses left before the limit
	err         *Error // the first error
}

type fieldPrefix struct {
	name  string
	given bool
}

// Parse parses the text of a query_string, of at most limit clauses. A blank text gives a nil Group.
func Parse(text string, limit int) (*Group, *Error) {
	if strings.TrimFunc(text, func(c rune) bool { return c <= ' ' }) == "" {
		return nil, nil
	}
	p := &parser{text: text, toks: tokens(text), clausesLeft: limit}
	g := p.group(fieldPrefix{})
	if p.peekKind(0) != tokEnd {
		p.unexpected()
	}
	if p.err != nil {
		return nil, p.err
	}
	return g, nil
}

func (p *parser) fail(fault Fault, pos int, format string, args ...any) {
	if p.err == nil {
		p.err = &Error{Fault: fault, Message: fmt.Sprintf("query string, byte %d: ", pos) + fmt.Sprintf(format, args...), Position: pos}
	}
	p.at = len(p.toks) - 1
}

func (p *parser) syntax(pos int, format string, args ...any) {
	p.fail(Syntax, pos, format, args...)
}

// peekKind returns the kind of the token n positions ahead. The last token repeats.
func (p *parser) peekKind(n int) tokenKind {
	return p.toks[min(p.at+n, len(p.toks)-1)].kind
}

func (p *parser) consume() string {
	t := p.toks[p.at]
	if p.at < len(p.toks)-1 {
		p.at++
	}
	return p.text[t.start:t.end]
}

func (p *parser) accept(k tokenKind) bool {
	if p.peekKind(0) != k {
		return false
	}
	p.consume()
	return true
}

func (p *parser) start() int { return int(p.toks[p.at].start) }

func (p *parser) group(f fieldPrefix) *Group {
	g := &Group{Boost: 1}
	for first := true; first || p.more(); first = false {
		start := p.start()
		g.Clauses = append(g.Clauses, p.element(f, first))
		if p.clausesLeft--; p.clausesLeft < 0 || len(g.Clauses) > MaxClauses {
			p.fail(TooManyClauses, start, "the query string has too many clauses: at most %d at one level and %d in all", MaxClauses, MaxNodes)
		}
	}
	return g
}

func (p *parser) more() bool {
	switch p.peekKind(0) {
	case tokEnd, tokClose, tokColon, tokCaret, tokFuzzy, tokBad:
		return false
	}
	return true
}

func (p *parser) element(f fieldPrefix, first bool) Clause {
	if p.peekKind(0) == tokTerm && p.joinsText(1) {
		return p.words(f)
	}
	var c Clause
	if !first {
		c.Conj = p.conjunction()
	}
	c.Mod = p.modifier()
	p.clause(&c, f)
	return c
}

// joinsText reports whether the token n positions ahead is another word of a text of adjacent words.
func (p *parser) joinsText(n int) bool {
	if p.peekKind(n) != tokTerm {
		return false
	}
	switch p.peekKind(n + 1) {
	case tokColon, tokStar, tokFuzzy, tokCaret, tokAnd, tokOr:
		return false
	}
	return true
}

func (p *parser) words(f fieldPrefix) Clause {
	text := []byte(p.word())
	for p.joinsText(0) {
		text = append(append(text, ' '), p.word()...)
	}
	l := f.leaf(LeafText, string(text))
	l.Adjacent = true
	return Clause{Leaf: l}
}

func (p *parser) word() string { return p.unescaped(p.start(), p.consume()) }

func (p *parser) conjunction() Conj {
	switch {
	case p.accept(tokAnd):
		return ConjAnd
	case p.accept(tokOr):
		return ConjOr
	}
	return ConjNone
}

func (p *parser) modifier() Mod {
	switch {
	case p.accept(tokPlus):
		return ModReq
	case p.accept(tokMinus), p.accept(tokNot):
		return ModNot
	}
	return ModNone
}

func (p *parser) clause(c *Clause, f fieldPrefix) {
	if p.peekKind(1) == tokColon && (p.peekKind(0) == tokTerm || p.peekKind(0) == tokStar) {
		f = fieldPrefix{p.word(), true}
		p.accept(tokColon)
	}
	if p.peekKind(0) == tokOpen {
		c.Group = p.parens(f)
	} else {
		c.Leaf = p.atom(f)
	}
}

func (p *parser) parens(f fieldPrefix) *Group {
	open := p.start()
	if p.depth++; p.depth > maxParens {
		p.fail(TooDeep, open, "the query string nests parentheses deeper than %d", maxParens)
		return nil
	}
	p.consume()
	g := p.group(f)
	if p.peekKind(0) == tokEnd {
		p.syntax(open, `this "(" is never closed: close it, or write \( for a parenthesis that is meant`)
	}
	if !p.accept(tokClose) {
		p.unexpected()
	}
	p.depth--
	g.Boost = p.boost()
	return g
}

func (f fieldPrefix) leaf(k LeafKind, text string) *Leaf {
	return &Leaf{Kind: k, Field: f.name, HasField: f.given, Text: text, Boost: 1, Slop: -1}
}

func (p *parser) atom(f fieldPrefix) *Leaf {
	switch p.peekKind(0) {
	case tokTerm, tokStar, tokPrefix, tokWild, tokRegexp, tokBareOper:
		return p.unquoted(f)
	case tokQuoted:
		return p.quoted(f)
	case tokRangeIn, tokRangeEx:
		return p.rangeLeaf(f)
	}
	p.unexpected()
	return nil
}

func (p *parser) unquoted(f fieldPrefix) *Leaf {
	kind, start, image := p.peekKind(0), p.start(), p.consume()
	if kind == tokBareOper {
		image = image[:1]
	}
	text := p.unescaped(start, image) // a bad escape is an error in a leaf of any kind
	l := f.leaf(LeafText, text)
	fuzzy := p.suffixes(l)
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
	return l
}

func (p *parser) quoted(f fieldPrefix) *Leaf {
	l := f.leaf(LeafQuoted, p.inQuotes())
	near := p.start()
	if fuzzy := p.suffixes(l); fuzzy != "" {
		if n, ok := analysis.ParseDouble(fuzzy[1:], 64); ok {
			if l.Slop = clampInt(n); l.Slop < 0 {
				p.syntax(near, "the distance after ~ must not be negative")
			}
		}
	}
	return l
}

func (p *parser) inQuotes() string {
	start, image := p.start(), p.consume()
	return p.unescaped(start+1, image[1:len(image)-1])
}

// clampInt returns the integer part of f, clamped to 32 bits.
func clampInt(f float64) int {
	if math.IsNaN(f) {
		return 0
	}
	return int(max(math.MinInt32, min(math.MaxInt32, f)))
}

// suffixes parses ~… and ^… in either order. It returns the whole token ~…, or "".
func (p *parser) suffixes(l *Leaf) (fuzzy string) {
	if p.peekKind(0) == tokFuzzy {
		fuzzy = p.consume()
	}
	l.Boost = p.boost()
	if fuzzy == "" && p.peekKind(0) == tokFuzzy {
		fuzzy = p.consume()
	}
	return fuzzy
}

func (p *parser) boost() float64 {
	caret := p.start()
	if !p.accept(tokCaret) {
		return 1
	}
	if p.peekKind(0) != tokNumber {
		p.syntax(caret, `a number must follow "^" at once: write \^ for a caret that is meant`)
	}
	f, err := strconv.ParseFloat(p.consume(), 32)
	if err != nil {
		p.syntax(caret, "the boost is too large")
	}
	return f
}

// rangeLeaf parses [low TO high]. Each end may have either bracket.
func (p *parser) rangeLeaf(f fieldPrefix) *Leaf {
	l := f.leaf(LeafRange, "")
	l.IncLow = p.peekKind(0) == tokRangeIn
	p.consume()
	l.Low, l.LowOpen = p.bound()
	if !p.accept(tokTo) {
		p.unexpected()
	}
	l.High, l.HighOpen = p.bound()
	l.IncHigh = p.peekKind(0) == tokEndIn
	if !p.accept(tokEndIn) && !p.accept(tokEndEx) {
		p.unexpected()
	}
	l.Boost = p.boost()
	return l
}

// bound parses one bound. A star means no bound, even in quotes.
func (p *parser) bound() (text string, open bool) {
	switch p.peekKind(0) {
	case tokGoop, tokTo:
		text = p.word()
	case tokRangeQuoted:
		text = p.inQuotes()
	default:
		p.unexpected()
	}
	if text == "*" {
		return "", true
	}
	return text, false
}

// unescaped resolves the escapes of s, whose offset in the text is start.
func (p *parser) unescaped(start int, s string) string {
	first := strings.IndexByte(s, '\\')
	if first < 0 {
		return s
	}
	b := append(make([]byte, 0, len(s)), s[:first]...)
	for at := first; at < len(s); {
		c := s[at]
		at++
		if c == '\\' {
			if at == len(s) {
				p.syntax(start+at-1, `a backslash must be followed by the character it escapes`)
				break
			}
			if c = s[at]; c == 'u' {
				var n int
				if b, n = strictjson.AppendUnicode(b, s[at:]); n == 0 {
					p.syntax(start+at-1, `\u must be followed by four hexadecimal digits: write \\ for a backslash that is meant`)
					break
				}
				at += n
				continue
			}
			at++
		}
		b = append(b, c)
	}
	return string(b)
}

func (p *parser) unexpected() {
	start, image := p.start(), strictjson.Clip(p.text[p.start():p.toks[p.at].end])
	switch p.peekKind(0) {
	case tokEnd:
		p.syntax(start, "it ends where a word, a quoted text or a \"(\" must follow")
	case tokBad:
		p.syntax(start, "%s", badToken(p.text[start]))
	case tokAnd, tokOr, tokNot:
		p.syntax(start, "the operator %s is not possible here: write it in quotes or small letters to search for the word", image)
	case tokClose:
		p.syntax(start, `unexpected ")": write \) for a parenthesis that is meant`)
	case tokColon:
		p.syntax(start, `unexpected ":": only a field's name may precede it, write \: for a colon that is meant`)
	default:
		p.syntax(start, "unexpected %q", strings.TrimSpace(image))
	}
}

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

// Size returns the number of clauses in g and in the Groups inside g. A nil Group has no clauses.
func (g *Group) Size() int {
	if g == nil {
		return 0
	}
	n := len(g.Clauses)
	for i := range g.Clauses {
		n += g.Clauses[i].Group.Size()
	}
	return n
}

// syntaxEscapes escapes the characters that have a meaning in a query string.
var syntaxEscapes = func() *strings.Replacer {
	var pairs []string
	for _, c := range `\+-!():^[]"{}~*?|&/` {
		pairs = append(pairs, string(c), `\`+string(c))
	}
	return strings.NewReplacer(pairs...)
}()

// Escape returns the query string that searches for a text without operators.
func Escape(text string) string { return syntaxEscapes.Replace(text) }
