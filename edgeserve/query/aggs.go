// This file reads aggregations: named, of one type each, with one level of further
// aggregations inside those that make buckets.

package query

import (
	"slices"
	"strings"
)

// The kinds of aggregations.
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

// aggKinds are all of them, in the order messages list them.
var aggKinds = []AggKind{AggTerms, AggValueCount, AggCardinality, AggMin, AggMax, AggAvg, AggSum, AggStats, AggFilter, AggFilters, AggDateHistogram}

// metricOptions, termsOptions and the like list options for messages.
const (
	metricOptions     = "field, missing"
	termsOptions      = "field, size, order, min_doc_count, missing, include, exclude, shard_size, show_term_doc_count_error, execution_hint, collect_mode"
	histogramOptions  = "field, calendar_interval, format, order, min_doc_count, missing, keyed, time_zone"
	filtersOptions    = "filters, other_bucket"
	calendarIntervals = "minute, hour, day, week, month, quarter, year (or 1m, 1h, 1d, 1w, 1M, 1q, 1y)"
)

// intervals maps the spellings of a calendar interval to the one an Agg holds.
var intervals = map[string]string{
	"minute": "minute", "1m": "minute",
	"hour": "hour", "1h": "hour",
	"day": "day", "1d": "day",
	"week": "week", "1w": "week",
	"month": "month", "1M": "month",
	"quarter": "quarter", "1q": "quarter",
	"year": "year", "1y": "year",
}

// buckets tells whether an aggregation of kind k makes buckets, which can hold others.
func (k AggKind) buckets() bool {
	return k == AggTerms || k == AggFilter || k == AggFilters || k == AggDateHistogram
}

