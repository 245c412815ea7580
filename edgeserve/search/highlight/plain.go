// This file is the plain highlighter, Lucene's first one: it weighs the words of each value alone
// and cuts the value into fragments of about one size.

package highlight

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/fields"
)

// plain is the plain highlighter of a field.
type plain struct {
	*query.HighlightField
	of      fields.Target
	leaves  []leaf
	waitFor int // as Lucene's: no fragment begins before this position, in later values and hits either
	words   tokenizer
	exact   map[string]bool // what words are compared with
	any     bool            // by more than equality
	work    int
	charge  func(steps int) error
}

func newPlain(of fields.Target, o *query.HighlightField, leaves []leaf, charge func(steps int) error) *plain {
	p := &plain{HighlightField: o, of: of, leaves: leaves, charge: charge, exact: map[string]bool{}}
	for _, l := range leaves {
		p.any = p.any || l.kind == leafAutomaton && !l.opaque || l.kind == leafPhrasePrefix || l.kind == leafSpans
		for _, w := range l.words {
			p.exact[w] = true
		}
	}
	return p
}

func (p *plain) begin() { p.waitFor = none }

func (p *plain) idle() bool { return len(p.leaves) == 0 && p.NoMatchSize <= 0 }

// plainWord is a word of a value, in bytes.
type plainWord struct {
	text       string
	start, end int
	matters    bool // it is compared
}

// weighted is what a word counts.
type weighted struct {
	weight   float32
	inPhrase bool // it counts in spans only
	spans    []*spanSet
}

// fragment is a cut of a value that has been marked.
type fragment struct {
	text  string
	score float32
	place int
}

// highlight returns the fragments of the values of a field.
func (p *plain) highlight(values []string) (fragments []string, steps int) {
	var list []fragment
	limit := max(1, p.Fragments)
	p.work = 0
	for _, v := range values {
		found := p.value(v)
		slices.SortStableFunc(found, func(a, b fragment) int {
			return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.place, b.place))
		})
		for _, f := range found[:min(len(found), limit)] {
			if f.score > 0 {
				list = append(list, f)
			}
		}
	}
	if p.ByScore {
		introSort(list, func(a, b fragment) int { return int(math.Floor(float64(b.score-a.score) + 0.5)) })
	}
	if p.Fragments != 0 || len(values) <= 1 {
		list = list[:min(len(list), limit)]
	}
	for _, f := range list {
		fragments = append(fragments, f.text)
		p.work += len(f.text) / 2
	}
	if fragments == nil && p.NoMatchSize > 0 && len(values) > 0 {
		if text := p.beginning(values[0]); text != "" {
			fragments = []string{text}
		}
	}
	return fragments, p.work
}

// beginning is the words of a text up to a size.
func (p *plain) beginning(text string) string {
	part := part{text: text}
	part.count()
	end, done := 0, false
	p.words.tokens(p.of, text, func(t token) {
		if done {
			return
		}
		if n := part.unit(t.end); n <= p.NoMatchSize {
			end = t.end
			done = n == p.NoMatchSize
		} else {
			done = true
		}
	})
	p.work += len(text)
	return text[:end]
}

// fragmentSteps is the cost of a fragment beside its words: it is made, and sorted by its score.
const fragmentSteps = 24

// value marks a value and cuts it.
func (p *plain) value(text string) (list []fragment) {
	var ws []plainWord
	at := map[string][]int{} // positions
	p.work += len(text)
	p.words.tokens(p.of, text, func(t token) {
		w := plainWord{start: t.start, end: t.end}
		if p.any || p.exact[string(t.term)] {
			w.text, w.matters = string(t.term), true
			at[w.text] = append(at[w.text], len(ws))
		}
		ws = append(ws, w)
	})
	p.work += 12*len(ws) + 16*len(at)
	cut := fragmenter{plain: p, part: part{text: text}, weights: p.weigh(at), size: p.FragmentSize, fragments: 1, position: -1}
	cut.part.count()
	cut.run(ws)
	p.work += fragmentSteps * len(cut.list)
	return cut.list
}

// weigh compares the words of a value with the leaves, in the order in which Lucene does: what
// comes later counts.
func (p *plain) weigh(at map[string][]int) map[string]*weighted {
	weights := map[string]*weighted{}
	known := false // a word that may not stand in the value
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
		case l.opaque:
		case l.kind == leafTerms: // Lucene does not look into a set of so many
		case l.kind == leafAutomaton:
			for text := range at {
				p.work += 4 + l.steps + len(text)
				if l.accept([]byte(text)) {
					weight := l.boost
					if l.weight != nil {
						weight *= l.weight([]byte(text))
					}
					term(text, weight)
				}
			}
		default:
			p.phrase(l, at, weights)
		}
	}
	return weights
}

// phrase weighs the words of a phrase by the spans where they stand in it.
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
		p.work += 2 * len(at)
		slices.Sort(slotWords[last])
		if slotWords[last] = slotWords[last][:min(len(slotWords[last]), max(1, l.expansions))]; len(slotWords[last]) == 0 {
			slotWords = slotWords[:last] // what comes before counts alone
		}
	}
	if len(slotWords) == 0 {
		return
	}
	n := nearSpans{slots: make([][]slotPlace, len(slotWords)), slop: l.slop, charge: p.charge}
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

// add lets words count in spans.
func (p *plain) add(spans *spanSet, words []string, boost float64, weights map[string]*weighted) {
	spans.merge()
	p.work += 4 * len(spans.lasts)
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
