// This file finds the spans of span queries in a text.

package highlight

import (
	"maps"
	"slices"

	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/fields"
	"contentedge/edgeserve/search/iter"
)

// spanQuery is a span query.
type spanQuery struct {
	root   *query.Span
	leaves []spanWords
}

// spanLeaf is a span query as a field sees it: which words it marks.
type spanLeaf struct {
	*spanQuery
	field string // only the words of this one; "": all
}

// spanWords is a span_term or span_multi.
type spanWords struct {
	of       *query.Span
	field    string
	accept   func(word []byte) bool
	excluded bool // it only says where no span is
}

// span adds a span query to each of its fields. Where only the field itself counts, the unified
// highlighter takes the words of one with several fields as they are.
func (c *clauses) span(n *query.Span, boost float64) {
	q := &spanQuery{root: n}
	var names []string
	var walk func(n *query.Span, excluded bool)
	walk = func(n *query.Span, excluded bool) {
		if n == nil || c.charge(16) != nil {
			return
		}
		if n.Kind == "span_term" {
			names = append(names, n.Field)
			q.leaves = append(q.leaves, spanWords{n, n.Field, func(word []byte) bool { return string(word) == n.Value }, excluded})
		} else if n.Terms != nil {
			inner := clauses{resolver: c.resolver, charge: c.charge}
			inner.node(n.Terms, 1)
			for _, found := range inner.list {
				w := &leafWriter{charge: c.charge}
				found.leaves(w, found.targets[0], 1)
				name := found.targets[0].Name()
				names = append(names, name)
				for _, l := range w.list {
					if l.accept != nil {
						q.leaves = append(q.leaves, spanWords{n, name, l.accept, excluded})
					}
				}
			}
		}
		for _, part := range n.Clauses {
			walk(part, excluded)
		}
		walk(n.Match, excluded)
		walk(n.Other, excluded || n.Kind == "span_not")
	}
	walk(n, false)
	slices.Sort(names)
	names = slices.Compact(names)
	for _, name := range names {
		c.on(name, boost, func(w *leafWriter, t fields.Target, boost float64) {
			if t.Kind != fields.Text {
				return
			}
			l := leaf{kind: leafSpans, boost: boost, span: &spanLeaf{spanQuery: q}}
			hidden := w.hidden
			if len(names) > 1 && !w.anyField {
				w.hidden, l.span.field = true, name
			}
			l.words = l.span.terms()
			w.add(l)
			w.hidden = hidden
		})
	}
}

// marks tells whether a word that a leaf finds may be marked.
func (s *spanLeaf) marks(l *spanWords) bool {
	return !l.excluded && (s.field == "" || s.field == l.field)
}

// terms are the words of each span_term that may be marked.
func (s *spanLeaf) terms() (words []string) {
	for i := range s.leaves {
		if l := &s.leaves[i]; l.of.Kind == "span_term" && s.marks(l) {
			words = append(words, l.of.Value)
		}
	}
	return words
}

// each calls f for the spans of a text with the positions of words.
func (q *spanQuery) each(positions map[*query.Span][]uint32, charge func(steps int) error, f func(start, end int, words []int)) {
	w := iter.TextSpanWork(charge)
	w.EachSpan(spansOf(w, q.root, positions), f)
}

func spansOf(w *iter.SpanWork, n *query.Span, positions map[*query.Span][]uint32) iter.Spans {
	of := func(n *query.Span) iter.Spans { return spansOf(w, n, positions) }
	switch n.Kind {
	case "span_term", "span_multi":
		slices.Sort(positions[n])
		return w.Places(slices.Compact(positions[n]))
	case "span_gap":
		return w.Gap(n.End)
	case "span_near", "span_or":
		parts := make([]iter.Spans, len(n.Clauses))
		for i, c := range n.Clauses {
			parts[i] = of(c)
		}
		switch {
		case len(parts) == 1:
			return parts[0]
		case n.Kind == "span_or":
			return w.Or(parts)
		}
		return w.Near(parts, n.Slop, n.Ordered)
	case "span_first":
		return w.First(of(n.Match), n.End)
	case "span_not":
		return w.Not(of(n.Match), of(n.Other), n.Pre, n.Post)
	case "span_within":
		return w.Within(of(n.Other), of(n.Match))
	case "span_containing":
		return w.Containing(of(n.Other), of(n.Match))
	}
	return of(n.Match) // of a field_masking_span
}

// spanQuery marks the places that stand in a span. Words that only say where no span is are not
// seen unless something else marks them, as in Lucene's index of the text.
func (m *matcher) spanQuery(q *spanLeaf) {
	positions := map[*query.Span][]uint32{}
	places := map[int]*place{}
	for _, w := range m.seen {
		for i := range w.at {
			places[int(w.at[i].position)] = &w.at[i]
		}
		for _, l := range q.leaves {
			if m.work += 4; l.accept([]byte(w.text)) {
				for _, p := range w.at {
					positions[l.of] = append(positions[l.of], uint32(p.position))
				}
				m.work += 8 * len(w.at)
			}
		}
		m.work += 16 * len(w.at)
	}
	q.each(positions, m.charge, func(_, _ int, words []int) {
		for _, at := range words {
			places[at].inPhrase = true
		}
	})
}

// spanQuery weighs the words of a span query by the spans where they stand.
func (p *plain) spanQuery(l *leaf, at map[string][]int, weights map[string]*weighted) {
	positions := map[*query.Span][]uint32{}
	words := l.words
	for _, text := range slices.Sorted(maps.Keys(at)) {
		for i := range l.span.leaves {
			s := &l.span.leaves[i]
			if p.work += 4; !s.accept([]byte(text)) {
				continue
			}
			for _, position := range at[text] {
				positions[s.of] = append(positions[s.of], uint32(position))
			}
			p.work += 8 * len(at[text])
			if l.span.marks(s) {
				words = append(words[:len(words):len(words)], text)
			}
		}
	}
	spans := &spanSet{lasts: map[int]int{}}
	l.span.each(positions, p.charge, func(start, end int, _ []int) { spans.add(start, end-1) })
	if len(spans.lasts) > 0 {
		p.add(spans, words, l.boost, weights)
	}
}
