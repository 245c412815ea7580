// This file compiles analyzed text: match, phrases and their prefixes.

package compile

import (
	"cmp"
	"fmt"
	"strings"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/problem"
)

// words holds the options that say how the terms of one text combine on a field.
type words struct {
	and            bool
	minShouldMatch string
	fuzziness      *query.Fuzziness
	spelling       query.Spelling
}

// maxWords limits the words of one text: each becomes a clause, and Lucene allows 1024 clauses.
const maxWords = 1024

// words returns the words of a text. Callers must not change them.
func (c *fieldCompiler) words(text string) ([]string, error) {
	if c.last.text != text {
		c.last.text, c.last.terms = text, analysis.Terms(text)
	}
	terms := c.last.terms
	if len(terms) > maxWords {
		return nil, &query.Error{Code: problem.TooManyClauses, Position: -1,
			Message: fmt.Sprintf("a text of %d words is too long to search for: at most %d", len(terms), maxWords)}
	}
	return terms, c.work.Charge(16 * len(terms))
}

// text matches the words of a text; none reports whether it has no words.
func (c *fieldCompiler) text(f *snapshot.Field, text string, w words, boost float64) (s scorer.Scorer, none bool, err error) {
	terms, err := c.words(text)
	if err != nil {
		return nil, false, err
	}
	return c.combineWords(f, terms, w, false, boost)
}

// combineWords matches terms, the last of which may be a prefix.
func (c *fieldCompiler) combineWords(f *snapshot.Field, terms []string, w words, prefix bool, boost float64) (s scorer.Scorer, none bool, err error) {
	if len(terms) == 1 {
		s, err = c.word(f, terms[0], w, prefix, boost)
		return s, false, cmp.Or(err, c.work.Failed())
	}
	subs, err := c.eachWord(f, terms, w, prefix, boost)
	if err != nil {
		return nil, false, err
	}
	return c.joinWords(subs, w), len(subs) == 0, nil
}

// eachWord returns a Scorer for each of terms, the last of which may be a prefix.
func (c *fieldCompiler) eachWord(f *snapshot.Field, terms []string, w words, prefix bool, boost float64) (subs []scorer.Scorer, err error) {
	subs = make([]scorer.Scorer, len(terms))
	for i, t := range terms {
		subs[i], err = c.word(f, t, w, prefix && i == len(terms)-1, boost)
		if err := cmp.Or(err, c.work.Failed()); err != nil {
			return nil, err
		}
	}
	return subs, nil
}

// word returns a Scorer for a term, which may be a prefix.
func (c *fieldCompiler) word(f *snapshot.Field, term string, w words, prefix bool, boost float64) (scorer.Scorer, error) {
	switch {
	case prefix:
		return c.prefix(fields.OfPath(f), term, boost), nil
	case w.fuzziness != nil:
		return c.fuzzy(fields.OfPath(f), term, w.fuzziness.Of(term), w.spelling, boost)
	}
	return c.term(fields.OfPath(f), term, boost)
}

// joinWords combines the words of a text.
func (c *fieldCompiler) joinWords(subs []scorer.Scorer, w words) scorer.Scorer {
	switch {
	case len(subs) == 0:
		return nil
	case len(subs) == 1:
		return subs[0]
	case w.and && w.minShouldMatch != "" && minShouldMatch(w.minShouldMatch, 0) > 0:
		return nil // the minimum is above the number of optional words
	case w.and:
		return c.request.Combine(&scorer.Clauses{Must: subs})
	}
	need := 1
	if w.minShouldMatch != "" {
		need = max(1, minShouldMatch(w.minShouldMatch, len(subs)))
	}
	return scorer.Disjunction(subs, need)
}

func (c *fieldCompiler) match(t fields.Target, n *query.Match, boost float64) (scorer.Scorer, error) {
	w := words{n.And, n.MinShouldMatch, n.Fuzziness, n.Spelling}
	t.ValuesOnly = n.Lenient
	s, none, err := c.matchOn(t, n.Text.Text, w, boost)
	if isUnfit(err) && n.Lenient {
		return nil, nil
	}
	if none && n.ZeroTermsAll {
		return c.request.All(boost), nil
	}
	return s, err
}

func (c *fieldCompiler) matchOn(t fields.Target, text string, w words, boost float64) (s scorer.Scorer, none bool, err error) {
	if t.Kind == fields.Text {
		return c.text(t.Field, text, w, boost)
	}
	if w.fuzziness != nil {
		s, err = c.fuzzy(t, text, w.fuzziness.Of(text), w.spelling, boost)
		return s, false, err
	}
	s, err = c.term(t, text, boost)
	return s, false, err
}

