// This file finds the spans of span queries in a text.

package highlight

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/compile"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

// spanQuery is a span query.
type spanQuery struct {
	root   *query.Span
	leaves []spanWords
}

// spanLeaf is a span query with the field whose words it marks.
type spanLeaf struct {
	query *spanQuery
	field string // only the words of this field; "": the words of all fields
}

// spanWords is a span_term or span_multi.
type spanWords struct {
	of       *query.Span
	field    string
	masked   bool // a field_masking_span gives its words another field
	accept   func(word []byte) bool
	weight   func(word []byte) float64 // selects the best words; nil means the first words in byte order
	top      int                       // the number of best words; 0 means all
	single   bool                      // as in automaton
	excluded bool                      // it only excludes spans, so its words are not marked
}

// Span adds a span query to each of its fields. If only words of the highlighted field count, the unified highlighter
// may consider the query to be on this field: then it finds spans. Otherwise it marks the words wherever they are.
func (c *clauses) Span(l compile.Leaf, n *query.Span) {
	q := &spanQuery{root: n}
	c.spanWords(q, n, spanWords{})
	var names []string
	for _, l := range q.leaves {
		names = append(names, l.field)
	}
	seen := seenFields(n, nil)
	slices.Sort(seen)
	seen = slices.Compact(seen)
	names = append(names, seen...)
	slices.Sort(names)
	var targets []fields.Target
	for _, name := range slices.Compact(names) {
		if t := c.resolver.OrEmpty(name); t.Kind == fields.Text {
			targets = append(targets, t)
		}
	}
	c.on(targets, l, func(w *leafWriter, t fields.Target) {
		l := leaf{kind: leafSpans, boost: l.Boost, span: &spanLeaf{query: q}}
		hidden := w.hidden
		if !w.anyField {
			l.span.field = t.Name()
			w.hidden = hidden || len(seen) > 1 || seen[0] != t.Name()
		} else if t.Field != targets[0].Field {
			return // all words are added once, with the first field
		}
		l.words = l.span.terms()
		w.add(l)
		w.hidden = hidden
	})
}

// spanWords adds the words of a span query. like has the properties that the enclosing span queries give
// these words.
func (c *clauses) spanWords(q *spanQuery, n *query.Span, like spanWords) {
	if n == nil || c.work.Charge(16) != nil {
		return
	}
	like.of = n
	switch {
	case n.Kind == "span_term":
		like.field, like.accept = n.Field, func(word []byte) bool { return string(word) == n.Value }
		q.leaves = append(q.leaves, like)
	case n.Terms != nil:
		inner := clauses{work: c.work, resolver: c.resolver, compiler: c.compiler}
		c.err = cmp.Or(c.err, c.compiler.Leaves(n.Terms, &inner))
		like.field = query.TermsField(n.Terms)
		for _, found := range inner.list {
			w := &leafWriter{charge: c.work.Charge}
			found.write(w)
			for _, l := range w.list {
				if a := &l.automaton; a.accept != nil {
					like.accept, like.weight, like.single, like.top = a.accept, a.weight, a.single, a.top
					q.leaves = append(q.leaves, like)
				}
			}
		}
	}
	if n.Kind == "field_masking_span" {
		like.masked = like.masked || n.Field != n.Match.ClaimedField()
	}
	for _, part := range n.Clauses {
		c.spanWords(q, part, like)
	}
	c.spanWords(q, n.Match, like)
	like.excluded = like.excluded || n.Kind == "span_not"
	c.spanWords(q, n.Other, like)
}

// seenFields are the fields of a span query that the unified highlighter finds. It looks only into some
// types of queries.
func seenFields(n *query.Span, list []string) []string {
	switch {
	case n.Boost != 1:
	case n.Kind == "span_near", n.Kind == "span_or":
		for _, part := range n.Clauses {
			list = seenFields(part, list)
		}
		return list
	case n.Kind == "field_masking_span", n.Kind == "span_first", n.Kind == "span_not":
		return seenFields(n.Match, list)
	}
	return append(list, n.ClaimedField())
}

// marks reports whether the words of a leaf may be marked.
func (s *spanLeaf) marks(l *spanWords) bool {
	return !l.excluded && (s.field == "" || s.field == l.field)
}

