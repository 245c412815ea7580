// This file is the twin of span queries, which lists all spans of an item, and makes up bodies with span queries.

package searchtest

import (
	"slices"

	"contentedge/edgeserve/engine/query"
)

// stretch is a span: positions from start to before end, and the words that it leaves out.
type stretch struct{ start, end, width int }

func before(a, b stretch) bool { return a.start < b.start || a.start == b.start && a.end < b.end }

// spanQuery is a span query over one item after the other.
type spanQuery struct {
	t   *twin
	dfs map[string]int           // of the terms that count, by field and term
	all map[*query.Span][]string // the terms of each span_term and span_multi
}

// mostSpanTerms is how many terms a span_multi may match.
const mostSpanTerms = 1024

func (t *twin) span(n *query.Span) (hits, error) {
	q := &spanQuery{t, map[string]int{}, map[*query.Span][]string{}}
	if err := q.check(n, true); err != nil {
		return nil, err
	}
	boost := n.Boost
	for n.Kind == "field_masking_span" || len(n.Clauses) == 1 {
		if n.Kind == "field_masking_span" {
			n = n.Match
		} else {
			n = n.Clauses[0]
		}
	}
	f := t.fields[q.field(n)]
	switch {
	case f == nil:
		return t.none(), nil
	case f.typ != textType:
		return nil, errRefused
	}
	idfs := 0.0
	for _, df := range q.dfs {
		idfs += idf(f.docs, df)
	}
	return t.scored(f, max(0, idfs), func(c *cell) float64 {
		freq := 0.0
		for _, s := range q.list(n, slices.Index(f.cells, c)) {
			freq += 1 / (1 + float64(s.width))
		}
		return freq
	}).times(boost), nil
}

func (q *spanQuery) field(n *query.Span) string {
	switch {
	case len(n.Clauses) > 0:
		return q.field(n.Clauses[0])
	case n.Kind == "span_containing" || n.Kind == "span_within":
		return q.field(n.Other)
	case n.Kind == "span_first" || n.Kind == "span_not":
		return q.field(n.Match)
	case n.Kind == "span_multi":
		return n.Terms.(*query.Prefix).Field
	}
	return n.Field
}

// check finds errors, and counts terms unless they are only excluded.
func (q *spanQuery) check(n *query.Span, counts bool) error {
	if n.Kind == "span_term" || n.Kind == "span_multi" {
		name := q.field(n)
		to, ok := q.t.resolve(name)
		if ok && to.kind != onText {
			return errRefused
		}
		if len(q.terms(n)) > mostSpanTerms {
			return errRefused
		}
		for _, term := range q.terms(n) {
			if counts && to.f.df[term] > 0 {
				q.dfs[name+"\x00"+term] = to.f.df[term]
			}
		}
		return nil
	}
	for _, c := range n.Clauses {
		if q.field(c) != q.field(n) {
			return errRefused
		}
		if c.Kind == "span_gap" {
			if !n.Ordered && len(n.Clauses) > 1 {
				return errRefused
			}
			continue
		}
		if err := q.check(c, counts); err != nil {
			return err
		}
	}
	if n.Match != nil && n.Other != nil && q.field(n.Match) != q.field(n.Other) {
		return errRefused
	}
	if n.Match != nil {
		if err := q.check(n.Match, counts); err != nil {
			return err
		}
	}
	if n.Other != nil {
		return q.check(n.Other, counts && n.Kind != "span_not")
	}
	return nil
}

func (q *spanQuery) terms(n *query.Span) (terms []string) {
	if terms, ok := q.all[n]; ok {
		return terms
	}
	defer func() { q.all[n] = terms }()
	to, ok := q.t.resolve(q.field(n))
	if !ok {
		return nil
	}
	for _, term := range to.f.terms {
		if n.Kind == "span_term" && term == n.Value || n.Kind == "span_multi" && equalWild(escaped(n.Terms.(*query.Prefix).Value)+"*", term, sameRune) {
			terms = append(terms, term)
		}
	}
	return terms
}

