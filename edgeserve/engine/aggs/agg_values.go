// This file groups the values of a column for an aggregation.

package aggs

import (
	"fmt"
	"math"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/snapshot"
)

// valuesSource holds doc values. A group id is an ordinal, or the index of a run of ordinals.
type valuesSource struct {
	v      *snapshot.Values // nil if no item has the field
	col    *snapshot.Column
	kind   fields.TargetKind
	ids    int      // number of groups
	starts []int    // id -> first ordinal, one more than groups; nil means that every ordinal is a group
	below  []uint32 // run of ordinals -> starts below it, from grouped; nil if starts is nil
	zeros  bool     // include groups without documents

	none    int    // id for documents without a value; -1: ignore them
	missing scalar // the value of documents without one
	place   int    // ordinals below missing; also its id if no ordinal has the value
	own     bool

	text []byte // of an ordinal
	seed int    // separates the pooled texts of its keys from the texts of other sources
}

// noGroup is the group of an ordinal that belongs to none.
const noGroup = 1<<32 - 1

type scalar struct {
	text     string
	i        int64
	f        float64
	fraction bool // i does not represent the value
}

func (a *aggregator) valuesSource(agg *query.Agg, path string) (*valuesSource, error) {
	s := &valuesSource{none: -1, seed: a.sources}
	a.sources += 17
	t, ok := a.resolver.Resolve(agg.Values.Field)
	switch {
	case fields.Valueless(agg.Values.Field):
		return nil, badAgg(path, agg, "field", "%.80q has no values that aggregations could read", agg.Values.Field)
	case ok:
		s.v, s.col, s.kind = t.Values, t.Values.Column(), t.Kind
		s.ids = s.col.Distinct
		if err := suits(agg, &t, path); err != nil {
			return nil, err
		}
		if agg.Values.Format != "" && (s.kind == fields.Boolean || s.kind == fields.Keyword) {
			return nil, badAgg(path, agg, "format", "the values of field %.80q have no format: only numbers and dates have", agg.Values.Field)
		}
	default:
		s.kind = unmappedKind(agg.Kind)
		if kind, ok := valueKinds[agg.Values.ValueType]; ok {
			s.kind = kind
		}
		if err := suits(agg, &fields.Target{Kind: s.kind}, path); err != nil {
			return nil, err
		}
	}
	if agg.Values.Missing == nil {
		return s, nil
	}
	if s.missing, ok = a.missing(s, agg); !ok {
		return nil, badAgg(path, agg, "missing", "%.80q does not fit the type of field %.80q", agg.Values.Missing.Text, agg.Values.Field)
	}
	ord, exact := s.find(s.missing)
	s.none, s.place, s.own = ord, ord, !exact
	if s.own {
		s.none = s.ids
		s.ids++
	}
	return s, nil
}

// missing reads the value for documents without one. A date is read in the format and the time zone of the aggregation.
func (a *aggregator) missing(s *valuesSource, agg *query.Agg) (scalar, bool) {
	if s.kind != fields.Date || agg.Values.Missing.Kind == query.Boolean {
		return a.scalar(s, *agg.Values.Missing)
	}
	zone, err := zoneOf(agg, "")
	if err != nil {
		return scalar{}, false
	}
	ms, ok := a.parseDate(agg.Values.Missing, agg.Values.Format, zone)
	return scalar{i: ms, f: float64(ms)}, ok
}

func suits(agg *query.Agg, t *fields.Target, path string) error {
	kind := t.Kind
	switch agg.Kind {
	case query.AggSignificantTerms:
		if kind == fields.Text || kind.IsFraction() {
			return badAgg(path, agg, "field", "%s needs a field of whole values, and %.80q is not one: use its sub-field .keyword or .long", agg.Kind, agg.Values.Field)
		}
	case query.AggTerms, query.AggRareTerms, query.AggValueCount, query.AggCardinality, query.AggMissing:
		if kind == fields.Text {
			return badAgg(path, agg, "field", "field %.80q is analyzed text, whose values cannot be counted: use %.80q", agg.Values.Field, agg.Values.Field+fields.KeywordSuffix)
		}
	case query.AggMedianAbsoluteDeviation:
		if !kind.IsNumber() {
			return badAgg(path, agg, "field", "%s needs a field of numbers, and %.80q is not one", agg.Kind, agg.Values.Field)
		}
	case query.AggDateHistogram, query.AggAutoDates:
		if kind != fields.Date && !kind.IsNumber() {
			return badAgg(path, agg, "field", "%s needs a field of dates or numbers, and %.80q is not one", agg.Kind, agg.Values.Field)
		}
	case query.AggDateRange:
		if kind != fields.Date {
			return badAgg(path, agg, "field", "a date_range needs a field of dates, and %.80q is not one: use range for numbers", agg.Values.Field)
		}
	case query.AggRange:
		if !kind.IsNumber() && kind != fields.Date {
			return badAgg(path, agg, "field", "range needs a field of numbers or dates, and %.80q is not one%s", agg.Values.Field, otherwise(t.Field))
		}
	default:
		if kind == fields.Text || kind == fields.Keyword {
			return badAgg(path, agg, "field", "%s needs a field of numbers, dates or booleans, and %.80q is text%s", agg.Kind, agg.Values.Field, otherwise(t.Field))
		}
	}
	return nil
}

func otherwise(f *snapshot.Field) string {
	if f == nil || f.Sub(snapshot.SubDouble) == nil {
		return ""
	}
	return fmt.Sprintf(": use %.80q", f.Path+"."+snapshot.SubDouble.String())
}

