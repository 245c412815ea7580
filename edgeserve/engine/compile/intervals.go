// This file compiles intervals: rules become sources, and sources walk the words of a field.

package compile

import (
	"fmt"
	"unicode/utf8"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/problem"
)

// maxIntervalTerms limits the terms that a prefix, pattern or misspelt word finds, as in
// Elasticsearch.
const maxIntervalTerms = 128

// ErrTooManyTerms reports a rule of intervals that more terms match.
var ErrTooManyTerms = &query.Error{Code: problem.TooManyClauses, Position: -1, Parameter: "intervals",
	Message: fmt.Sprintf("intervals: more than %d terms match a rule: use a longer prefix, or more letters in a pattern", maxIntervalTerms)}

func badInterval(format string, args ...any) error {
	return &query.Error{Code: problem.BadQuery, Position: -1, Parameter: "intervals", Message: "intervals: " + fmt.Sprintf(format, args...)}
}

func (c *Compiler) intervals(n *query.Intervals, boost float64) (scorer.Scorer, error) {
	if c.unmappedInterval(n) {
		return nil, nil
	}
	b := c.intervalCompiler()
	s, err := b.rule(n.Rule, n.Field)
	if err != nil {
		return nil, err
	}
	spans := b.spans(s, n.Field)
	if b.sources.err != nil {
		return nil, b.sources.err
	}
	return b.work.IntervalScorer(spans, n.Field, s.least, boost), nil
}

func (c *Compiler) intervalCompiler() *intervalCompiler {
	return &intervalCompiler{sources: sources{compile: c, known: map[string]*intervalSource{}}, work: c.request.SpanWork(), found: map[foundKey][]snapshot.TermInfo{}}
}

// unmappedInterval reports whether the query, or a rule outside of filters, names a field that no item has.
func (c *Compiler) unmappedInterval(n *query.Intervals) bool {
	var below func(r *query.IntervalRule) bool
	below = func(r *query.IntervalRule) bool {
		for _, inner := range r.Rules {
			if below(inner) {
				return true
			}
		}
		return r.UseField != "" && c.unmapped(r.UseField)
	}
	return c.unmapped(n.Field) || below(n.Rule)
}

// intervalCompiler compiles one query.
type intervalCompiler struct {
	sources sources
	work    *scorer.SpanWork
	found   map[foundKey][]snapshot.TermInfo
}

// foundKey is a source of words and the field in which its terms were looked up.
type foundKey struct {
	source *intervalSource
	field  string
}

// rule returns the source of a rule. The rule applies to field, unless it has use_field.
func (b *intervalCompiler) rule(r *query.IntervalRule, field string) (*intervalSource, error) {
	if err := b.sources.compile.work.Charge(64); err != nil {
		return nil, err
	}
	if r.UseField != "" {
		field = r.UseField
	}
	if t, ok := b.sources.compile.resolver.Resolve(field); ok && t.Kind != fields.Text {
		return nil, badInterval("%.80q holds no analyzed text, which intervals need: name a path of text, or use term", field)
	}
	s, err := b.unfiltered(r, field)
	if err != nil {
		return nil, err
	}
	if r.UseField != "" {
		s = b.sources.make(intervalSource{kind: fieldSource, text: field, parts: []*intervalSource{s}})
	}
	if r.Filter != nil {
		other, err := b.rule(r.Filter.Rule, field)
		if err != nil {
			return nil, err
		}
		s = b.filtered(s, other, r.Filter.Kind)
	}
	return s, b.sources.err
}

func (b *intervalCompiler) unfiltered(r *query.IntervalRule, field string) (*intervalSource, error) {
	var parts []*intervalSource
	for _, inner := range r.Rules {
		s, err := b.rule(inner, field)
		if err != nil {
			return nil, err
		}
		parts = append(parts, s)
	}
	text := r.Text
	switch r.Kind {
	case "any_of":
		return b.sources.or(parts), nil
	case "match":
		words, err := b.sources.compile.field.words(text)
		if err != nil {
			return nil, err
		}
		for _, w := range words {
			parts = append(parts, b.sources.make(intervalSource{kind: wordSource, text: w}))
		}
	case "prefix":
		text = analysis.Lower(text)
		return b.terms("prefix "+text, pattern.BytePrefix(text)), nil
	case "wildcard":
		text = analysis.Lower(text)
		m := b.sources.compile.field.compileWildcard(text, pattern.FoldNone)
		s := b.terms("wildcard "+text, m)
		if only, ok := m.Only(); ok {
			s.only = string(only)
		}
		return s, nil
	case "fuzzy":
		edits := r.Fuzziness.Of(text)
		text = analysis.Lower(text)
		return b.terms(fmt.Sprintf("fuzzy %d %d %t %s", edits, r.PrefixLength, r.NoTranspositions, text), misspelt(r, text, edits)), nil
	}
	return b.sources.combine(parts, r.MaxGaps, r.Ordered), nil
}

