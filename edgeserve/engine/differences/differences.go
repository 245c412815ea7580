// Package differences lists what differs from Elasticsearch 7.10.2, and finds the differences that a search meets.
package differences

import (
	"errors"
	"slices"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/snapshot"
)

// Row is a difference, as a row of a table of the page.
type Row struct {
	What  string // the part of a search or of its response
	Here  string // what it does here, and in Elasticsearch if the difference is not obvious
	Right bool   // Elasticsearch is wrong, not only different

	// meets reports whether a search depends on the difference. nil means that it cannot be seen in a body.
	meets func(s *search) bool
}

// Visible reports whether Meet can find the row.
func (r *Row) Visible() bool { return r.meets != nil }

// Met says what a search meets.
type Met struct {
	Rows    []int        // the indices of rows
	Refused *query.Error // the error of a body that cannot be parsed
}

// Finder finds the differences that searches of an environment meet.
type Finder struct {
	resolver fields.Resolver
	rows     []Row
	long     map[*snapshot.Field]bool // whether a field has texts that Elasticsearch leaves out of its keyword
}

// NewFinder returns a Finder for the content of a snapshot.
func NewFinder(r *snapshot.Reader) *Finder {
	return &Finder{resolver: fields.Resolver{Reader: r}, rows: Rows(), long: map[*snapshot.Field]bool{}}
}

// Meet returns the rows that a search body meets.
func (f *Finder) Meet(raw []byte) (m Met) {
	s := &search{Finder: f}
	b, err := body.ParsePart(raw)
	if err == nil {
		err = b.Window.Check()
	}
	if s.body = b; err != nil {
		s.body = &query.Body{}
		errors.As(err, &m.Refused)
		s.refused = m.Refused
	}
	s.read()
	for i := range f.rows {
		if r := &f.rows[i]; r.meets != nil && r.meets(s) {
			m.Rows = append(m.Rows, i)
		}
	}
	return m
}

// search is a body and what is in it.
type search struct {
	*Finder
	body    *query.Body
	refused *query.Error // nil if the body can be parsed
	uses    []use
	aggs    []placedAgg
	names   []string // the fields that it names
}

// placedAgg is an aggregation, and what is around it.
type placedAgg struct {
	*query.Agg
	inside bool // of several buckets
	auto   bool // inside an auto_date_histogram
}

// read collects the parts of the body.
func (s *search) read() {
	s.names = query.Fields(s.body)
	spans := map[query.Node]bool{} // patterns that a span looks for among words
	query.Walk(s.body, func(p query.Part) {
		if span, ok := p.(*query.Span); ok && span.Terms != nil {
			spans[span.Terms] = true
		}
	})
	query.Walk(s.body, func(p query.Part) {
		if n, ok := p.(query.Node); ok && !spans[n] {
			s.readNode(n)
		}
	})
	s.readAggs(s.body.Aggs, placedAgg{})
}

func (s *search) readAggs(list []query.Agg, around placedAgg) {
	for i := range list {
		a := placedAgg{Agg: &list[i], inside: around.inside, auto: around.auto}
		s.aggs = append(s.aggs, a)
		a.inside = a.inside || a.Kind.Bucketing() == query.ManyBuckets
		a.auto = a.auto || a.Kind == query.AggAutoDates
		s.readAggs(a.Subs, a)
	}
}

// anyAgg reports whether an aggregation of some kinds holds. Without kinds it may have any.
func (s *search) anyAgg(holds func(a *placedAgg) bool, kinds ...query.AggKind) bool {
	return slices.ContainsFunc(s.aggs, func(a placedAgg) bool {
		return (len(kinds) == 0 || slices.Contains(kinds, a.Kind)) && holds(&a)
	})
}

// anyTarget reports whether a name of the body represents a target that holds.
func (s *search) anyTarget(name string, holds func(t *fields.Target) bool) bool {
	return slices.ContainsFunc(s.resolver.Named(name), func(t fields.Target) bool { return holds(&t) })
}

// several reports whether an item has several values of a field.
func (s *search) several(name string) bool {
	return s.anyTarget(name, func(t *fields.Target) bool { return t.Sort != nil && !t.Sort.Single && t.Sort.DocCount > 0 })
}

// of returns a function that reports whether a target has one of several kinds.
func of(kinds ...fields.TargetKind) func(t *fields.Target) bool {
	return func(t *fields.Target) bool { return !t.Metadata && slices.Contains(kinds, t.Kind) }
}

func typed(t *fields.Target) bool { return !t.Metadata && t.Kind.Typed() }