// valueKinds are the kinds that value_type names.
var valueKinds = map[string]fields.TargetKind{
	"string": fields.Keyword, "date": fields.Date, "boolean": fields.Boolean,
	"byte": fields.Long, "short": fields.Long, "integer": fields.Long, "long": fields.Long,
	"float": fields.Double, "double": fields.Double, "number": fields.Double, "numeric": fields.Double,
}

func unmappedKind(k query.AggKind) fields.TargetKind {
	switch k {
	case query.AggTerms, query.AggRareTerms, query.AggValueCount, query.AggCardinality, query.AggMissing, query.AggSignificantTerms:
		return fields.Keyword
	case query.AggDateHistogram, query.AggDateRange, query.AggAutoDates:
		return fields.Date
	}
	return fields.Long
}

func (a *aggregator) scalar(s *valuesSource, v query.Value) (scalar, bool) {
	switch {
	case s.kind == fields.Keyword:
		return scalar{text: v.Text}, true
	case s.kind == fields.Boolean && v.Text == "true":
		return scalar{i: 1, f: 1}, true
	case s.kind == fields.Boolean:
		return scalar{}, v.Text == "false"
	case s.kind == fields.Date && v.Kind != query.Number:
		ms, ok := analysis.ParseDate(v.Text, false, a.compiler.Clock.Now)
		return scalar{i: ms, f: float64(ms)}, ok && v.Kind == query.String
	}
	f, i, whole, ok := analysis.ParseNumber(v.Text)
	if !whole && s.kind == fields.Date {
		i, whole = toMillis(f), true
	}
	return scalar{i: i, f: f, fraction: !whole}, ok && !math.IsInf(f, 0)
}

// find returns the first ordinal whose value is at least v, and whether the value equals v.
func (s *valuesSource) find(v scalar) (ord int, exact bool) {
	if s.col == nil {
		return 0, false
	}
	if s.kind == fields.Keyword {
		return s.v.Strings().Find([]byte(v.text))
	}
	n := s.v.Numbers()
	if s.kind.IsFraction() || v.fraction {
		ord = n.FindFloat(v.f)
		return ord, s.kind.IsFraction() && ord < n.Len() && n.Float(ord) == v.f
	}
	ord = n.FindInt(v.i)
	return ord, ord < n.Len() && n.Int(ord) == v.i
}

// ordinals returns the ordinals of a group. The group for missing values may have none.
func (s *valuesSource) ordinals(id int) (lo, hi int) {
	switch {
	case s.col == nil || id < 0:
		return 0, 0
	case s.starts != nil:
		return s.starts[id], s.starts[id+1]
	case id == s.col.Distinct:
		return id, id
	}
	return id, id + 1
}

// runBits is the binary logarithm of the ordinals in a run: few enough for a short search in one, but enough that runs
// are cheap to prepare.
const runBits = 6

// grouped prepares groupOf.
func (c *counter) grouped(s *valuesSource) {
	if s.starts == nil || s.below != nil || s.col == nil {
		return
	}
	runs := s.col.Distinct>>runBits + 2
	c.work.Charge((runs + len(s.starts)) / 8)
	s.below = c.memory.words.list(runs)
	n := 0
	for run := range s.below {
		for n < len(s.starts) && s.starts[n] < run<<runBits {
			n++
		}
		s.below[run] = uint32(n)
	}
}

// groupOf returns the group of an ordinal, or noGroup.
func (s *valuesSource) groupOf(ord uint32) uint32 {
	run := ord >> runBits
	lo, hi := s.below[run], s.below[run+1]
	for lo < hi {
		if m := (lo + hi) / 2; s.starts[m] <= int(ord) {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo == uint32(len(s.starts)) {
		return noGroup
	}
	return lo - 1 // noGroup below the first start
}

// isOwn reports whether a group has no ordinals: it holds only documents without a value.
func (s *valuesSource) isOwn(id int) bool { return s.own && id == s.none }

func (s *valuesSource) number(id int) float64 {
	if s.isOwn(id) {
		return s.missing.f
	}
	return s.v.Numbers().Float(id)
}

func (s *valuesSource) integer(id int) int64 {
	if s.isOwn(id) {
		return s.missing.i
	}
	return s.v.Numbers().Int(id)
}

// appendText writes the string of an ordinal as JSON.
func (a *aggregator) appendText(dst []byte, s *valuesSource, ord int) []byte {
	all, kept := s.v.Strings(), &a.memory.texts[(ord+s.seed)%len(a.memory.texts)]
	if kept.of == all && kept.ord == ord {
		return append(dst, kept.json...)
	}
	from := len(dst)
	s.text = all.At(ord, s.text[:0])
	if dst = appendJSONBytes(dst, s.text); len(dst)-from <= maxKeptKey && !all.Lacking() {
		kept.of, kept.ord, kept.json = all, ord, append(kept.json[:0], dst[from:]...)
	}
	return dst
}

func (s *valuesSource) fractions() bool {
	return s.missing.fraction || s.kind.IsFraction()
}

func (s *valuesSource) zeroIDs() int {
	if s.zeros {
		return s.ids
	}
	return 0
}

// lastDate limits the times that are distinguished, so that no interval overflows int64.
const lastDate = 1 << 62

func toMillis(f float64) int64 { return int64(min(max(f, -lastDate), lastDate)) }
