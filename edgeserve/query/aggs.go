// This file parses aggregations. Each has a name and one type. Bucket aggregations may hold
// sub-aggregations, one level deep.

package query

import (
	"slices"
	"strings"
)

// The aggregation types.
const (
	AggTerms         AggKind = "terms"
	AggValueCount    AggKind = "value_count"
	AggCardinality   AggKind = "cardinality"
	AggMin           AggKind = "min"
	AggMax           AggKind = "max"
	AggAvg           AggKind = "avg"
	AggSum           AggKind = "sum"
	AggStats         AggKind = "stats"
	AggFilter        AggKind = "filter"
	AggFilters       AggKind = "filters"
	AggDateHistogram AggKind = "date_histogram"
)

// aggKinds lists every type in the order that error messages use.
var aggKinds = []AggKind{AggTerms, AggValueCount, AggCardinality, AggMin, AggMax, AggAvg, AggSum, AggStats, AggFilter, AggFilters, AggDateHistogram}

// These constants list options for error messages.
const (
	metricOptions     = "field, missing"
	termsOptions      = "field, size, order, min_doc_count, missing, include, exclude, shard_size, show_term_doc_count_error, execution_hint, collect_mode"
	histogramOptions  = "field, calendar_interval, format, order, min_doc_count, missing, keyed, time_zone"
	filtersOptions    = "filters, other_bucket"
	calendarIntervals = "minute, hour, day, week, month, quarter, year (or 1m, 1h, 1d, 1w, 1M, 1q, 1y)"
)

// intervals maps each spelling of a calendar interval to the value of Agg.Interval.
var intervals = map[string]string{
	"minute": "minute", "1m": "minute",
	"hour": "hour", "1h": "hour",
	"day": "day", "1d": "day",
	"week": "week", "1w": "week",
	"month": "month", "1M": "month",
	"quarter": "quarter", "1q": "quarter",
	"year": "year", "1y": "year",
}

// hasBuckets reports whether k is a bucket aggregation. Only those may hold sub-aggregations.
func (k AggKind) hasBuckets() bool {
	return k == AggTerms || k == AggFilter || k == AggFilters || k == AggDateHistogram
}

// aggregations parses an object of named aggregations. parent is nil at the top level.
func (p *bodyParser) aggregations(v *value, parent *Agg) []Agg {
	if v.kind != kindObject {
		p.wrongValue(v, "an object of named aggregations")
		return nil
	}
	list := make([]Agg, 0, min(len(v.items), maxAggs))
	for i := range v.items {
		if p.aggs++; p.aggs > maxAggs {
			p.fail(v, CodeTooManyClauses, "the body has more than %d aggregations", maxAggs)
		}
		if p.err != nil {
			return nil
		}
		list = append(list, p.aggregation(&v.items[i], parent))
	}
	return list
}

// aggregation parses one named aggregation: its type member and its sub-aggregations.
func (p *bodyParser) aggregation(v *value, parent *Agg) Agg {
	a := Agg{Name: v.name}
	if v.name == "" || strings.ContainsAny(v.name, "[]>") {
		p.fail(v, CodeAggregation, "%q cannot name an aggregation: a name is not empty and has no [ ] or >", clip(v.name))
	}
	if v.kind != kindObject {
		p.wrongValue(v, `an object like {"terms":{"field":"Name.keyword"}}`)
		return a
	}
	var typed, subs *value
	for i := range v.items {
		if p.err != nil {
			return a
		}
		switch m := &v.items[i]; {
		case m.name == "aggs" || m.name == "aggregations":
			if subs != nil {
				p.fail(m, CodeAggregation, "aggs and aggregations are the same member: give one of them")
			}
			subs = m
		case !slices.Contains(aggKinds, AggKind(m.name)):
			p.fail(m, CodeAggregation, "unknown aggregation type %q; known types: %s", clip(m.name), kindList())
		case typed != nil:
			p.fail(m, CodeAggregation, "%s has two types, %s and %s: an aggregation has one", p.path(v), typed.name, m.name)
		default:
			typed = m
		}
	}
	if typed == nil {
		p.fail(v, CodeAggregation, "%s has no type; known types: %s", p.path(v), kindList())
		return a
	}
	a.Kind = AggKind(typed.name)
	p.subAggs(&a, subs, parent)
	p.aggOptions(&a, typed)
	return a
}

