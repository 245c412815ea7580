// This file writes aggregations: their names and meta, and the options that several types have. The options of a family
// are in a file of its own, such as agg_terms.go.

package encode

import (
	"encoding/json"
	"strings"

	"contentedge/edgeserve/engine/query"
)

// aggs writes aggregations by their names.
func (e *encoder) aggs(o object, list []query.Agg) {
	if list == nil {
		return
	}
	named := make(object, len(list))
	for i := range list {
		named[list[i].Name] = e.agg(&list[i])
	}
	o["aggs"] = named
}

func (e *encoder) agg(a *query.Agg) object {
	o := object{}
	if a.Meta != "" {
		o["meta"] = e.decoded(a.Meta)
	}
	e.aggs(o, a.Subs)
	if a.Kind == query.AggFilter {
		o[string(a.Kind)] = e.node(a.Filters.Query)
	} else {
		o[string(a.Kind)] = e.aggOptions(a)
	}
	return o
}

// aggOptions writes the object below the name of an aggregation's type.
func (e *encoder) aggOptions(a *query.Agg) object {
	o := e.aggValues(&a.Values)
	e.buckets(o, a)
	if len(a.Filters.List) > 0 {
		o["filters"] = e.bucketFilters(&a.Filters)
	}
	text(o, "other_bucket_key", a.Filters.Other)
	texts(o, "include", a.Select.Include)
	texts(o, "exclude", a.Select.Exclude)
	switch own := a.Options.(type) {
	case nil:
	case *query.TermsOptions:
		termsOptions(o, own)
	case *query.Significance:
		e.significance(o, own)
	case *query.Histogram:
		e.histogram(o, a, own)
	case *query.Ranges:
		o["ranges"] = array(own.Ranges, e.rangeBounds)
	case *query.Adjacency:
		o["separator"] = own.Separator
	case *query.Composite:
		e.composite(o, own)
	case *query.ExtendedStats:
		o["sigma"] = e.double(own.Sigma)
	case *query.Percentiles:
		e.percentiles(o, own)
	case *query.WeightedAvg:
		o["value"], o["weight"] = e.operand(&own.Value), e.operand(&own.Weight)
	case *query.Pipeline:
		e.pipeline(o, a.Kind, own)
	case *query.Body:
		e.topHits(o, own)
	default:
		e.fail("the aggregation %q has options of a type that no body can hold: %T", a.Name, own)
	}
	return o
}

// aggValues writes the options that say which values an aggregation reads.
func (e *encoder) aggValues(v *query.AggValues) object {
	o := object{}
	text(o, "field", v.Field)
	e.optional(o, "missing", v.Missing)
	text(o, "format", v.Format)
	text(o, "time_zone", v.TimeZone)
	text(o, "value_type", v.ValueType)
	return o
}

// buckets writes which buckets an aggregation returns. The name of an option depends on the type. The interval of a
// date_histogram is written by histogram, as is a fixed interval.
func (e *encoder) buckets(o object, a *query.Agg) {
	b := &a.Buckets
	switch a.Kind {
	case query.AggTerms, query.AggSignificantTerms:
		o["size"], o["min_doc_count"] = whole(b.Size), whole(b.MinDocCount)
	case query.AggHistogram, query.AggDateHistogram:
		o["min_doc_count"] = whole(b.MinDocCount)
	case query.AggComposite:
		o["size"] = whole(b.Size)
	case query.AggSampler:
		o["shard_size"] = whole(b.Size)
	case query.AggAutoDates:
		o["buckets"], o["minimum_interval"] = whole(b.Size), b.Interval
	}
	flag(o, "keyed", b.Keyed)
	if len(b.Order) > 0 {
		o["order"] = array(b.Order, func(k query.AggSort) any { return object{numberPath(a.Subs, k.Path): direction(k.Asc)} })
	}
}

// numberPath writes a path to a number in a bucket, as the parser leaves it. Elasticsearch takes the last dot for the
// dot before the name of a number, so a name such as 99.9 is written in brackets.
func numberPath(list []query.Agg, path string) string {
	if _, part, _ := query.ResolveBucketsPath(list, path); strings.Contains(part, ".") {
		return strings.TrimSuffix(path, "."+part) + "[" + part + "]"
	}
	return path
}

// bucketFilters writes queries whose matches are buckets: an object by name, or an array.
func (e *encoder) bucketFilters(f *query.BucketFilters) any {
	if f.Anonymous {
		return array(f.List, func(f query.NamedFilter) any { return e.node(f.Filter) })
	}
	o := make(object, len(f.List))
	for _, named := range f.List {
		o[named.Name] = e.node(named.Filter)
	}
	return o
}

// array writes each element of a list.
func array[T any](list []T, write func(T) any) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = write(v)
	}
	return out
}

// decoded writes a part of a body that the tree holds as JSON.
func (e *encoder) decoded(text string) (v any) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		e.fail("%q is not JSON: %v", text, err)
	}
	return v
}
