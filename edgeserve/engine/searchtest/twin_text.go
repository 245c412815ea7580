// This file is the twin's relevance: BM25 from its definition, phrases, and words
// with mistakes in them.

package searchtest

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/portable"
	"contentedge/edgeserve/engine/query"
)

// idf is never negative, though a term may count as more frequent than its field has items.
func idf(docs, df int) float64 {
	return portable.Log(max(1, 1+(float64(docs-df)+0.5)/(float64(df)+0.5)))
}

// bm25 is the score of something that occurs tf times in a field of a number of tokens.
func bm25(idf, tf, length, average float64) float64 {
	const k1, b = 1.2, 0.75
	return (k1 + 1) * idf * tf / (tf + float64(k1*(1-b+b*length/average)))
}

// roughly is a number of tokens as the index keeps it: of what exceeds 24, the four
// highest bits.
func roughly(n int) float64 {
	if n < 24 {
		return float64(n)
	}
	x := uint(n - 24)
	drop := max(0, bits.Len(x)-4)
	return float64(24 + x>>drop<<drop)
}

// scored scores items by how often a text field has something.
func (t *twin) scored(f *twinField, idf float64, frequency func(*cell) float64) hits {
	h := t.none()
	average := float64(f.tokens) / float64(f.docs)
	for i, c := range f.cells {
		if c == nil {
			continue
		}
		if tf := frequency(c); tf > 0 {
			h[i] = bm25(idf, tf, roughly(len(c.words)), average)
		}
	}
	return h
}

// word is a term of a text field.
func (t *twin) word(f *twinField, term string) hits {
	if f.df[term] == 0 {
		return t.none()
	}
	return t.scored(f, idf(f.docs, f.df[term]), func(c *cell) float64 { return float64(c.frequency(term)) })
}

// wording is how the words of a text combine.
type wording struct {
	and       bool
	need      string // minimum_should_match
	fuzziness *query.Fuzziness
	spelling  query.Spelling
	prefix    bool // the last word is a prefix, if it ends the text
}

// words matches a text on a text field; none reports whether it has no words.
func (t *twin) words(f *twinField, text string, w wording) (h hits, none bool) {
	parts := t.eachWord(f, text, w)
	return t.together(parts, w), len(parts) == 0
}

// eachWord matches each word of a text on a text field.
func (t *twin) eachWord(f *twinField, text string, w wording) (parts []hits) {
	terms := analysis.Terms(text)
	for i, term := range terms {
		var h hits
		switch {
		case w.prefix && i == len(terms)-1 && endsInWord(text):
			h, _ = t.matching(f.target(), 1, func(s string) bool { return strings.HasPrefix(s, term) })
		case w.fuzziness != nil:
			h, _ = t.fuzzy(f.target(), term, editsFor(*w.fuzziness, term), w.spelling)
		default:
			h = t.word(f, term)
		}
		parts = append(parts, h)
	}
	return parts
}

// together combines the words of a text.
func (t *twin) together(parts []hits, w wording) hits {
	if len(parts) < 2 {
		return append(parts, t.none())[0]
	}
	var must, should []hits
	if w.and {
		must = parts
	} else {
		should = parts
	}
	need := 0
	if w.need != "" {
		need, _ = query.MinMatch(w.need, len(should))
	}
	if len(should) > 0 {
		need = max(need, 1)
	}
	return t.combine(must, nil, should, nil, need)
}

// text matches a text on a field of any kind.
func (t *twin) text(to target, text string, w wording) (h hits, none bool, err error) {
	switch {
	case to.kind == onText:
		h, none = t.words(to.f, text, w)
	case w.prefix && to.kind == onKeyword:
		h, err = t.matching(to, 1, func(s string) bool { return strings.HasPrefix(s, text) })
	case w.fuzziness != nil:
		h, err = t.fuzzy(to, text, editsFor(*w.fuzziness, text), w.spelling)
	default:
		h, err = t.exact(to, text, 1, false)
	}
	return h, none, err
}

