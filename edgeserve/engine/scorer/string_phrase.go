// This file matches phrases in dates, numbers and booleans, which have no terms, by tokenizing.

package scorer

import (
	"bytes"
	"strings"

	"contentedge/edgeserve/engine/analysis"
)

// TextPhrase matches a phrase in one text after the other.
type TextPhrase struct {
	r      *Request
	phrase phraseScorer
	slots  []Slot
	first  []byte // digits that a match must contain; nil if unknown
	tok    analysis.Tokenizer
}

// TextPhrase returns a matcher for terms in order. With prefix the last may begin a longer word.
func (r *Request) TextPhrase(terms []string, slop int, prefix bool) *TextPhrase {
	m := &TextPhrase{r: r, slots: make([]Slot, len(terms)), phrase: phraseScorer{r: r}}
	for i, term := range terms {
		m.slots[i] = Slot{Key: term, Prefix: prefix && i == len(terms)-1}
		m.phrase.slots = append(m.phrase.slots, &slotCursor{off: uint32(i)})
	}
	m.phrase.byCost = m.phrase.slots
	if m.phrase.slop = slop; len(terms) == 1 {
		m.phrase.slop = 0
	} else if slop > 0 {
		m.phrase.repeats = repeats(m.slots)
	}
	if strings.Trim(terms[0], "0123456789") == "" {
		m.first = []byte(terms[0])
	}
	return m
}

// Test reports whether a text contains the phrase. It implements Test.
func (m *TextPhrase) Test(text []byte, _ int) (ok bool, dead int) {
	if m.first != nil && !bytes.Contains(text, m.first) {
		return false, 0
	}
	for _, s := range m.phrase.slots {
		s.pos = s.pos[:0]
	}
	m.tok.Reset(text)
	for at := uint32(0); m.tok.Next(); at++ {
		m.place(m.tok.Term(), at)
		m.r.Work.Charge(1 + len(m.slots)/4)
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

func (m *TextPhrase) place(term []byte, at uint32) {
	for i, s := range m.slots {
		if string(term) == s.Key || s.Prefix && hasPrefix(term, s.Key) {
			m.phrase.slots[i].pos = append(m.phrase.slots[i].pos, at)
		}
	}
}
