// This file is the plain highlighter, Lucene's first one: it weighs the words of each value separately and cuts the
// value into fragments of about one size.

package highlight

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

// plain is the plain highlighter of a field.
type plain struct {
	options *query.HighlightField
	of      fields.Target
	leaves  []leaf
	waitFor int // no fragment begins before this position. As in Lucene, later values and hits keep it
	words   tokenizer
	exact   map[string]bool // words of the leaves
	any     bool            // a leaf compares words by more than equality
	account *account
}

func newPlain(of fields.Target, o *query.HighlightField, leaves []leaf, acc *account) *plain {
	p := &plain{options: o, of: of, leaves: leaves, account: acc, exact: map[string]bool{}}
	for _, l := range leaves {
		p.any = p.any || l.kind == leafAutomaton && !l.automaton.opaque || l.kind == leafPhrasePrefix || l.kind == leafSpans
		for _, w := range l.words {
			p.exact[w] = true
		}
	}
	return p
}

func (p *plain) begin() { p.waitFor = none }

func (p *plain) idle() bool { return len(p.leaves) == 0 && p.options.NoMatchSize <= 0 }

// plainWord is a word of a value, in bytes.
type plainWord struct {
	text       string
	start, end int
	candidate  bool // a leaf may match it
}

// weighted is the weight of a word in a value.
type weighted struct {
	weight   float32
	inPhrase bool // the word counts only in spans
	spans    []*spanSet
}

// fragment is a piece of a value with its matches marked.
type fragment struct {
	text  string
	score float32
	place int
}

// after reports whether f comes after g. Of too many fragments, the last are left out.
func (f fragment) after(g fragment) bool {
	return f.score < g.score || f.score == g.score && f.place > g.place
}

// append appends the fragments of the values of a field.
func (p *plain) append(dst []byte, values []string) []byte {
	var list []fragment
	limit, held := max(1, p.options.Fragments), 0
	for _, v := range values {
		best := p.value(v, limit, held)
		if !p.account.goOn(0) {
			return dst
		}
		slices.SortFunc(best, func(a, b fragment) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.place, b.place)) })
		list = append(list, best...)
		for _, f := range best {
			held += len(f.text) + fragmentBytes
		}
	}
	if p.options.ByScore {
		introSort(list, func(a, b fragment) int { return int(query.LongOf(math.Floor(float64(b.score-a.score) + 0.5))) })
	}
	if p.options.Fragments != 0 || len(values) <= 1 {
		list = list[:min(len(list), limit)]
	}
	out := stringList{dst: dst, from: len(dst)}
	for _, f := range list {
		if out.add([]byte(f.text)); !p.account.goOn(len(f.text)/2) || !p.account.fits(out.len()) {
			return dst
		}
	}
	if len(list) == 0 && p.options.NoMatchSize > 0 && len(values) > 0 {
		if text := p.beginning(values[0]); text != "" {
			out.add([]byte(text))
		}
	}
	return out.end()
}

// beginning returns the first words of a text, up to the size NoMatchSize.
func (p *plain) beginning(text string) string {
	part := part{text: text}
	part.count()
	end := 0
	p.words.tokens(p.of, text, func(t token) bool {
		n := part.unit(t.end)
		if n <= p.options.NoMatchSize {
			end = t.end
		}
		return n < p.options.NoMatchSize && p.account.goOn(8)
	})
	p.account.goOn(len(text))
	return text[:end]
}

// fragmentSteps is the cost of making a fragment and sorting it by its score, without its words.
const fragmentSteps = 24

// wordBytes is about the memory of a word of a value, in a list that doubles when it grows.
const wordBytes = 2 * (40 + 8)

// value marks a value and cuts it into fragments. It returns the best fragments with matches, in any
// order. held is the number of bytes of the fragments of other values.
func (p *plain) value(text string, limit, held int) []fragment {
	var ws []plainWord
	at := map[string][]int{} // word → positions
	before := 0
	p.words.tokens(p.of, text, func(t token) bool {
		w := plainWord{start: t.start, end: t.end}
		if p.any || p.exact[string(t.term)] {
			w.text, w.candidate = string(t.term), true
			at[w.text] = append(at[w.text], len(ws))
		}
		ws = append(ws, w)
		steps := 12 + t.end - before
		before = t.end
		return p.account.goOn(steps) && p.account.holds(held+len(text)+wordBytes*len(ws))
	})
	if !p.account.goOn(16 * len(at)) {
		return nil
	}
	cut := fragmenter{plain: p, part: part{text: text}, weights: p.weigh(text, at), size: p.options.FragmentSize, fragments: 1, position: -1,
		limit: limit, best: scorer.Heap[fragment]{Less: fragment.after}, otherBytes: held + len(text) + wordBytes*len(ws)}
	cut.part.count()
	cut.run(ws)
	return cut.best.Items
}