// kindList formats the aggregation types for an error message.
func kindList() string {
	names := make([]string, len(aggKinds))
	for i, k := range aggKinds {
		names[i] = string(k)
	}
	return strings.Join(names, ", ")
}

// subAggs parses the sub-aggregations of a. v is nil when the body has none.
func (p *bodyParser) subAggs(a *Agg, v *value, parent *Agg) {
	switch {
	case v == nil:
	case parent != nil && len(v.items) > 0:
		p.fail(v, CodeTooDeep, "aggregations are nested deeper than one level")
	case !a.Kind.hasBuckets() && len(v.items) > 0:
		p.fail(v, CodeAggregation, "a %s aggregation has no buckets that could hold others", a.Kind)
	default:
		a.Subs = p.aggregations(v, a)
	}
}

// aggOptions parses the object under the aggregation's type name.
func (p *bodyParser) aggOptions(a *Agg, v *value) {
	if a.Kind == AggFilter {
		a.Filter = p.query(v)
		return
	}
	if v.kind != kindObject {
		p.wrongValue(v, "an object")
		return
	}
	switch a.Kind {
	case AggTerms:
		p.termsAgg(a, v)
	case AggFilters:
		p.filtersAgg(a, v)
	case AggDateHistogram:
		p.dateHistogramAgg(a, v)
	default:
		p.metricAgg(a, v)
	}
	if a.Kind != AggFilters {
		p.require(v, "field")
	}
}

// unknownAgg reports an option that the aggregation type does not support.
func (p *bodyParser) unknownAgg(a *Agg, o *value, known string) {
	p.fail(o, CodeUnknownOption, "unknown option %q of a %s aggregation; known options: %s", clip(o.name), a.Kind, known)
}

func (p *bodyParser) metricAgg(a *Agg, v *value) {
	for i := range v.items {
		switch o := &v.items[i]; {
		case o.name == "field":
			a.Field = p.fieldName(o)
		case o.name == "missing":
			a.Missing = new(p.scalar(o))
		case o.name == "precision_threshold" && a.Kind == AggCardinality: // every count is exact, so the threshold has no effect
			p.integer(o, 0)
		case a.Kind == AggCardinality:
			p.unknownAgg(a, o, metricOptions+", precision_threshold")
		default:
			p.unknownAgg(a, o, metricOptions)
		}
	}
}

func (p *bodyParser) termsAgg(a *Agg, v *value) {
	a.Size, a.MinDocCount = 10, 1
	for i := range v.items {
		switch o := &v.items[i]; o.name {
		case "field":
			a.Field = p.fieldName(o)
		case "size":
			a.Size = p.bucketSize(o)
		case "order":
			a.Order = p.aggOrder(a, o)
		case "min_doc_count":
			a.MinDocCount = p.integer(o, 0)
		case "missing":
			a.Missing = new(p.scalar(o))
		case "include":
			a.Include = p.exactList(o)
		case "exclude":
			a.Exclude = p.exactList(o)
		case "shard_size": // there is one shard, so the size has no effect
			p.integer(o, 1)
		case "show_term_doc_count_error":
			p.oneOf(o, "false")
		case "execution_hint":
			p.oneOf(o, "map", "global_ordinals")
		case "collect_mode":
			p.oneOf(o, "depth_first", "breadth_first")
		default:
			p.unknownAgg(a, o, termsOptions)
		}
	}
}

// bucketSize parses the size of a terms aggregation.
func (p *bodyParser) bucketSize(v *value) int {
	n := p.integer(v, 1)
	if n > maxBuckets {
		p.fail(v, CodeAggregation, "%s must be at most %d, not %d", p.path(v), maxBuckets, n)
	}
	return n
}

// exactList parses an array of exact values. The result is never nil on success: an empty
// include list is valid and keeps no bucket.
func (p *bodyParser) exactList(v *value) []string {
	if v.kind != kindArray {
		p.wrongValue(v, "an array of exact values: patterns and partitions are not supported")
		return nil
	}
	return p.texts(v, maxValues)
}

