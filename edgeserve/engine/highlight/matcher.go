// This file finds the words that a query matches in the text of a field. Lucene's unified highlighter finds them in an
// index of only this text.

package highlight

import (
	"cmp"
	"math/bits"
	"strings"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/scorer"
)

// place is a place in the text where a word is.
type place struct {
	part, start, end int32 // bytes of the part
	position         int32 // words before it, with a gap between values
	inPhrase         bool
}

// word is a word that a leaf matches.
type word struct {
	text   string
	term   bool  // the word is marked wherever it is
	automs []int // automata that accept the word
	phrase bool  // the word may be in a phrase

	seen bool // in this hit
	at   []place
}

// match is a marked word.
type match struct {
	part, start, end int32
	term             string // a word, or the label of an automaton
	frequency        int
}

// matcher has the leaves of a field, sorted as the unified highlighter treats them.
type matcher struct {
	of       fields.Target
	terms    map[string]bool
	automs   []automaton
	wholes   []automaton // automata that also accept whole values
	phrases  []leaf
	inPhrase map[string]bool // words of phrases
	prefixes []string        // prefixes at the end of phrases
	tests    []spanWords     // leaves of spans that compare letters

	known   map[string]*word // words compared before; nil if no leaf matches the word
	seen    []*word          // in this hit
	cost    int              // steps of comparing a word that is not known
	words   tokenizer
	list    []match // scratch
	account *account
}

const (
	// maxKnown limits the words that a matcher remembers for later hits.
	maxKnown = 1 << 14
	// maxTermSet is the greatest number of terms in a set that Lucene rewrites to clauses.
	maxTermSet = 16
	// valueGap is the number of positions between two values.
	valueGap = 100
)

// newMatcher returns the matcher of a field's leaves, or nil if they can match no word.
func newMatcher(of fields.Target, leaves []leaf, acc *account) *matcher {
	m := &matcher{of: of, account: acc, terms: map[string]bool{}, inPhrase: map[string]bool{}, known: map[string]*word{}}
	for _, l := range leaves {
		if l.isPhrase() && !l.hidden {
			m.phrases = append(m.phrases, l)
			for _, w := range l.words {
				m.inPhrase[w] = true
			}
			if l.kind == leafSpans {
				m.tests = l.span.appendTests(m.tests)
			}
			if l.kind == leafPhrasePrefix {
				m.prefixes = append(m.prefixes, l.words[len(l.words)-1])
			}
		}
	}
	for _, l := range leaves {
		if l.kind == leafAutomaton && l.automaton.whole != nil {
			m.wholes = append(m.wholes, l.automaton)
		}
		switch {
		case l.hidden && len(m.phrases) > 0 && (l.kind != leafAutomaton && l.kind != leafTerms): // not seen
		case l.kind == leafPhrase && l.hidden: // its words count as terms
			for _, w := range l.words {
				m.terms[w] = true
			}
		case l.kind == leafPhrasePrefix && l.hidden:
			for _, w := range l.words[:len(l.words)-1] {
				m.terms[w] = true
			}
		case l.kind == leafUnknown, l.kind == leafSpans && l.hidden:
			for _, w := range l.words {
				m.terms[w] = true
			}
		case l.kind == leafTerm:
			m.terms[l.words[0]] = true
		case l.kind == leafTerms:
			m.addSet(l)
		case l.kind == leafAutomaton && l.automaton.single: // Lucene ignores its term if there is a phrase
			if len(m.phrases) == 0 && !l.automaton.absent {
				m.terms[l.automaton.only] = true
			}
		case l.kind == leafAutomaton:
			if l.automaton.loose != nil {
				l.automaton.accept = l.automaton.loose
			}
			m.automs = append(m.automs, l.automaton)
		}
	}
	if len(m.terms) == 0 && len(m.automs) == 0 && len(m.phrases) == 0 {
		return nil
	}
	for _, a := range m.automs {
		m.cost += 2 + a.steps
	}
	if m.cost += 2*len(m.prefixes) + 8*len(m.tests); m.cost == 0 {
		m.knowAll()
	}
	return m
}

// knowAll fills known if all leaves compare words by equality.
func (m *matcher) knowAll() {
	for text := range m.inPhrase {
		m.known[text] = &word{text: text, phrase: true}
	}
	for text := range m.terms {
		m.known[text] = &word{text: text, term: true, phrase: m.inPhrase[text]}
	}
}

func (m *matcher) addSet(l leaf) {
	if len(m.phrases) == 0 && len(l.words) <= maxTermSet {
		for _, w := range l.words {
			m.terms[w] = true
		}
	}
	if len(l.words) > 1 {
		m.automs = append(m.automs, l.automaton)
	}
}

func (l *leaf) isPhrase() bool {
	return l.kind == leafPhrase || l.kind == leafPhrasePrefix || l.kind == leafSpans
}