// weigh compares the words of a value with the leaves, in Lucene's order. If a word gets several weights, the last
// counts.
func (p *plain) weigh(value string, at map[string][]int) map[string]*weighted {
	weights := map[string]*weighted{}
	known := false // an earlier leaf has words, even if the value has none
	term := func(text string, weight float64) {
		if at[text] != nil {
			weights[text] = &weighted{weight: float32(weight)}
		}
	}
	for i := range p.leaves {
		switch l := &p.leaves[i]; {
		case l.kind == leafTerm, l.kind == leafTerms && len(l.words) <= maxTermSet:
			known = known || len(l.words) > 0
			for _, w := range l.words {
				term(w, l.boost)
			}
		case l.kind == leafUnknown:
			if !known && len(weights) == 0 {
				known = len(l.words) > 0
				for _, w := range l.words {
					term(w, 1)
				}
			}
		case l.kind == leafSpans:
			p.spanQuery(l, at, weights)
		case l.automaton.opaque:
		case l.kind == leafTerms: // Lucene does not look into a set with more terms
		case l.kind == leafAutomaton:
			accepted := false
			for text := range at {
				if !p.account.goOn(4 + l.automaton.steps + len(text)) {
					return weights
				}
				if l.automaton.accept([]byte(text)) {
					accepted = true
					weight := l.boost
					if l.automaton.weight != nil {
						weight *= l.automaton.weight([]byte(text))
					}
					term(text, weight)
				}
			}
			if l.automaton.whole != nil && !accepted && p.account.goOn(len(value)) && l.automaton.whole(value) {
				for text := range at {
					term(text, l.boost)
				}
			}
		default:
			p.phrase(l, at, weights)
		}
	}
	return weights
}

// phrase weighs the words of a phrase in the spans that match the phrase.
func (p *plain) phrase(l *leaf, at map[string][]int, weights map[string]*weighted) {
	slotWords := make([][]string, len(l.words))
	for i, w := range l.words {
		slotWords[i] = []string{w}
	}
	if last := len(l.words) - 1; l.kind == leafPhrasePrefix {
		slotWords[last] = nil
		for text := range at {
			if strings.HasPrefix(text, l.words[last]) {
				slotWords[last] = append(slotWords[last], text)
			}
		}
		p.account.goOn(2 * len(at))
		slices.Sort(slotWords[last])
		if slotWords[last] = slotWords[last][:min(len(slotWords[last]), max(1, l.expansions))]; len(slotWords[last]) == 0 {
			slotWords = slotWords[:last] // without words for the prefix, only the words before it count
		}
	}
	if len(slotWords) == 0 {
		return
	}
	n := nearSpans{slots: make([][]slotPlace, len(slotWords)), slop: l.slop, charge: p.account.charge}
	for i, texts := range slotWords {
		for _, text := range texts {
			for _, position := range at[text] {
				n.slots[i] = append(n.slots[i], slotPlace{position: int32(position)})
			}
		}
		if n.slots[i] == nil {
			return
		}
		slices.SortFunc(n.slots[i], func(a, b slotPlace) int { return cmp.Compare(a.position, b.position) })
	}
	spans := &spanSet{lasts: map[int]int{}}
	n.each(func(at []int) {
		first, last := math.MaxInt, 0
		for i, k := range at {
			position := int(n.slots[i][k].position)
			first, last = min(first, position), max(last, position)
		}
		spans.add(first, last)
	})
	if len(spans.lasts) == 0 {
		return
	}
	p.add(spans, slices.Concat(slotWords...), l.boost, weights)
}

// add makes words count in spans.
func (p *plain) add(spans *spanSet, words []string, boost float64, weights map[string]*weighted) {
	spans.merge()
	p.account.goOn(4 * len(spans.lasts))
	seen := map[string]bool{}
	for _, text := range words {
		if seen[text] {
			continue
		}
		seen[text] = true
		w := weights[text]
		if w == nil {
			w = &weighted{weight: float32(boost), inPhrase: true}
			weights[text] = w
		}
		w.spans = append(w.spans, spans)
	}
}