func (t *twin) match(to target, n *query.Match) (hits, error) {
	to.valuesOnly = n.Lenient
	h, none, err := t.text(to, n.Text.Text, wording{n.And, n.MinShouldMatch, n.Fuzziness, n.Spelling, false})
	switch {
	case err != nil && n.Lenient:
		return t.none(), nil
	case err != nil:
		return nil, err
	case none && n.ZeroTermsAll:
		return t.all(n.Boost), nil
	}
	return h.times(n.Boost), nil
}

func (t *twin) matchPhrase(to target, n *query.MatchPhrase) (hits, error) {
	h, none, err := t.quoted(to, n.Text.Text, n.Slop)
	if none && n.ZeroTermsAll {
		return t.all(n.Boost), nil
	}
	return h.times(n.Boost), err
}

// quoted matches a text as a phrase, or, on other fields, as one value; a text that is not such a value is searched for
// in the text form of the items' values.
func (t *twin) quoted(to target, text string, slop int) (h hits, none bool, err error) {
	if to.kind == onText {
		h, none = t.phrase(to.f, text, slop)
		return h, none, nil
	}
	if h, err = t.exact(to, text, 1, false); err == nil || to.valuesOnly {
		return h, false, err
	}
	return t.inValues(to, text, slop, false)
}

// inValues matches the tokens of a text near each other in a single value of a typed field, the last one also as a
// prefix; none reports whether it has no tokens.
func (t *twin) inValues(to target, text string, slop int, prefix bool) (h hits, none bool, err error) {
	terms := analysis.Terms(text)
	if len(terms) == 0 {
		return t.none(), true, nil
	}
	h, err = t.matching(to, 1, func(value string) bool { return tokensIn(analysis.Terms(value), terms, slop, prefix) })
	return h, false, err
}

// tokensIn reports whether a value has the tokens of a phrase near each other.
func tokensIn(value, phrase []string, slop int, prefix bool) bool {
	all := make([][]int, len(phrase))
	for i, term := range phrase {
		for pos, v := range value {
			if v == term || prefix && i == len(phrase)-1 && strings.HasPrefix(v, term) {
				all[i] = append(all[i], pos)
			}
		}
		if len(all[i]) == 0 {
			return false
		}
	}
	switch {
	case len(phrase) == 1:
		return true
	case slop == 0:
		return inOrder(all) > 0
	}
	return nearby(all, slop) > 0
}

// phrase matches the words of a text near each other; none reports whether it has no words.
func (t *twin) phrase(f *twinField, text string, slop int) (h hits, none bool) {
	terms := analysis.Terms(text)
	if len(terms) < 2 {
		h, _ := t.words(f, text, wording{})
		return h, len(terms) == 0
	}
	slots := make([][]string, len(terms))
	for i, term := range terms {
		slots[i] = []string{term}
	}
	return t.slots(f, slots, slop), false
}

func (t *twin) matchPhrasePrefix(to target, n *query.MatchPhrasePrefix) (hits, error) {
	h, none, err := t.phrasePrefix(to, n.Text.Text, n.Slop, n.MaxExpansions)
	if none && n.ZeroTermsAll {
		return t.all(n.Boost), nil
	}
	return h.times(n.Boost), err
}

func (t *twin) phrasePrefix(to target, text string, slop, limit int) (h hits, none bool, err error) {
	if to.kind == onKeyword || to.typed() && to.valuesOnly {
		return nil, false, errUnfit
	}
	if to.typed() {
		return t.inValues(to, text, slop, true)
	}
	terms := analysis.Terms(text)
	if len(terms) == 0 {
		return t.none(), true, nil
	}
	var last []string
	for _, term := range to.f.terms {
		if strings.HasPrefix(term, terms[len(terms)-1]) && len(last) < max(1, limit) {
			last = append(last, term)
		}
	}
	if len(terms) == 1 {
		var parts []hits
		for _, term := range last {
			parts = append(parts, t.word(to.f, term))
		}
		return t.best(parts, 1), false, nil
	}
	var slots [][]string
	for _, term := range terms[:len(terms)-1] {
		slots = append(slots, []string{term})
	}
	return t.slots(to.f, append(slots, last), slop), false, nil
}

