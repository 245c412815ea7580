// This file is the twin's queries about one word or pattern, and how the terms they find score.

package searchtest

import (
	"cmp"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/query"
)

// near is a term or a whole value with its likeness to what is asked, 1 if it matches.
type near struct {
	term  string
	boost float64
}

// fuzzy matches the terms, or whole values, nearest to a word. Matches of a typed field are scored as values of the
// path's keyword sub-field.
func (t *twin) fuzzy(to target, text string, edits int, o query.Spelling) (hits, error) {
	if edits < 0 {
		return nil, errUnfit
	}
	if to.typed() && to.valuesOnly {
		return t.none(), nil
	}
	word := []rune(text)
	if o.PrefixLength >= len(word) {
		edits = 0
	}
	prefix := string(word[:min(o.PrefixLength, len(word))])
	rewrite := o.Rewrite
	if rewrite.Kind == query.RewriteDefault && edits == 0 {
		rewrite = query.Rewrite{Kind: query.RewriteTop, Top: 1}
		if !to.typed() {
			return t.exact(to, text, 1, false)
		}
	}
	if rewrite.Kind == query.RewriteDefault {
		rewrite = query.Rewrite{Kind: query.RewriteTopBlended, Top: o.MaxExpansions}
	}
	return t.expand(to, rewrite, func(term string) (boost float64, ok bool) {
		r := []rune(term)
		d := distance(word, r, !o.NoTranspositions)
		switch {
		case d > edits || !strings.HasPrefix(term, prefix):
			return 0, false
		case d == 0:
			return 1, true
		}
		return 1 - float64(d)/float64(min(len(word), len(r))), true
	})
}

// expand scores the terms or whole values that match something.
func (t *twin) expand(to target, r query.Rewrite, likeness func(term string) (boost float64, ok bool)) (hits, error) {
	if r.IsConstant() {
		return t.matching(to, 1, func(s string) bool { _, ok := likeness(s); return ok })
	}
	dictionary := to.f.whole
	switch {
	case to.kind == onText:
		dictionary = to.f.terms
	case to.typed():
		t.met.textForm = true
		to = to.whole()
	}
	var found []near
	for _, term := range dictionary {
		if boost, ok := likeness(term); ok {
			found = append(found, near{term, boost})
		}
	}
	if r.Kind == query.RewriteScoring {
		if len(found) > 1024 {
			return nil, errRefused
		}
	} else {
		slices.SortStableFunc(found, func(a, b near) int { return cmp.Compare(b.boost, a.boost) })
		found = found[:min(r.Top, len(found))]
	}
	df := 0
	for _, n := range found {
		df = max(df, to.df(n.term))
	}
	var parts []hits
	for _, n := range found {
		common, boost := to.df(n.term), max(0, n.boost)
		if r.Kind == query.RewriteTopBlended {
			common = df
		}
		h := t.kin(to, n.term, common)
		if r.Kind == query.RewriteTopBoost {
			h = h.constant(1)
		}
		parts = append(parts, h.times(boost))
	}
	return t.best(parts, 1), nil
}

// patterned is the items with a term, or a whole value, that satisfies a condition, scored
// by a rewrite method.
func (t *twin) patterned(to target, r query.Rewrite, boost float64, match func(string) bool) (hits, error) {
	h, err := t.expand(to, r, func(s string) (float64, bool) { return 1, match(s) })
	return h.times(boost), err
}

func (t *twin) regexpQuery(n *query.Regexp) (hits, error) {
	match, err := compileRegexpOf(n.Pattern, n.Flags, n.CaseInsensitive)
	if err != nil {
		return nil, errRefused
	}
	if t.wordless(n) {
		return nil, errUnfit
	}
	return t.on(n.Field, func(to target) (hits, error) { return t.patterned(to, n.Rewrite, n.Boost, match) })
}

func (t *twin) matchBoolPrefix(to target, n *query.MatchBoolPrefix) (hits, error) {
	h, _, err := t.text(to, n.Text.Text, wording{n.And, n.MinShouldMatch, n.Fuzziness, n.Spelling, true})
	return h.times(n.Boost), err
}

// endsInWord reports whether the last word ends where the text does.
func endsInWord(text string) bool {
	var tok analysis.Tokenizer
	end := 0
	for tok.Reset([]byte(text)); tok.Next(); {
		_, end = tok.Span()
	}
	return end == len(text)
}

func (t *twin) disMax(n *query.DisMax) (hits, error) {
	defer t.within(n.Boost)()
	var parts []hits
	for _, q := range n.Queries {
		h, err := t.eval(q)
		if err != nil {
			return nil, err
		}
		parts = append(parts, h)
	}
	return t.best(parts, n.TieBreaker).times(n.Boost), nil
}

func (t *twin) boosting(n *query.Boosting) (hits, error) {
	defer t.alone()() // the boost is applied last
	h, err := t.eval(n.Positive)
	if err != nil {
		return nil, err
	}
	negative, err := t.eval(n.Negative)
	if err != nil {
		return nil, err
	}
	for i, s := range h {
		if s >= 0 && negative[i] >= 0 {
			h[i] *= n.NegativeBoost
		}
	}
	return h.times(n.Boost), nil
}
