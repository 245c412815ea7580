// This file compiles span queries. All parts of a span query must have, or claim, the same field.

package compile

import (
	"cmp"
	"fmt"
	"slices"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/problem"
)

// spanCompiler compiles one span query.
type spanCompiler struct {
	compile *Compiler
	work    *scorer.SpanWork
	dfs     map[fieldTerm]int // document frequencies of the terms that score
}

func badSpan(n *query.Span, format string, args ...any) error {
	return &query.Error{Code: problem.BadQuery, Position: -1, Parameter: n.Kind, Message: n.Kind + ": " + fmt.Sprintf(format, args...)}
}

func (c *Compiler) span(n *query.Span, boost float64) (scorer.Scorer, error) {
	s := &spanCompiler{compile: c, work: c.request.SpanWork(), dfs: map[fieldTerm]int{}}
	spans, err := s.spans(n)
	if err != nil {
		return nil, err
	}
	for n.Kind == "field_masking_span" || (n.Kind == "span_near" || n.Kind == "span_or") && len(n.Clauses) == 1 {
		if n.Kind == "field_masking_span" {
			n = n.Match
		} else {
			n = n.Clauses[0]
		}
	}
	f := c.resolver.Reader.Field(n.ClaimedField())
	switch {
	case f == nil:
		return nil, nil
	case f.Type != snapshot.Text:
		return nil, badSpan(n, "%.80q holds no text", n.ClaimedField())
	}
	var keys []fieldTerm
	for k := range s.dfs {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b fieldTerm) int {
		return cmp.Or(cmp.Compare(a.field, b.field), cmp.Compare(a.term, b.term))
	})
	var dfs []int
	for _, k := range keys {
		dfs = append(dfs, s.dfs[k])
	}
	return s.work.SpanScorer(f, spans, dfs, boost, func() string { return s.spanText(n) }), nil
}

func (s *spanCompiler) spans(n *query.Span) (scorer.Spans, error) {
	if err := s.compile.work.Charge(64); err != nil {
		return nil, err
	}
	switch n.Kind {
	case "span_term":
		return s.term(n)
	case "span_multi":
		return s.multi(n)
	}
	return CombineSpans(s.work, n, func(part *query.Span) (scorer.Spans, error) {
		if err := fits(n, part); err != nil {
			return nil, err
		}
		if part == n.Other && n.Kind == "span_not" { // its terms do not score
			counted := s.dfs
			s.dfs = map[fieldTerm]int{}
			defer func() { s.dfs = counted }()
		}
		return s.spans(part)
	})
}

// fits returns an error if a span query cannot combine a part with its other parts.
func fits(n, part *query.Span) error {
	switch {
	case part == n.Match || len(n.Clauses) == 1:
	case part == n.Other:
		if a, b := n.Match.ClaimedField(), part.ClaimedField(); a != b {
			return badSpan(n, "both span queries must have the same field, not %.80q and %.80q", a, b)
		}
	case n.ClaimedField() != part.ClaimedField():
		return badSpan(n, "all clauses must have the same field, not %.80q and %.80q", n.ClaimedField(), part.ClaimedField())
	case part.Kind == "span_gap" && !n.Ordered:
		return badSpan(n, "a span_gap needs in_order")
	}
	return nil
}

// CombineSpans makes the Spans of a span query from the Spans of the span queries inside, in their order. A span_term
// and a span_multi have no span queries inside.
func CombineSpans(w *scorer.SpanWork, n *query.Span, inside func(*query.Span) (scorer.Spans, error)) (scorer.Spans, error) {
	var parts []scorer.Spans
	for _, part := range append([]*query.Span{n.Match, n.Other}, n.Clauses...) {
		if part == nil {
			continue
		}
		spans, err := inside(part)
		if err != nil {
			return nil, err
		}
		parts = append(parts, spans)
	}
	switch n.Kind {
	case "span_gap":
		return w.Gap(n.End), nil
	case "span_first":
		return w.First(parts[0], n.End), nil
	case "span_not":
		return w.Not(parts[0], parts[1], n.Pre, n.Post), nil
	case "span_within":
		return w.Within(parts[1], parts[0]), nil
	case "span_containing":
		return w.Containing(parts[1], parts[0]), nil
	}
	switch {
	case len(parts) == 1: // of a field_masking_span, or of an only clause
		return parts[0], nil
	case n.Kind == "span_or":
		return w.Or(parts), nil
	}
	return w.Near(parts, n.Slop, n.Ordered), nil
}