// find returns the matches in a text, in the order of their places. They are valid until the next call.
func (m *matcher) find(j *joined) []match {
	for _, w := range m.seen {
		w.seen, w.at = false, w.at[:0]
	}
	m.seen = m.seen[:0]
	base, places, before := 0, 0, 0
	for i := range j.parts {
		last, whole := -1, m.whole(j.parts[i].text)
		m.words.tokens(m.of, j.parts[i].text, func(t token) bool {
			steps := 4 + (t.end-before)/2
			last, before = t.position, t.end
			w := m.word(t.term)
			if w == nil && whole {
				w = m.newWord(&word{text: string(t.term), phrase: true})
			}
			if w == nil {
				return m.account.goOn(steps)
			}
			if !w.seen {
				w.seen = true
				m.seen = append(m.seen, w)
			}
			w.at = append(w.at, place{int32(i), int32(t.start), int32(t.end), int32(base + t.position), whole})
			places++
			return m.account.goOn(steps) && m.account.holds(j.bytes+placeBytes*places)
		})
		if before = 0; !m.account.goOn(1) {
			return nil
		}
		base += last + 1 + valueGap
	}
	for i := range m.phrases {
		m.spans(&m.phrases[i])
	}
	return m.matches()
}

// whole reports whether a pattern matches a value but none of its words. All words of the value are then
// marked like words of a phrase.
func (m *matcher) whole(value string) bool {
	for _, a := range m.wholes {
		if !m.account.goOn(len(value)) || !a.whole(value) {
			continue
		}
		accepted := false
		m.words.tokens(m.of, value, func(t token) bool {
			accepted = a.accept(t.term)
			return !accepted && m.account.goOn(4+a.steps)
		})
		if !accepted {
			return true
		}
	}
	return false
}

// newWord remembers a word that no leaf matches by itself. It is marked only in phrases.
func (m *matcher) newWord(w *word) *word {
	if len(m.known) < maxKnown {
		m.known[w.text] = w
	}
	return w
}

func (m *matcher) word(term []byte) *word {
	w, ok := m.known[string(term)]
	if ok || m.cost == 0 {
		return w
	}
	m.account.goOn(m.cost + len(term)*len(m.automs))
	var found word
	found.term, found.phrase = m.terms[string(term)], m.inPhrase[string(term)]
	for i := 0; i < len(m.prefixes) && !found.phrase; i++ {
		found.phrase = strings.HasPrefix(string(term), m.prefixes[i])
	}
	for i := 0; i < len(m.tests) && !found.phrase; i++ {
		found.phrase = m.tests[i].accept(term)
	}
	for i, a := range m.automs {
		if a.accept(term) {
			found.automs = append(found.automs, i)
		}
	}
	if found.term || found.phrase || found.automs != nil {
		found.text = string(term)
		w = new(found)
		m.known[w.text] = w
	} else if m.cost > 0 && len(m.known) < maxKnown {
		m.known[string(term)] = nil
	}
	return w
}

// placeBytes is about the memory of a place in the list of its word, and of its match. Lists double
// when they grow.
const placeBytes = 2 * (20 + 40)

// found has the marked places of a word, as a term or for an automaton.
type found struct {
	at        []place
	term      string
	frequency int
	phrases   bool // only places in phrases count
}

// skip removes places at the beginning of the list that do not count.
func (f *found) skip() {
	for f.phrases && len(f.at) > 0 && !f.at[0].inPhrase {
		f.at = f.at[1:]
	}
}

func (f *found) before(g *found) bool {
	a, b := &f.at[0], &g.at[0]
	return cmp.Or(cmp.Compare(a.part, b.part), cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), strings.Compare(f.term, g.term)) < 0
}

// matches lists the marked places of all words. A word has a match as a term or in phrases, and another
// match for each automaton that accepts it.
func (m *matcher) matches() []match {
	frequency := make([]int, len(m.automs))
	for _, w := range m.seen {
		for _, a := range w.automs {
			frequency[a] += len(w.at)
		}
	}
	queue := scorer.Heap[*found]{Less: (*found).before}
	add := func(f *found) {
		if f.skip(); len(f.at) > 0 {
			queue.Push(f)
		}
	}
	for _, w := range m.seen {
		n := len(w.at)
		if !w.term {
			n = 0
			for _, p := range w.at {
				if p.inPhrase {
					n++
				}
			}
		}
		if add(&found{w.at, w.text, n, !w.term}); !m.account.goOn(16 + len(w.at)/4) {
			return nil
		}
		for _, a := range w.automs {
			add(&found{w.at, m.automs[a].label, frequency[a], false})
		}
	}
	return m.merge(&queue)
}

// merge lists matches in the order of the text.
func (m *matcher) merge(queue *scorer.Heap[*found]) []match {
	m.list = m.list[:0]
	for steps := 16 + 2*bits.Len(uint(len(queue.Items))); len(queue.Items) > 0 && m.account.goOn(steps); {
		f := queue.Items[0]
		p := &f.at[0]
		m.list = append(m.list, match{p.part, p.start, p.end, f.term, f.frequency})
		f.at = f.at[1:]
		if f.skip(); len(f.at) == 0 {
			queue.Pop()
		} else {
			queue.Fix()
		}
	}
	return m.list
}