// list is the spans of an item in order.
func (q *spanQuery) list(n *query.Span, item int) (out []stretch) {
	switch n.Kind {
	case "span_term", "span_multi":
		to, ok := q.t.resolve(q.field(n))
		if !ok || to.f.cells[item] == nil {
			return nil
		}
		for _, term := range q.terms(n) {
			for _, at := range to.f.cells[item].positions(term) {
				out = append(out, stretch{start: at, end: at + 1})
			}
		}
		slices.SortFunc(out, func(a, b stretch) int { return a.start - b.start })
		return out
	case "span_or", "span_near":
		if len(n.Clauses) == 1 {
			return q.list(n.Clauses[0], item)
		}
		var parts [][]stretch
		for _, c := range n.Clauses {
			if c.Kind == "span_gap" {
				parts = append(parts, nil)
			} else {
				parts = append(parts, q.list(c, item))
			}
		}
		switch {
		case n.Kind == "span_or":
			out = slices.Concat(parts...)
			slices.SortStableFunc(out, func(a, b stretch) int {
				if before(a, b) {
					return -1
				}
				return btoi(before(b, a))
			})
			return out
		case n.Ordered:
			return inRow(n, parts)
		}
		return inAnyOrder(parts, n.Slop)
	case "field_masking_span":
		return q.list(n.Match, item)
	}
	for _, s := range q.list(n.Match, item) {
		if n.Kind == "span_first" && s.end <= n.End || n.Kind == "span_not" && !q.overlaps(n, s, item) {
			out = append(out, s)
		}
	}
	if n.Other == nil || n.Kind == "span_not" {
		return out
	}
	little, big := q.list(n.Match, item), q.list(n.Other, item)
	if n.Kind == "span_within" {
		k := 0
		for _, s := range little {
			for k < len(big) && big[k].end < s.end {
				k++
			}
			if k == len(big) {
				break
			}
			if big[k].start <= s.start {
				out = append(out, s)
			}
		}
		return out
	}
	k := 0
	for _, s := range big {
		for k < len(little) && little[k].start < s.start {
			k++
		}
		if k == len(little) {
			break
		}
		if s.end >= little[k].end {
			out = append(out, s)
		}
	}
	return out
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// overlaps looks at the first excluded span that ends after the words before s.
func (q *spanQuery) overlaps(n *query.Span, s stretch, item int) bool {
	for _, x := range q.list(n.Other, item) {
		if x.end > s.start-n.Pre {
			return x.start-n.Post < s.end
		}
	}
	return false
}

// inRow takes for each first span the next spans of the others after it.
func inRow(n *query.Span, parts [][]stretch) (out []stretch) {
	at := make([]int, len(parts))
	first := parts[0]
	if g := n.Clauses[0]; g.Kind == "span_gap" {
		last := 0
		for _, p := range parts {
			for _, s := range p {
				last = max(last, s.end)
			}
		}
		for i := range last {
			first = append(first, stretch{start: i, end: i + g.End})
		}
	}
	for _, s := range first {
		end := s.end
		for i := 1; i < len(parts); i++ {
			next := stretch{start: end, end: end + n.Clauses[i].End}
			if n.Clauses[i].Kind != "span_gap" {
				for at[i] < len(parts[i]) && parts[i][at[i]].start < end {
					at[i]++
				}
				if at[i] == len(parts[i]) {
					return out
				}
				next = parts[i][at[i]]
			}
			s.width += next.start - end
			end = next.end
		}
		if s.width <= n.Slop {
			out = append(out, stretch{s.start, end, s.width})
		}
	}
	return out
}

// inAnyOrder moves the leftmost span on and on.
func inAnyOrder(parts [][]stretch, slop int) (out []stretch) {
	at, last, length := make([]int, len(parts)), -1, 0
	for _, p := range parts {
		if len(p) == 0 {
			return nil
		}
		last, length = max(last, p[0].end), length+p[0].end-p[0].start
	}
	for {
		low := 0
		for i := range parts {
			if before(parts[i][at[i]], parts[low][at[low]]) {
				low = i
			}
		}
		s := parts[low][at[low]]
		if last-s.start-length <= slop {
			out = append(out, stretch{s.start, last, last - s.start})
		}
		if at[low]++; at[low] == len(parts[low]) {
			return out
		}
		next := parts[low][at[low]]
		last, length = max(last, next.end), length+next.end-next.start-(s.end-s.start)
	}
}

// spanClause makes up a span query on one field.
func (a *asker) spanClause() object {
	field := a.textField()
	c := a.spanOn(field, 3)
	if a.oneIn(5) {
		for _, inner := range c {
			if o := inner.(object); len(o) > 1 || o["clauses"] != nil {
				o["boost"] = pick(a.Rand, []float64{0, 0.5, 2})
			}
		}
	}
	return c
}

func (a *asker) spanOn(field string, depth int) object {
	a.near = field
	defer func() { a.near = "" }()
	in := func() any { return a.spanOn(field, depth-1) }
	several := func() []any { return append(a.some(2, in), in()) }
	if depth == 0 || a.oneIn(4) {
		return object{"span_term": object{field: a.word()}}
	}
	switch a.IntN(9) {
	case 0:
		return object{"span_or": object{"clauses": several()}}
	case 1:
		return object{"span_first": object{"match": in(), "end": a.IntN(12)}}
	case 2:
		o := object{"include": in(), "exclude": in()}
		if a.oneIn(2) {
			o["dist"] = a.IntN(3)
		} else {
			option(a, o, 2, "pre", -1, 0, 2)
			option(a, o, 2, "post", 0, 1, 3)
		}
		return object{"span_not": o}
	case 3:
		return object{"span_containing": object{"big": in(), "little": in()}}
	case 4:
		return object{"span_within": object{"big": in(), "little": in()}}
	case 5:
		r := []rune(a.word())
		return object{"span_multi": object{"match": object{"prefix": object{field: string(r[:min(len(r), 1+a.IntN(3))])}}}}
	case 6:
		inner := field
		if field == "Name" { // which every item has: what lacks the field has no length
			inner = pick(a.Rand, a.fields)
		}
		return object{"field_masking_span": object{"query": a.spanOn(inner, depth-1), "field": field}}
	}
	o := object{"clauses": several(), "slop": pick(a.Rand, []int{0, 0, 1, 3, 8, 120})}
	option(a, o, 2, "in_order", true, false)
	if clauses := o["clauses"].([]any); a.oneIn(8) {
		o["clauses"] = slices.Insert(clauses, a.IntN(len(clauses)+1), any(object{"span_gap": object{field: a.IntN(3)}}))
	}
	return object{"span_near": o}
}