// appendTests appends the leaves that compare letters. It leaves out leaves of a single word, which compare by
// equality, and leaves with words of another field, which are not in the text.
func (s *spanLeaf) appendTests(tests []spanWords) []spanWords {
	for _, l := range s.query.leaves {
		if l.of.Kind != "span_term" && !l.single && s.marks(&l) && !(l.masked && s.field != "") {
			tests = append(tests, l)
		}
	}
	return tests
}

// terms are the words of each span_term that may be marked.
func (s *spanLeaf) terms() (words []string) {
	for i := range s.query.leaves {
		if l := &s.query.leaves[i]; l.of.Kind == "span_term" && s.marks(l) {
			words = append(words, l.of.Value)
		}
	}
	return words
}

// steps is the cost of a word of a text: of comparing it and, if top is set, of sorting it.
func (l *spanWords) steps() int {
	if l.top > 0 {
		return 32
	}
	return 4
}

// find returns the words of a text that a leaf matches.
func (l *spanWords) find(text []string) (found []string) {
	for _, word := range text {
		if l.accept([]byte(word)) {
			found = append(found, word)
		}
	}
	if l.top == 0 || len(found) <= l.top {
		return found
	}
	weight := func(word string) float64 {
		if l.weight == nil {
			return 1
		}
		return l.weight([]byte(word))
	}
	slices.SortFunc(found, func(a, b string) int { return cmp.Or(cmp.Compare(weight(b), weight(a)), strings.Compare(a, b)) })
	return found[:l.top]
}

// each calls f for the spans of a text with the positions of words.
func (q *spanQuery) each(positions map[*query.Span][]uint32, charge func(steps int) error, f func(start, end int, words []int)) {
	w := scorer.TextSpanWork(charge)
	var spans func(n *query.Span) (scorer.Spans, error)
	spans = func(n *query.Span) (scorer.Spans, error) {
		if n.Kind == "span_term" || n.Kind == "span_multi" {
			slices.Sort(positions[n])
			return w.Places(slices.Compact(positions[n])), nil
		}
		return compile.CombineSpans(w, n, spans)
	}
	all, _ := spans(q.root) // words have no errors
	w.EachSpan(all, f)
}

// spanQuery marks the places in a span. Words that only exclude spans count only if another leaf marks them: Lucene's
// index of the text lacks other words.
func (m *matcher) spanQuery(q *spanLeaf) {
	positions := map[*query.Span][]uint32{}
	places := map[int]*place{}
	words := make([]string, 0, len(m.seen))
	at := make(map[string][]place, len(m.seen))
	for _, w := range m.seen {
		words = append(words, w.text)
		at[w.text] = w.at
		for i := range w.at {
			places[int(w.at[i].position)] = &w.at[i]
		}
		m.account.goOn(16 * len(w.at))
	}
	for i := range q.query.leaves {
		l := &q.query.leaves[i]
		if q.field != "" && l.field != q.field {
			continue
		}
		m.account.goOn(l.steps() * len(words))
		for _, word := range l.find(words) {
			for _, p := range at[word] {
				positions[l.of] = append(positions[l.of], uint32(p.position))
			}
			m.account.goOn(8 * len(at[word]))
		}
	}
	q.query.each(positions, m.account.charge, func(_, _ int, words []int) {
		for _, at := range words {
			places[at].inPhrase = true
		}
	})
}

// spanQuery weighs the words of a span query in its spans.
func (p *plain) spanQuery(l *leaf, at map[string][]int, weights map[string]*weighted) {
	positions := map[*query.Span][]uint32{}
	words := l.words
	text := slices.Sorted(maps.Keys(at))
	for i := range l.span.query.leaves {
		s := &l.span.query.leaves[i]
		p.account.goOn(s.steps() * len(text))
		for _, word := range s.find(text) {
			for _, position := range at[word] {
				positions[s.of] = append(positions[s.of], uint32(position))
			}
			p.account.goOn(8 * len(at[word]))
			if l.span.marks(s) {
				words = append(words[:len(words):len(words)], word)
			}
		}
	}
	spans := &spanSet{lasts: map[int]int{}}
	l.span.query.each(positions, p.account.charge, func(start, end int, _ []int) { spans.add(start, end-1) })
	if len(spans.lasts) > 0 {
		p.add(spans, words, l.boost, weights)
	}
}
