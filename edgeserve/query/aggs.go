// This file parses aggregations: a name, one type and, in buckets, one level of sub-aggregations.

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

// aggType is what an aggregation of a type may have. The first option is required.
type aggType struct {
	kind    AggKind
	buckets bool // it may hold sub-aggregations
	options []string
}

// aggTypes lists the types; options are in the order of error messages. A filter's is the query.
var aggTypes = []aggType{
	{AggTerms, true, strings.Fields("field size order min_doc_count missing include exclude shard_size show_term_doc_count_error execution_hint collect_mode")},
	{AggValueCount, false, metricOptions},
	{AggCardinality, false, append(metricOptions[:2:2], "precision_threshold")},
	{AggMin, false, metricOptions},
	{AggMax, false, metricOptions},
	{AggAvg, false, metricOptions},
	{AggSum, false, metricOptions},
	{AggStats, false, metricOptions},
	{AggFilter, true, nil},
	{AggFilters, true, strings.Fields("filters other_bucket")},
	{AggDateHistogram, true, strings.Fields("field calendar_interval format order min_doc_count missing keyed time_zone")},
}

var metricOptions = []string{"field", "missing"}

func aggTypeOf(name string) *aggType {
	for i := range aggTypes {
		if string(aggTypes[i].kind) == name {
			return &aggTypes[i]
		}
	}
	return nil
}

func aggTypeList() string {
	names := make([]string, len(aggTypes))
	for i, t := range aggTypes {
		names[i] = string(t.kind)
	}
	return strings.Join(names, ", ")
}

const calendarIntervals = "minute, hour, day, week, month, quarter, year (or 1m, 1h, 1d, 1w, 1M, 1q, 1y)"

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
		case aggTypeOf(m.name) == nil:
			p.fail(m, CodeAggregation, "unknown aggregation type %q; known types: %s", clip(m.name), aggTypeList())
		case typed != nil:
			p.fail(m, CodeAggregation, "%s has two types, %s and %s: an aggregation has one", p.path(v), typed.name, m.name)
		default:
			typed = m
		}
	}
	if typed == nil {
		p.fail(v, CodeAggregation, "%s has no type; known types: %s", p.path(v), aggTypeList())
		return a
	}
	t := aggTypeOf(typed.name)
	a.Kind = t.kind
	p.subAggs(&a, t, subs, parent)
	p.aggOptions(&a, t, typed)
	return a
}

// subAggs parses the sub-aggregations of a. v is nil when the body has none.
func (p *bodyParser) subAggs(a *Agg, t *aggType, v *value, parent *Agg) {
	switch {
	case v == nil:
	case parent != nil && len(v.items) > 0:
		p.fail(v, CodeTooDeep, "aggregations are nested deeper than one level")
	case !t.buckets && len(v.items) > 0:
		p.fail(v, CodeAggregation, "a %s aggregation has no buckets that could hold others", a.Kind)
	default:
		a.Subs = p.aggregations(v, a)
	}
}

func (p *bodyParser) aggOptions(a *Agg, t *aggType, v *value) {
	if a.Kind == AggFilter {
		a.Filter = p.query(v)
		return
	}
	if v.kind != kindObject {
		p.wrongValue(v, "an object")
		return
	}
	if a.Kind == AggTerms {
		a.Size, a.MinDocCount = 10, 1
	}
	for i := range v.items {
		o := &v.items[i]
		if !slices.Contains(t.options, o.name) {
			p.fail(o, CodeUnknownOption, "unknown option %q of a %s aggregation; known options: %s", clip(o.name), a.Kind, strings.Join(t.options, ", "))
			return
		}
		p.aggOption(a, o)
	}
	if a.Kind == AggDateHistogram {
		p.require(v, "calendar_interval")
	}
	p.require(v, t.options[0])
}

func (p *bodyParser) aggOption(a *Agg, o *value) {
	switch o.name {
	case "field":
		a.Field = p.fieldName(o)
	case "size":
		if a.Size = p.integer(o, 1); a.Size > maxBuckets {
			p.fail(o, CodeAggregation, "%s must be at most %d, not %d", p.path(o), maxBuckets, a.Size)
		}
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
	case "calendar_interval":
		if a.Interval = intervals[p.text(o)]; a.Interval == "" {
			p.wrongValue(o, "one of "+calendarIntervals)
		}
	case "format":
		a.Format = p.text(o)
	case "filters":
		p.bucketFilters(a, o)
	case "precision_threshold": // no effect: every count is exact
		p.integer(o, 0)
	case "shard_size": // no effect: there is one shard
		p.integer(o, 1)
	default:
		p.fixedOption(o)
	}
}

// exactList parses exact values. It is never nil on success: an empty include keeps no bucket.
func (p *bodyParser) exactList(v *value) []string {
	if v.kind != kindArray {
		p.wrongValue(v, "an array of exact values: patterns and partitions are not supported")
		return nil
	}
	return p.texts(v, maxValues)
}

func (p *bodyParser) bucketFilters(a *Agg, v *value) {
	if v.kind != kindObject && v.kind != kindArray || len(v.items) == 0 {
		p.wrongValue(v, "an object or array of queries, at least one")
		return
	}
	if p.tooMany(v, "filters", len(v.items), maxClauses) {
		return
	}
	a.Anonymous = v.kind == kindArray
	for i := range v.items {
		m := &v.items[i]
		a.Filters = append(a.Filters, NamedFilter{Name: m.name, Filter: p.query(m)})
	}
}

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

// orderPath resolves a sort key to _count, _key or a sub-aggregation of a: its name if it gives one
// number, else name.value, as in stats.avg.
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

// metricPath resolves a key that begins with the name of s; rest must select a single number.
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