// aggregations reads an object of named aggregations; parent is nil at the top.
func (p *bodyParser) aggregations(v *value, parent *Agg) []Agg {
	if v.kind != kindObject {
		p.wrong(v, "an object of named aggregations")
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

// aggregation reads one: its type's member and, next to it, those inside.
func (p *bodyParser) aggregation(v *value, parent *Agg) Agg {
	a := Agg{Name: v.name}
	if v.name == "" || strings.ContainsAny(v.name, "[]>") {
		p.fail(v, CodeAggregation, "%q cannot name an aggregation: a name is not empty and has no [ ] or >", clip(v.name))
	}
	if v.kind != kindObject {
		p.wrong(v, `an object like {"terms":{"field":"Name.keyword"}}`)
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
	p.subs(&a, subs, parent)
	p.aggOptions(&a, typed)
	return a
}

// kindList gives the kinds for a message.
func kindList() string {
	names := make([]string, len(aggKinds))
	for i, k := range aggKinds {
		names[i] = string(k)
	}
	return strings.Join(names, ", ")
}

// subs reads the aggregations inside a, if any.
func (p *bodyParser) subs(a *Agg, v *value, parent *Agg) {
	switch {
	case v == nil:
	case parent != nil && len(v.items) > 0:
		p.fail(v, CodeTooDeep, "aggregations are nested deeper than one level")
	case !a.Kind.buckets() && len(v.items) > 0:
		p.fail(v, CodeAggregation, "a %s aggregation has no buckets that could hold others", a.Kind)
	default:
		a.Subs = p.aggregations(v, a)
	}
}

// aggOptions reads the object under an aggregation's type.
func (p *bodyParser) aggOptions(a *Agg, v *value) {
	if a.Kind == AggFilter {
		a.Filter = p.query(v)
		return
	}
	if v.kind != kindObject {
		p.wrong(v, "an object")
		return
	}
	switch a.Kind {
	case AggTerms:
		p.termsAgg(a, v)
	case AggFilters:
		p.filtersAgg(a, v)
	case AggDateHistogram:
		p.dateHistogram(a, v)
	default:
		p.metric(a, v)
	}
	if a.Kind != AggFilters {
		p.need(v, "field")
	}
}

// unknownAgg fails on an option the kind does not have.
func (p *bodyParser) unknownAgg(a *Agg, o *value, known string) {
	p.fail(o, CodeUnknownOption, "unknown option %q of a %s aggregation; known options: %s", clip(o.name), a.Kind, known)
}

func (p *bodyParser) metric(a *Agg, v *value) {
	for i := range v.items {
		switch o := &v.items[i]; {
		case o.name == "field":
			a.Field = p.fieldName(o)
		case o.name == "missing":
			a.Missing = new(p.scalar(o))
		case o.name == "precision_threshold" && a.Kind == AggCardinality: // counts are exact
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
			a.Size = p.bucketCount(o)
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
		case "shard_size": // there is one shard
			p.integer(o, 1)
		case "show_term_doc_count_error":
			p.fixed(o, "false")
		case "execution_hint":
			p.fixed(o, "map", "global_ordinals")
		case "collect_mode":
			p.fixed(o, "depth_first", "breadth_first")
		default:
			p.unknownAgg(a, o, termsOptions)
		}
	}
}

// bucketCount reads the size of a terms aggregation.
func (p *bodyParser) bucketCount(v *value) int {
	n := p.integer(v, 1)
	if n > maxBuckets {
		p.fail(v, CodeAggregation, "%s must be at most %d, not %d", p.path(v), maxBuckets, n)
	}
	return n
}

// exactList reads an array of whole values. Nothing in it would leave no bucket in an
// include, so it is never nil.
func (p *bodyParser) exactList(v *value) []string {
	if v.kind != kindArray {
		p.wrong(v, "an array of exact values: patterns and partitions are not supported")
		return nil
	}
	return p.texts(v, maxValues)
}

func (p *bodyParser) dateHistogram(a *Agg, v *value) {
	for i := range v.items {
		switch o := &v.items[i]; o.name {
		case "field":
			a.Field = p.fieldName(o)
		case "calendar_interval":
			if a.Interval = intervals[p.text(o)]; a.Interval == "" {
				p.wrong(o, "one of "+calendarIntervals)
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
			p.fixed(o, "false")
		case "time_zone":
			p.utc(o)
		default:
			p.unknownAgg(a, o, histogramOptions)
		}
	}
	p.need(v, "calendar_interval")
}

func (p *bodyParser) filtersAgg(a *Agg, v *value) {
	for i := range v.items {
		switch o := &v.items[i]; o.name {
		case "filters":
			p.bucketFilters(a, o)
		case "other_bucket":
			p.fixed(o, "false")
		default:
			p.unknownAgg(a, o, filtersOptions)
		}
	}
	p.need(v, "filters")
}

// bucketFilters reads the queries of a filters aggregation, named or in a row.
func (p *bodyParser) bucketFilters(a *Agg, v *value) {
	if v.kind != kindObject && v.kind != kindArray || len(v.items) == 0 {
		p.wrong(v, "an object or array of queries, at least one")
		return
	}
	if len(v.items) > maxClauses {
		p.fail(v, CodeTooManyClauses, "%s has %d filters, at most %d are allowed", p.path(v), len(v.items), maxClauses)
		return
	}
	a.Anon = v.kind == kindArray
	for i := range v.items {
		m := &v.items[i]
		a.Filters = append(a.Filters, NamedFilter{Name: m.name, Filter: p.query(m)})
	}
}

// aggOrder reads {"_count":"asc"}, or an array of such objects.
func (p *bodyParser) aggOrder(a *Agg, v *value) []AggSort {
	var list []AggSort
	if len(v.items) > maxSortKeys {
		p.fail(v, CodeAggregation, "%s has more than %d keys", p.path(v), maxSortKeys)
		return nil
	}
	p.each(v, func(e *value) {
		if e.kind != kindObject || len(e.items) != 1 {
			p.wrong(e, `an object with one key like {"_count":"desc"}`)
			return
		}
		m := &e.items[0]
		list = append(list, AggSort{Path: p.orderPath(a, m), Asc: p.ascending(m)})
	})
	return list
}

// orderPath gives what m orders by: _count, _key, the name of a single-valued
// aggregation inside a, or name.value of one with several.
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

// metricPath tells whether rest, what follows the name of s, selects a number of it.
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