func (b *intervalCompiler) terms(key string, m pattern.Matcher) *intervalSource {
	return b.sources.make(intervalSource{kind: termsSource, text: key, matcher: m})
}

// misspelt matches words similar to a text.
func misspelt(r *query.IntervalRule, text string, edits int) pattern.Matcher {
	if r.PrefixLength >= utf8.RuneCountInString(text) {
		return pattern.LongerBy(text, edits)
	}
	m := pattern.CompileFuzzy(text, edits, r.PrefixLength)
	if r.NoTranspositions {
		m = m.WithoutSwaps()
	}
	return m
}

func (b *intervalCompiler) filtered(s, other *intervalSource, kind string) *intervalSource {
	switch kind {
	case "before":
		return b.sources.related(s, b.sources.of(aroundSource, 0, other), scorer.ContainedBy)
	case "after":
		return b.sources.related(s, b.sources.of(aroundSource, 1, other), scorer.ContainedBy)
	}
	return b.sources.related(s, other, intervalRelations[kind])
}

var intervalRelations = map[string]scorer.Relation{
	"containing": scorer.Containing, "contained_by": scorer.ContainedBy, "overlapping": scorer.Overlapping,
	"not_containing": scorer.NotContaining, "not_contained_by": scorer.NotContainedBy, "not_overlapping": scorer.NotOverlapping,
}

// spans returns Spans over the intervals of a source in a field, or nil without intervals.
func (b *intervalCompiler) spans(s *intervalSource, field string) scorer.Spans {
	if b.sources.compile.work.Charge(16); b.sources.err != nil || b.sources.compile.work.Failed() != nil {
		return nil
	}
	if s.kind == fieldSource {
		field = s.text
	}
	parts := make([]scorer.Spans, len(s.parts))
	for i, p := range s.parts {
		parts[i] = b.spans(p, field)
	}
	switch s.kind {
	case wordSource, termsSource:
		f := b.sources.compile.resolver.Reader.Field(field)
		if f == nil || f.Type != snapshot.Text { // checks of other rules do not cover the field of a rule in a filter
			return nil
		}
		return b.work.Words(f, b.lookup(s, f, field))
	case fieldSource:
		return parts[0]
	case orSource:
		return b.work.AnyOf(parts)
	case orderedSource:
		return b.work.InOrder(parts)
	case unorderedSource:
		return b.work.InAnyOrder(parts)
	case blockSource:
		return b.work.Block(parts)
	case repeatedSource:
		return b.work.Repeated(parts[0], s.n)
	case gapsSource:
		return b.work.MaxGaps(parts[0], s.n)
	case relatedSource:
		return b.work.Related(parts[0], parts[1], scorer.Relation(s.n))
	case aroundSource:
		return b.work.Around(parts[0], s.n == 1)
	}
	return nil
}

// lookup finds the terms of a source in a field. It looks once for each source and field.
func (b *intervalCompiler) lookup(s *intervalSource, f *snapshot.Field, field string) []snapshot.TermInfo {
	key := foundKey{s, field}
	infos, ok := b.found[key]
	if ok {
		return infos
	}
	b.sources.compile.work.Charge(scorer.LookupSteps)
	if s.kind == wordSource {
		if info, ok := f.Terms().Lookup([]byte(s.text)); ok {
			infos = []snapshot.TermInfo{info}
		}
	} else {
		b.sources.compile.request.ScanTerms(f, s.matcher.Prefix(), b.sources.compile.request.TestOf(s.matcher), func(info snapshot.TermInfo) bool {
			infos = append(infos, info)
			return len(infos) <= maxIntervalTerms
		})
	}
	if len(infos) > maxIntervalTerms && b.sources.err == nil {
		b.sources.err = ErrTooManyTerms
	}
	b.found[key] = infos
	return infos
}