func (p *bodyParser) dateHistogramAgg(a *Agg, v *value) {
	for i := range v.items {
		switch o := &v.items[i]; o.name {
		case "field":
			a.Field = p.fieldName(o)
		case "calendar_interval":
			if a.Interval = intervals[p.text(o)]; a.Interval == "" {
				p.wrongValue(o, "one of "+calendarIntervals)
			}
		case "format":
			a.Format = p.text(o)
		case "order":
			a.Order = p.aggOrder(a, o)
		case "min_doc_count":
			a.MinDocCount = p.integer(o, 0)
		case "missing":
			a.Missing = new(p.scalar(o))
		case "keyed":
			p.oneOf(o, "false")
		case "time_zone":
			p.utc(o)
		default:
			p.unknownAgg(a, o, histogramOptions)
		}
	}
	p.require(v, "calendar_interval")
}

func (p *bodyParser) filtersAgg(a *Agg, v *value) {
	for i := range v.items {
		switch o := &v.items[i]; o.name {
		case "filters":
			p.bucketFilters(a, o)
		case "other_bucket":
			p.oneOf(o, "false")
		default:
			p.unknownAgg(a, o, filtersOptions)
		}
	}
	p.require(v, "filters")
}

// bucketFilters parses the queries of a filters aggregation: an object of named queries or
// an array.
func (p *bodyParser) bucketFilters(a *Agg, v *value) {
	if v.kind != kindObject && v.kind != kindArray || len(v.items) == 0 {
		p.wrongValue(v, "an object or array of queries, at least one")
		return
	}
	if len(v.items) > maxClauses {
		p.fail(v, CodeTooManyClauses, "%s has %d filters, at most %d are allowed", p.path(v), len(v.items), maxClauses)
		return
	}
	a.Anonymous = v.kind == kindArray
	for i := range v.items {
		m := &v.items[i]
		a.Filters = append(a.Filters, NamedFilter{Name: m.name, Filter: p.query(m)})
	}
}

// aggOrder parses an object like {"_count":"asc"}, or an array of such objects.
func (p *bodyParser) aggOrder(a *Agg, v *value) []AggSort {
	var list []AggSort
	if len(v.items) > maxSortKeys {
		p.fail(v, CodeAggregation, "%s has more than %d keys", p.path(v), maxSortKeys)
		return nil
	}
	p.each(v, func(e *value) {
		if e.kind != kindObject || len(e.items) != 1 {
			p.wrongValue(e, `an object with one key like {"_count":"desc"}`)
			return
		}
		m := &e.items[0]
		list = append(list, AggSort{Path: p.orderPath(a, m), Asc: p.ascending(m)})
	})
	return list
}

// orderPath resolves the sort key m to _count, _key or a sub-aggregation of a: its name if
// it gives one number, else name.value, as in stats.avg.
func (p *bodyParser) orderPath(a *Agg, m *value) string {
	switch m.name {
	case "_count", "_key":
		return m.name
	case "_term", "_time":
		return "_key"
	}
	for i := range a.Subs {
		s := &a.Subs[i]
		if rest, ok := strings.CutPrefix(m.name, s.Name); ok {
			if path, ok := metricPath(s, rest); ok {
				return path
			}
		}
	}
	p.fail(m, CodeAggregation, "%q is nothing to order by: use _count, _key, an aggregation inside that gives one number, or one of stats like \"name.avg\"", clip(m.name))
	return ""
}

// metricPath resolves a sort key that begins with the name of s. rest is the remainder of
// the key. The result is false unless rest selects a single number.
func metricPath(s *Agg, rest string) (string, bool) {
	switch s.Kind {
	case AggTerms, AggFilters, AggDateHistogram:
		return "", false
	case AggFilter:
		return s.Name, rest == "" || rest == "._count"
	case AggStats:
		return s.Name + rest, slices.Contains([]string{".min", ".max", ".avg", ".sum", ".count"}, rest)
	}
	return s.Name, rest == "" || rest == ".value"
}
