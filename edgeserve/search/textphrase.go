// This file matches words in the texts of dates, numbers and booleans, which have no
// terms: it looks at each distinct value.

package search

import (
	"bytes"
	"strings"

	"contentedge/edgeserve/analysis"
)

// quoted matches quoted text: words on text, else a whole text or a value. Text that is no
// value may still be a part of one. none tells that it has no words.
func (b *builder) quoted(t target, text string, slop int, boost float64) (s scorer, none bool, err error) {
	if t.kind == onText {
		return b.phrase(t.f, text, slop, boost)
	}
	s, err = b.exact(t, text, boost, false)
	if t.all || !isUnfit(err) {
		return s, false, err
	}
	terms, err := b.words(text)
	if err != nil {
		return nil, false, err
	}
	s, err = b.textPhrase(t, terms, textPhrase{slop: slop}, boost)
	return s, len(terms) == 0, err
}

// textPhrase are the options of a phrase.
type textPhrase struct {
	slop   int
	prefix bool // the last word may be the beginning of one
}

// textPhrase matches the values whose text has words in order, with a constant score.
func (b *builder) textPhrase(t target, terms []string, o textPhrase, boost float64) (scorer, error) {
	t, ok := t.textForm()
	if !ok || len(terms) == 0 {
		return nil, nil
	}
	set := b.docSet()
	c := t.v.Column()
	m := b.textMatcher(terms, o)
	err := b.scanStrings(t, 0, t.v.Strings().Len(), m.test, func(ord int) { takeValue(c, ord, &set) })
	return finish(&set, boost, err)
}

// textMatcher looks for a phrase in one text after the other.
type textMatcher struct {
	b      *builder
	phrase phraseScorer
	slots  []slot
	first  []byte // digits that a text must have; nil: it is not known
	tok    analysis.Tokenizer
}

func (b *builder) textMatcher(terms []string, o textPhrase) *textMatcher {
	m := &textMatcher{b: b, slots: make([]slot, len(terms))}
	for i, term := range terms {
		m.slots[i] = slot{key: term, prefix: o.prefix && i == len(terms)-1}
		m.phrase.slots = append(m.phrase.slots, &slotCursor{off: uint32(i)})
	}
	m.phrase.byCost = m.phrase.slots
	if m.phrase.slop = o.slop; len(terms) == 1 {
		m.phrase.slop = 0 // one word is in its place
	} else if o.slop > 0 {
		m.phrase.repeats = repeats(m.slots)
	}
	if strings.Trim(terms[0], "0123456789") == "" {
		m.first = []byte(terms[0])
	}
	return m
}

// test tells whether a text has the phrase.
func (m *textMatcher) test(text []byte) (ok bool, dead int) {
	if m.first != nil && !bytes.Contains(text, m.first) {
		return false, 0
	}
	for _, s := range m.phrase.slots {
		s.pos = s.pos[:0]
	}
	m.tok.Reset(text)
	for at := uint32(0); m.tok.Next(); at++ {
		m.place(m.tok.Term(), at)
		m.b.tick(1 + len(m.slots)/4)
	}
	for _, s := range m.phrase.slots {
		if len(s.pos) == 0 {
			return false, 0
		}
	}
	if m.phrase.slop == 0 {
		return m.phrase.exact() > 0, 0
	}
	return m.phrase.sloppy() > 0, 0
}

// place notes where a word stands.
func (m *textMatcher) place(term []byte, at uint32) {
	for i, s := range m.slots {
		if string(term) == s.key || s.prefix && hasPrefix(term, s.key) {
			m.phrase.slots[i].pos = append(m.phrase.slots[i].pos, at)
		}
	}
}