func (c *fieldCompiler) matchPhrase(t fields.Target, n *query.MatchPhrase, boost float64) (scorer.Scorer, error) {
	s, none, err := c.quoted(t, n.Text.Text, n.Slop, boost)
	if none && n.ZeroTermsAll {
		return c.request.All(boost), nil
	}
	return s, err
}

// quoted matches a quoted text. On text it is a phrase. On other targets it is a value or a whole string or, failing
// that, a phrase in the text of values. none reports whether the text has no words.
func (c *fieldCompiler) quoted(t fields.Target, text string, slop int, boost float64) (s scorer.Scorer, none bool, err error) {
	if t.Kind == fields.Text {
		return c.phrase(t.Field, text, slop, boost)
	}
	s, err = c.term(t, text, boost)
	if t.ValuesOnly || !isUnfit(err) {
		return s, false, err
	}
	terms, err := c.words(text)
	if err != nil {
		return nil, false, err
	}
	return c.stringPhrase(t, terms, slop, false, boost), len(terms) == 0, nil
}

// stringPhrase matches the strings that contain the terms in order, with a constant score.
func (c *fieldCompiler) stringPhrase(t fields.Target, terms []string, slop int, prefix bool, boost float64) scorer.Scorer {
	t, ok := t.Keyword()
	if !ok || len(terms) == 0 || c.listing != nil {
		return nil
	}
	s := c.request.StringMatches(t.Values, t.Admit, nil, c.request.TextPhrase(terms, slop, prefix).Test, boost)
	return c.named(t, s, func() string { return `"` + strings.Join(terms, " ") + `"` })
}

func (c *fieldCompiler) phrase(f *snapshot.Field, text string, slop int, boost float64) (s scorer.Scorer, none bool, err error) {
	terms, err := c.words(text)
	if err != nil {
		return nil, false, err
	}
	switch len(terms) {
	case 0:
		return nil, true, nil
	case 1:
		s, err = c.term(fields.OfPath(f), terms[0], boost)
		return s, false, err
	}
	if c.listing != nil {
		c.listing.to.Phrase(c.listing.leaf(fields.OfPath(f), boost), terms, slop)
		return nil, false, nil
	}
	slots, ok := slotsOf(f, terms, len(terms))
	if !ok {
		return nil, false, nil
	}
	return c.request.Phrase(f, slots, slop, boost), false, nil
}

// slotsOf returns n slots, the first of which hold the terms. ok is false if no item has some term.
func slotsOf(f *snapshot.Field, terms []string, n int) (slots []scorer.Slot, ok bool) {
	slots = make([]scorer.Slot, n)
	for i, t := range terms {
		info, ok := f.Terms().Lookup([]byte(t))
		if !ok {
			return nil, false
		}
		slots[i] = scorer.Slot{Terms: []snapshot.TermInfo{info}, Key: t}
	}
	return slots, true
}

func (c *fieldCompiler) matchPhrasePrefix(t fields.Target, n *query.MatchPhrasePrefix, boost float64) (scorer.Scorer, error) {
	s, none, err := c.phrasePrefix(t, n.Text.Text, n.Slop, n.MaxExpansions, boost)
	if none && n.ZeroTermsAll {
		return c.request.All(boost), nil
	}
	return s, err
}

// phrasePrefix matches words as a phrase whose last word is a prefix; none reports whether the text has no words.
func (c *fieldCompiler) phrasePrefix(t fields.Target, text string, slop, limit int, boost float64) (s scorer.Scorer, none bool, err error) {
	if t.Kind == fields.Keyword || t.ValuesOnly && t.Kind.Typed() {
		return nil, false, &unfitError{why: "holds " + t.Kind.Plural() + ", which have no words: search a path of text"}
	}
	terms, err := c.words(text)
	if err != nil || len(terms) == 0 {
		return nil, err == nil, err
	}
	switch {
	case c.listing != nil && t.Kind == fields.Text:
		c.listing.to.PhrasePrefix(c.listing.leaf(t, boost), terms, slop, limit)
		return nil, false, nil
	case t.Kind.Typed():
		return c.stringPhrase(t, terms, slop, true, boost), false, nil
	}
	last := len(terms) - 1
	expansions := scorer.Expand(t.Field, terms[last], max(1, limit)) // as in Elasticsearch, 0 means 1
	if last == 0 {
		return c.request.AnyTerm(t.Field, terms[last], expansions, boost), false, nil
	}
	slots, ok := slotsOf(t.Field, terms[:last], len(terms))
	if !ok || len(expansions) == 0 {
		return nil, false, nil
	}
	slots[last] = scorer.Slot{Terms: expansions, Key: terms[last], Prefix: true}
	return c.request.Phrase(t.Field, slots, slop, boost), false, nil
}