// slots matches a phrase each place of which may hold any of several terms.
func (t *twin) slots(f *twinField, slots [][]string, slop int) hits {
	sum := 0.0
	for _, terms := range slots {
		known := false
		for _, term := range terms {
			if f.df[term] > 0 {
				sum, known = sum+idf(f.docs, f.df[term]), true
			}
		}
		if !known {
			return t.none()
		}
	}
	return t.scored(f, sum, func(c *cell) float64 {
		all := make([][]int, len(slots))
		for i, terms := range slots {
			for _, term := range terms {
				all[i] = append(all[i], c.positions(term)...)
			}
			slices.Sort(all[i])
			if len(all[i]) == 0 {
				return 0
			}
		}
		if slop == 0 {
			return inOrder(all)
		}
		return nearby(all, slop)
	})
}

// inOrder counts the places where each slot directly follows the previous one.
func inOrder(all [][]int) (n float64) {
	for _, start := range all[0] {
		ok := true
		for i, ps := range all {
			ok = ok && slices.Contains(ps, start+i)
		}
		if ok {
			n++
		}
	}
	return n
}

// pointer is at a token for a slot of a phrase.
type pointer struct {
	slot, k int
	ps      []int
}

func (p *pointer) done() bool { return p.k >= len(p.ps) }

// at is where the phrase would begin if it began for this slot.
func (p *pointer) at() int { return p.ps[p.k] - p.slot }

func (p *pointer) less(o *pointer) bool {
	return cmp.Or(cmp.Compare(p.at(), o.at()), cmp.Compare(p.slot, o.slot)) < 0
}

// nearby adds up 1/(1+width) over windows of at most slop. The pointer that is furthest left moves until another is
// further left; the narrowest window on that way is the one that counts. No two slots are ever at one token.
func nearby(all [][]int, slop int) (sum float64) {
	ps := make([]*pointer, len(all))
	for i := range all {
		ps[i] = &pointer{slot: i, ps: all[i]}
	}
	for _, p := range ps {
		if !apart(ps, p) {
			return 0
		}
	}
	left := func(except *pointer) (l *pointer) {
		for _, p := range ps {
			if p != except && (l == nil || p.less(l)) {
				l = p
			}
		}
		return l
	}
	right := math.MinInt
	for _, p := range ps {
		right = max(right, p.at())
	}
	add := func(width int) {
		if width <= slop {
			sum += 1 / float64(1+width)
		}
	}
	for {
		p := left(nil)
		limit, width := left(p).at(), right-p.at()
		for moved := false; !moved; {
			p.k++
			if p.done() || !apart(ps, p) {
				add(width)
				return sum
			}
			for _, o := range ps { // apart may have moved others
				right = max(right, o.at())
			}
			if p.at() > limit {
				moved = true
			} else {
				width = min(width, right-p.at())
			}
		}
		add(width)
	}
}

// apart moves pointers forward until no two are at one token: the pointer further left gives way. It returns false when
// a pointer has no token left.
func apart(ps []*pointer, p *pointer) bool {
	for {
		i := slices.IndexFunc(ps, func(o *pointer) bool { return o != p && o.ps[o.k] == p.ps[p.k] })
		if i < 0 {
			return true
		}
		if ps[i].less(p) {
			p = ps[i]
		}
		if p.k++; p.done() {
			return false
		}
	}
}

// editsFor is the number of edits a fuzziness allows a word.
func editsFor(f query.Fuzziness, word string) int {
	n := utf8.RuneCountInString(word)
	switch {
	case !f.Auto:
		return f.Edits
	case n < f.Low:
		return 0
	case n < f.High:
		return 1
	}
	return 2
}

// kin is a term scored as if df items had it.
func (t *twin) kin(to target, term string, df int) hits {
	if to.kind == onText {
		return t.scored(to.f, idf(to.f.docs, df), func(c *cell) float64 { return float64(c.frequency(term)) })
	}
	return t.has(to.f, t.flatScore(to, df), func(c *cell) bool { return slices.Contains(c.texts, term) })
}

// df is the number of items with a term, or a whole string.
func (to target) df(term string) (n int) {
	if to.kind == onText {
		return to.f.df[term]
	}
	for _, c := range to.f.cells {
		if c != nil && slices.Contains(c.texts, term) {
			n++
		}
	}
	return n
}
