// This file matches misspelt words: the terms of the dictionary within some edits,
// the best of them, scored as one.

package search

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/pattern"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/snapshot"
)

// maxFuzzyTerms is how many terms a misspelt word of a query string stands for at most.
const maxFuzzyTerms = 50

// editsOf is the number of edits a fuzziness allows for a word.
func editsOf(f query.Fuzziness, word string) int {
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

// kin is a term near the word.
type kin struct {
	info       snapshot.TermInfo // text
	ord        int               // whole strings
	df         int
	similarity float64
}

// fuzzy matches a word, or a whole string, with edits.
func (b *builder) fuzzy(t target, word string, edits, prefix, limit int, boost float64) (scorer, error) {
	if edits < 0 {
		return nil, &valueError{why: fmt.Sprintf("cannot be searched with %d edits", edits)}
	}
	t, ok := t.textForm()
	if !ok {
		return nil, nil
	}
	if edits == 0 {
		return b.exact(t, word, boost, false)
	}
	m := pattern.CompileFuzzy(word, edits, prefix)
	found, err := b.kinWords(t, m)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(found, func(a, b kin) int { return cmp.Compare(b.similarity, a.similarity) })
	found = found[:min(len(found), limit)]
	most := 0
	for _, k := range found {
		most = max(most, k.df)
	}
	subs := make([]scorer, len(found))
	for i, k := range found {
		subs[i] = b.kinScorer(t, k, most, boost*max(0, k.similarity))
	}
	return newAnyOf(subs, 1), nil
}

// kinScorer scores a kept term: all use the document frequency of the commonest.
func (b *builder) kinScorer(t target, k kin, df int, boost float64) scorer {
	if t.kind == onText {
		return b.termOf(t.f, k.info, float32(boost)*(analysis.K1+1)*idf(t.f.Docs, df))
	}
	c, score := t.v.Column(), boost
	if !t.flat {
		score = flatScore(c, df, boost)
	}
	return b.ordinals(c, k.ord, k.ord+1, score)
}

// kinWords finds the terms, or whole strings, of a field that m matches, in byte order.
func (b *builder) kinWords(t target, m *pattern.Fuzzy) (found []kin, err error) {
	var similarity float64
	near := func(term []byte) (bool, int) {
		d, ok, dead := m.DistanceSkip(term)
		if ok {
			similarity = m.Similarity(d, term)
		}
		return ok, dead
	}
	if t.kind == onKeyword {
		from, to := prefixOrdinals(t.v.Strings(), m.Prefix())
		err = b.scanStrings(t, from, to, near, func(ord int) {
			found = append(found, kin{ord: ord, df: t.v.Column().Count(ord), similarity: similarity})
		})
		return found, err
	}
	err = b.scanTerms(t.f, m.Prefix(), near, func(it *snapshot.TermIter) error {
		found = append(found, kin{info: it.Info(), df: it.Info().DF, similarity: similarity})
		return nil
	})
	return found, err
}

// after is the least string that does not begin with p and is greater.
func after(p []byte) []byte {
	out := slices.Clone(p)
	for i := len(out) - 1; i >= 0; i-- {
		if out[i] < 0xff {
			out[i]++
			return out[:i+1]
		}
	}
	return append(out, 0xff)
}