func (s *spanCompiler) term(n *query.Span) (scorer.Spans, error) {
	t, ok := s.compile.resolver.Resolve(n.Field)
	switch {
	case !ok:
		return nil, nil
	case t.Kind != fields.Text:
		return nil, badSpan(n, "%.80q holds no analyzed text, which span queries need: name a path of text, or use term", n.Field)
	}
	s.compile.work.Charge(scorer.LookupSteps)
	info, ok := t.Field.Terms().Lookup([]byte(n.Value))
	if !ok {
		return nil, nil
	}
	s.dfs[fieldTerm{n.Field, n.Value}] = info.DF
	return s.work.Terms(t.Field, []snapshot.TermInfo{info}), nil
}

// multiTerm says which terms the query in a span_multi finds.
type multiTerm struct {
	field  string
	prefix []byte
	test   scorer.Test
	near   *pattern.Fuzzy // instead of prefix and test
	top    int            // 0 means all terms
}

func (s *spanCompiler) multiTerm(n query.Node) (*multiTerm, error) {
	t := &multiTerm{field: query.TermsField(n)}
	matches := func(m pattern.Matcher, r query.Rewrite) {
		t.prefix, t.test = m.Prefix(), s.compile.request.TestOf(m)
		if r.Kind != query.RewriteScoring {
			t.top = r.Top
		}
	}
	fold := func(anyCase bool) pattern.Fold {
		if anyCase {
			return pattern.FoldASCII
		}
		return pattern.FoldNone
	}
	switch n := n.(type) {
	case *query.Prefix:
		matches(s.compile.field.compileWildcard(pattern.Escape(n.Value)+"*", fold(n.CaseInsensitive)), n.Rewrite)
	case *query.Wildcard:
		matches(s.compile.field.compileWildcard(n.Pattern, fold(n.CaseInsensitive != nil && *n.CaseInsensitive)), n.Rewrite)
	case *query.Regexp:
		r, err := s.compile.compileRegexp(n)
		if err != nil {
			return nil, err
		}
		matches(r, n.Rewrite)
	case *query.Fuzzy:
		m := pattern.CompileFuzzy(n.Value.Text, n.Fuzziness.Of(n.Value.Text), n.PrefixLength)
		if n.NoTranspositions {
			m = m.WithoutSwaps()
		}
		if matches(m, bestOf(n.Spelling)); n.Spelling.Rewrite.Kind == query.RewriteConstant {
			t.top = 0
		}
		t.near = m
	case *query.Range:
		lo, hi := rangeBounds(n)
		if lo == nil && hi == nil {
			return nil, &query.Error{Code: problem.BadQuery, Position: -1, Parameter: "span_multi", Message: "span_multi: the range needs a bound"}
		}
		t.test = func(term []byte, _ int) (bool, int) {
			return (lo == nil || string(term) > lo.Text || lo.Inc && string(term) == lo.Text) &&
				(hi == nil || string(term) < hi.Text || hi.Inc && string(term) == hi.Text), 0
		}
	}
	return t, nil
}

// foundSteps is the cost of copying and sorting a term of a span_multi.
const foundSteps = 32

// found is a term of a span_multi.
type found struct {
	term       string
	info       snapshot.TermInfo
	similarity float64
}

func (s *spanCompiler) multi(n *query.Span) (scorer.Spans, error) {
	m, err := s.multiTerm(n.Terms)
	if err != nil {
		return nil, err
	}
	t, ok := s.compile.resolver.Resolve(m.field)
	switch {
	case !ok:
		return nil, nil
	case t.Kind != fields.Text:
		return nil, badSpan(n, "%.80q holds no analyzed text, which span queries need", m.field)
	}
	var list []found
	take := func(term []byte, similarity float64, info snapshot.TermInfo) bool {
		list = append(list, found{string(term), info, similarity})
		return s.compile.work.Charge(foundSteps) == nil && (m.top > 0 || len(list) <= maxScoredTerms)
	}
	if m.near != nil {
		s.compile.request.ScanNear(t.Field, m.near, func(term []byte, d int, info snapshot.TermInfo) bool {
			return take(term, m.near.Similarity(d, term), info)
		})
	} else {
		var last []byte
		test := func(term []byte, same int) (bool, int) {
			last = term
			return m.test(term, same)
		}
		s.compile.request.ScanTerms(t.Field, m.prefix, test, func(info snapshot.TermInfo) bool { return take(last, 1, info) })
	}
	if m.top > 0 {
		slices.SortStableFunc(list, func(a, b found) int { return cmp.Compare(b.similarity, a.similarity) })
		list = list[:min(len(list), m.top)]
	}
	if len(list) > maxScoredTerms {
		return nil, &query.Error{Code: problem.TooManyClauses, Position: -1, Parameter: n.Kind,
			Message: fmt.Sprintf("span_multi: more than %d terms match: use a longer prefix, or the rewrite method top_terms_N", maxScoredTerms)}
	}
	var infos []snapshot.TermInfo
	for _, f := range list {
		infos = append(infos, f.info)
		s.dfs[fieldTerm{m.field, f.term}] = f.info.DF
	}
	return s.work.Terms(t.Field, infos), nil
}
