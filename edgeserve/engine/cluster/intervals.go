// This file refuses histograms with too many empty buckets. A node makes all buckets before it counts them: the buckets
// of one small request can take its memory, and the request would be sent to the next node, too.

package cluster

import (
	"encoding/json"
	"errors"
	"strconv"

	"contentedge/edgeserve/engine/aggs"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/search"
)

// nestedIntervals is how many times more empty buckets histograms inside others may have than a response. Which items
// they see is not known beforehand, and a million empty buckets do a node no harm.
const nestedIntervals = 16

// span has the least and the greatest value of a field, if some item has one.
type span struct {
	some        bool
	least, most float64
}

// scope is where an aggregation is.
type scope struct {
	inside bool // of another one
	all    bool // it sees all items, whatever the query
}

// bounded refuses aggregations whose empty buckets are too many.
func (x *Index) bounded(work *scorer.WorkLimit, body *query.Body, list []query.Agg, in scope) error {
	for i := range list {
		a := &list[i]
		if h, ok := a.Options.(*query.Histogram); ok && a.Buckets.MinDocCount == 0 && (a.Kind == query.AggHistogram || a.Kind == query.AggDateHistogram) {
			if err := x.boundedIntervals(work, body, a, h, in); err != nil {
				return err
			}
		}
		below := scope{inside: true, all: in.all || a.Kind == query.AggGlobal}
		if err := x.bounded(work, body, a.Subs, below); err != nil {
			return err
		}
	}
	return nil
}

// boundedIntervals looks at the values of all items first, which it remembers, then at the values of the matches.
func (x *Index) boundedIntervals(work *scorer.WorkLimit, body *query.Body, a *query.Agg, h *query.Histogram, in scope) error {
	bare := query.Agg{Name: a.Name, Kind: a.Kind, Values: a.Values, Buckets: query.BucketOptions{Interval: a.Buckets.Interval}}
	options := *h
	if a.Kind == query.AggDateHistogram && options.Interval == 0 {
		ms, short := calendar[a.Buckets.Interval]
		if !short { // all dates have less than a million such intervals
			return nil
		}
		options.Interval, bare.Buckets.Interval = ms, ""
	}
	if in.inside {
		options.Interval *= nestedIntervals
	}
	bare.Values.Missing, bare.Options = nil, &options
	of, err := x.spanOfAll(work, a.Values.Field)
	if err != nil || !x.tooWide(work, bare, options, a.Values.Missing, of) {
		return err
	}
	if !in.all && body.Query != nil {
		of, err = x.spanOf(work, &query.Body{Query: body.Query, Names: body.Names}, a.Values.Field)
		if err != nil || !x.tooWide(work, bare, options, a.Values.Missing, of) {
			return err
		}
	}
	if in.inside {
		return unsayable("so many empty intervals of a histogram inside other aggregations: give it a min_doc_count of 1, or longer intervals")
	}
	return aggs.ErrTooManyBuckets
}

// calendar has the milliseconds of calendar intervals of which dates may have millions.
var calendar = map[string]float64{"second": 1e3, "minute": 60e3, "hour": 3600e3, "day": 86400e3}

// spanOfAll returns the span of a field in all items. An index does not change.
func (x *Index) spanOfAll(work *scorer.WorkLimit, field string) (span, error) {
	if s, ok := x.spans.Load(field); ok {
		return s.(span), nil
	}
	s, err := x.spanOf(work, &query.Body{}, field)
	if _, is := (fields.Resolver{Reader: x.twin}).Resolve(field); err == nil && is { // other names are any text
		x.spans.Store(field, s)
	}
	return s, err
}

// spanOf asks for the span of a field in what a body matches.
func (x *Index) spanOf(work *scorer.WorkLimit, body *query.Body, field string) (span, error) {
	of := query.AggValues{Field: field}
	body.Aggs = []query.Agg{{Name: "least", Kind: query.AggMin, Values: of}, {Name: "most", Kind: query.AggMax, Values: of}}
	found, err := x.Search(work, body, false)
	if err != nil {
		return span{}, err
	}
	var values struct{ Least, Most struct{ Value *float64 } }
	if err := json.Unmarshal(found.Aggregations, &values); err != nil || values.Least.Value == nil || values.Most.Value == nil {
		return span{}, err
	}
	return span{true, *values.Least.Value, *values.Most.Value}, nil
}

// tooWide reports whether a histogram of such values has more empty buckets than a response may have. The twin counts
// them: the values become bounds that its buckets extend to.
func (x *Index) tooWide(work *scorer.WorkLimit, bare query.Agg, h query.Histogram, missing *query.Value, of span) bool {
	var least, most []*query.Value
	if of.some {
		least, most = append(least, boundOf(of.least)), append(most, boundOf(of.most))
	}
	if missing != nil {
		least, most = append(least, missing), append(most, missing)
	}
	if h.Extended != nil {
		least, most = append(least, h.Extended.Min), append(most, h.Extended.Max)
	}
	outside := false
	wide := func(bounds query.Bounds, hard *query.Bounds) bool {
		options := h
		options.Extended, options.Hard = &bounds, hard
		bare.Options = &options
		_, err := search.Check(scorer.NewWorkLimit(work.Context()), x.twin, &query.Body{Aggs: []query.Agg{bare}})
		outside = outside || err != nil
		return errors.Is(err, aggs.ErrTooManyBuckets)
	}
	for _, from := range least {
		for _, to := range most {
			if wide(query.Bounds{Min: from, Max: to}, h.Hard) {
				return true
			}
			if outside && h.Hard != nil && wide(query.Bounds{Min: orElse(h.Hard.Min, from), Max: orElse(h.Hard.Max, to)}, nil) {
				return true
			}
		}
	}
	return false
}

func orElse(v, other *query.Value) *query.Value {
	if v == nil {
		return other
	}
	return v
}

// boundOf is a value as a bound: dates are whole milliseconds.
func boundOf(f float64) *query.Value {
	return &query.Value{Kind: query.Number, Text: strconv.FormatFloat(f, 'f', -1, 64)}
}
