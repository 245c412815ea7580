// This file matches analyzed text: match, multi_match, phrases and their prefixes.

package search

import (
	"fmt"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/snapshot"
)

// words are how the terms of one text combine on one field.
type words struct {
	and            bool
	minShouldMatch string
	fuzziness      *query.Fuzziness
	prefixLength   int
	maxExpansions  int
}

// maxWords is the number of words one text may have: each becomes a clause, of which
// Lucene allows as many.
const maxWords = 1024

// words cuts a text into terms.
func (b *builder) words(text string) ([]string, error) {
	terms := analysis.Terms(text)
	if len(terms) > maxWords {
		return nil, &query.Error{Code: query.CodeTooManyClauses, Position: -1,
			Message: fmt.Sprintf("a text of %d words is too long to search for: at most %d", len(terms), maxWords)}
	}
	return terms, b.tick(16 * len(terms))
}

// text matches the words of a text on a text field; none tells that it has no words.
func (b *builder) text(f *snapshot.Field, text string, w words, boost float64) (s scorer, none bool, err error) {
	terms, err := b.words(text)
	if err != nil {
		return nil, false, err
	}
	subs := make([]scorer, len(terms))
	for i, t := range terms {
		if w.fuzziness != nil {
			subs[i], err = b.fuzzy(target{f: f, kind: onText}, t, editsOf(*w.fuzziness, t), w.prefixLength, w.maxExpansions, boost)
		} else {
			subs[i] = b.word(f, []byte(t), boost)
		}
		if err != nil {
			return nil, false, err
		}
	}
	switch {
	case len(subs) == 0:
		return nil, true, nil
	case len(subs) == 1:
		return subs[0], false, nil
	case w.and && w.minShouldMatch != "" && minShouldMatch(w.minShouldMatch, 0) > 0:
		return nil, false, nil // more than there are optional words
	case w.and:
		return b.combine(&clauses{must: subs}), false, nil
	}
	need := 1
	if w.minShouldMatch != "" {
		need = max(1, minShouldMatch(w.minShouldMatch, len(subs)))
	}
	return newAnyOf(subs, need), false, nil
}

// match builds a match query on a field.
func (b *builder) match(t target, n *query.Match, boost float64) (scorer, error) {
	w := words{n.And, n.MinShouldMatch, n.Fuzziness, n.PrefixLength, n.MaxExpansions}
	s, none, err := b.matchOn(t, n.Text.Text, w, boost)
	if isUnfit(err) && n.Lenient {
		return nil, nil
	}
	if none && n.ZeroTermsAll {
		return b.all(boost), nil
	}
	return s, err
}

// matchOn matches a text on a field of any kind: words on text, else one value.
func (b *builder) matchOn(t target, text string, w words, boost float64) (s scorer, none bool, err error) {
	if t.kind == onText {
		return b.text(t.f, text, w, boost)
	}
	if w.fuzziness != nil {
		s, err = b.fuzzy(t, text, editsOf(*w.fuzziness, text), w.prefixLength, w.maxExpansions, boost)
		return s, false, err
	}
	s, err = b.exact(t, text, boost, false)
	return s, false, err
}

func (b *builder) multiMatch(n *query.MultiMatch, boost float64) (scorer, error) {
	ts, lenient := b.fieldList(n.Fields, false), hasStar(n.Fields)
	if len(n.Fields) == 0 {
		ts, lenient = b.matching("*"), true
	}
	if n.Lenient != nil {
		lenient = *n.Lenient
	}
	w := words{n.And, n.MinShouldMatch, n.Fuzziness, n.PrefixLength, n.MaxExpansions}
	var subs []scorer
	for _, t := range ts {
		s, none, err := b.matchOn(t, n.Text.Text, w, boost*t.boost)
		if isUnfit(err) && lenient {
			continue
		}
		if err != nil {
			return nil, refuse(err, t.name())
		}
		if none && n.ZeroTermsAll {
			s = b.all(boost * t.boost)
		}
		subs = append(subs, s)
	}
	return newBest(subs, float32(n.TieBreaker)), nil
}

func (b *builder) matchPhrase(t target, n *query.MatchPhrase, boost float64) (scorer, error) {
	s, none, err := b.quoted(t, n.Text.Text, n.Slop, boost)
	if none && n.ZeroTermsAll {
		return b.all(boost), nil
	}
	return s, err
}

// phrase matches the words of a text in order on a text field.
func (b *builder) phrase(f *snapshot.Field, text string, slop int, boost float64) (s scorer, none bool, err error) {
	terms, err := b.words(text)
	if err != nil {
		return nil, false, err
	}
	switch len(terms) {
	case 0:
		return nil, true, nil
	case 1:
		return b.word(f, []byte(terms[0]), boost), false, nil
	}
	slots := make([]slot, len(terms))
	sum := 0.0
	for i, t := range terms {
		info, ok := f.Terms().Lookup([]byte(t))
		if !ok {
			return nil, false, nil
		}
		slots[i] = slot{terms: []snapshot.TermInfo{info}, key: t}
		sum += float64(idf(f.Docs, info.DF))
	}
	return b.phraseOf(f, slots, slop, float32(boost)*(analysis.K1+1)*float32(sum)), false, nil
}

func (b *builder) matchPhrasePrefix(t target, n *query.MatchPhrasePrefix, boost float64) (scorer, error) {
	if t.kind == onKeyword {
		return nil, &valueError{why: "holds whole texts, which have no words: search a path of text"}
	}
	terms, err := b.words(n.Text.Text)
	if err != nil {
		return nil, err
	}
	if len(terms) == 0 {
		if n.ZeroTermsAll {
			return b.all(boost), nil
		}
		return nil, nil
	}
	if t.kind.typed() {
		return b.textPhrase(t, terms, textPhrase{slop: n.Slop, prefix: true}, boost)
	}
	last := len(terms) - 1
	expansions := expand(t.f, terms[last], n.MaxExpansions)
	if last == 0 {
		return b.anyTerm(t.f, expansions, boost), nil
	}
	slots := make([]slot, len(terms))
	sum := 0.0
	for i, term := range terms[:last] {
		info, ok := t.f.Terms().Lookup([]byte(term))
		if !ok {
			return nil, nil
		}
		slots[i] = slot{terms: []snapshot.TermInfo{info}, key: term}
		sum += float64(idf(t.f.Docs, info.DF))
	}
	if len(expansions) == 0 {
		return nil, nil
	}
	slots[last] = slot{terms: expansions, key: terms[last], prefix: true}
	for _, e := range expansions {
		sum += float64(idf(t.f.Docs, e.DF))
	}
	return b.phraseOf(t.f, slots, n.Slop, float32(boost)*(analysis.K1+1)*float32(sum)), nil
}

// expand returns the first terms of the dictionary that begin with a prefix.
func expand(f *snapshot.Field, prefix string, limit int) (infos []snapshot.TermInfo) {
	for it := f.Terms().Seek([]byte(prefix)); len(infos) < limit && it.Next() && hasPrefix(it.Term(), prefix); {
		infos = append(infos, it.Info())
	}
	return infos
}

func (b *builder) anyTerm(f *snapshot.Field, infos []snapshot.TermInfo, boost float64) scorer {
	subs := make([]scorer, len(infos))
	for i, info := range infos {
		subs[i] = b.termOf(f, info, float32(boost)*(analysis.K1+1)*idf(f.Docs, info.DF))
	}
	return newAnyOf(subs, 1)
}
