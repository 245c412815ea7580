// This file holds the table of aggregation types, and the options that several of them have. The
// options of a type are parsed in a file of its family.

package query

import (
	"slices"
	"strings"

	"contentedge/edgeserve/wire/problem"
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
	AggAdjacency     AggKind = "adjacency_matrix"
	AggDateHistogram AggKind = "date_histogram"
	AggAutoDates     AggKind = "auto_date_histogram"
	AggHistogram     AggKind = "histogram"
	AggRange         AggKind = "range"
	AggDateRange     AggKind = "date_range"
	AggMissing       AggKind = "missing"
	AggGlobal        AggKind = "global"
	AggSampler       AggKind = "sampler"
	AggRareTerms     AggKind = "rare_terms"
	AggComposite     AggKind = "composite"
	AggBucketSort    AggKind = "bucket_sort"
	AggBucketSelect  AggKind = "bucket_selector"
	AggBucketScript  AggKind = "bucket_script"
	AggCumulativeSum AggKind = "cumulative_sum"
	AggDerivative    AggKind = "derivative"
	AggAvgBucket     AggKind = "avg_bucket"
	AggSumBucket     AggKind = "sum_bucket"
	AggMinBucket     AggKind = "min_bucket"
	AggMaxBucket     AggKind = "max_bucket"
	AggStatsBucket   AggKind = "stats_bucket"
	AggExtStatsBuck  AggKind = "extended_stats_bucket"
	AggPercentBucket AggKind = "percentiles_bucket"
	AggSerialDiff    AggKind = "serial_diff"
)

// holding says what an aggregation makes of documents: numbers, a bucket or several.
type holding uint8

const (
	noBuckets holding = iota
	oneBucket
	manyBuckets
)

// aggType is a type of aggregations.
type aggType struct {
	kind    AggKind
	holds   holding
	options []string // in the order of error messages
	parse   func(p *bodyParser, a *Agg, t *aggType, v *value)
	parts   []string // names of its numbers, which orders and pipelines may use; "" is its only one
}

// aggTypes lists the types. init fills it, because the parsers refer to it.
var aggTypes []aggType

func init() {
	aggTypes = []aggType{
		{AggTerms, manyBuckets, strings.Fields("field size order min_doc_count missing include exclude shard_size shard_min_doc_count show_term_doc_count_error execution_hint collect_mode value_type format"), (*bodyParser).termsAgg, nil},
		{AggValueCount, noBuckets, metricOptions, (*bodyParser).metricAgg, single},
		{AggCardinality, noBuckets, strings.Fields("field missing precision_threshold value_type"), (*bodyParser).metricAgg, single},
		{AggMin, noBuckets, metricOptions, (*bodyParser).metricAgg, single},
		{AggMax, noBuckets, metricOptions, (*bodyParser).metricAgg, single},
		{AggAvg, noBuckets, metricOptions, (*bodyParser).metricAgg, single},
		{AggSum, noBuckets, metricOptions, (*bodyParser).metricAgg, single},
		{AggStats, noBuckets, metricOptions, (*bodyParser).metricAgg, strings.Fields("min max avg sum count")},
		{AggExtendedStats, noBuckets, append(metricOptions, "sigma"), (*bodyParser).extendedStatsAgg, extendedParts},
		{AggPercentiles, noBuckets, append(metricOptions, "percents", "keyed", "tdigest", "hdr"), (*bodyParser).percentilesAgg, nil},
		{AggPercentileRanks, noBuckets, append(metricOptions, "values", "keyed", "tdigest", "hdr"), (*bodyParser).percentilesAgg, nil},
		{AggDeviation, noBuckets, append(metricOptions, "compression"), (*bodyParser).metricAgg, single},
		{AggSignificantTerms, manyBuckets, strings.Fields("field size min_doc_count include exclude background_filter " + significanceMeasures + " shard_size shard_min_doc_count execution_hint"), (*bodyParser).significantTermsAgg, nil},
		{AggTopHits, noBuckets, shownMembers, (*bodyParser).topHitsAgg, nil},
		{AggWeightedAvg, noBuckets, strings.Fields("value weight format value_type"), (*bodyParser).weightedAvgAgg, single},
		{AggFilter, oneBucket, nil, (*bodyParser).filterAgg, nil},
		{AggFilters, manyBuckets, strings.Fields("filters other_bucket other_bucket_key"), (*bodyParser).filtersAgg, nil},
		{AggAdjacency, manyBuckets, strings.Fields("filters separator"), (*bodyParser).adjacencyAgg, nil},
		{AggDateHistogram, manyBuckets, strings.Fields("field calendar_interval fixed_interval interval format order min_doc_count missing keyed time_zone offset extended_bounds hard_bounds"), (*bodyParser).dateHistogramAgg, nil},
		{AggAutoDates, manyBuckets, strings.Fields("field buckets minimum_interval format missing time_zone"), (*bodyParser).autoDateHistogramAgg, nil},
		{AggHistogram, manyBuckets, strings.Fields("field interval offset format order min_doc_count missing keyed extended_bounds hard_bounds"), (*bodyParser).histogramAgg, nil},
		{AggRange, manyBuckets, strings.Fields("field ranges keyed missing format"), (*bodyParser).rangeAgg, nil},
		{AggDateRange, manyBuckets, strings.Fields("field ranges keyed missing format time_zone"), (*bodyParser).rangeAgg, nil},
		{AggMissing, oneBucket, strings.Fields("field missing value_type"), (*bodyParser).missingAgg, nil},
		{AggGlobal, oneBucket, nil, (*bodyParser).globalAgg, nil},
		{AggSampler, oneBucket, strings.Fields("shard_size"), (*bodyParser).samplerAgg, nil},
		{AggRareTerms, manyBuckets, strings.Fields("field max_doc_count include exclude missing precision format value_type"), (*bodyParser).rareTermsAgg, nil},
		{AggBucketSort, noBuckets, strings.Fields("sort from size gap_policy"), (*bodyParser).pipelineAgg, nil},
		{AggBucketSelect, noBuckets, strings.Fields("buckets_path script gap_policy"), (*bodyParser).scriptedAgg, nil},
		{AggBucketScript, noBuckets, strings.Fields("buckets_path script gap_policy format"), (*bodyParser).scriptedAgg, single},
		{AggCumulativeSum, noBuckets, strings.Fields("buckets_path format"), (*bodyParser).pipelineAgg, single},
		{AggDerivative, noBuckets, append(pipelineOptions, "unit"), (*bodyParser).pipelineAgg, single},
		{AggSerialDiff, noBuckets, append(pipelineOptions, "lag"), (*bodyParser).pipelineAgg, single},
		{AggAvgBucket, noBuckets, pipelineOptions, (*bodyParser).pipelineAgg, single},
		{AggSumBucket, noBuckets, pipelineOptions, (*bodyParser).pipelineAgg, single},
		{AggMinBucket, noBuckets, pipelineOptions, (*bodyParser).pipelineAgg, single},
		{AggMaxBucket, noBuckets, pipelineOptions, (*bodyParser).pipelineAgg, single},
		{AggStatsBucket, noBuckets, pipelineOptions, (*bodyParser).pipelineAgg, nil},
		{AggExtStatsBuck, noBuckets, append(pipelineOptions, "sigma"), (*bodyParser).pipelineAgg, nil},
		{AggPercentBucket, noBuckets, append(pipelineOptions, "percents", "keyed"), (*bodyParser).pipelineAgg, nil},
		{AggComposite, manyBuckets, strings.Fields("sources size after"), (*bodyParser).compositeAgg, nil},
	}
}

var (
	metricOptions = slices.Clip(strings.Fields("field missing format value_type"))
	single        = []string{""}

	pipelineOptions = slices.Clip([]string{"buckets_path", "gap_policy", "format"})
)

func aggTypeOf(name string) *aggType {
	for i := range aggTypes {
		if string(aggTypes[i].kind) == name {
			return &aggTypes[i]
		}
	}
	return nil
}

// AggKinds returns all types.
func AggKinds() []AggKind {
	kinds := make([]AggKind, len(aggTypes))
	for i, t := range aggTypes {
		kinds[i] = t.kind
	}
	return kinds
}

func aggTypeList() string {
	var names []string
	for _, kind := range AggKinds() {
		names = append(names, string(kind))
	}
	return strings.Join(names, ", ")
}

// aggOptions calls option for each option of a. option may leave one to aggOption.
func (p *bodyParser) aggOptions(a *Agg, t *aggType, v *value, option func(o *value) bool) {
	if v.kind != kindObject {
		p.wrongValue(v, "an object")
		return
	}
	for i := range v.items {
		o := &v.items[i]
		if o.name == "script" && !slices.Contains(t.options, o.name) {
			p.noScript(o)
			return
		}
		if !slices.Contains(t.options, o.name) {
			p.fail(o, problem.UnknownOption, "unknown option %q of a %s aggregation; known options: %s", clip(o.name), a.Kind, strings.Join(t.options, ", "))
			return
		}
		if option == nil || !option(o) {
			p.aggOption(a, o)
		}
	}
}

// aggOption parses an option that means the same in every type.
func (p *bodyParser) aggOption(a *Agg, o *value) {
	switch o.name {
	case "field":
		a.Field = p.fieldName(o)
	case "size":
		a.Size = p.between(o, 1, maxBuckets)
	case "order":
		a.Order = p.aggOrder(a, o)
	case "min_doc_count":
		a.MinDocCount = p.integer(o, 0)
	case "missing":
		a.Missing = new(p.scalar(o))
	case "format":
		a.Format = p.text(o)
	case "keyed":
		a.Keyed = p.bool(o)
	case "time_zone":
		a.TimeZone = p.text(o)
	case "value_type":
		if a.ValueType = p.text(o); !slices.Contains(valueTypes, a.ValueType) {
			p.wrongValue(o, "one of "+strings.Join(valueTypes, ", "))
		}
	case "shard_size": // no effect: there is one shard
		p.integer(o, 1)
	case "shard_min_doc_count": // the same
		p.integer(o, 0)
	default:
		p.fixedOption(o)
	}
}

func (p *bodyParser) aggOrder(a *Agg, v *value) []AggSort {
	var list []AggSort
	if len(v.items) > maxSortKeys {
		p.fail(v, problem.BadAggregation, "%s has more than %d keys", p.path(v), maxSortKeys)
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

// orderPath resolves a sort key to _count, _key or a path of numbers inside of a.
func (p *bodyParser) orderPath(a *Agg, m *value) string {
	switch m.name {
	case "_count", "_key":
		return m.name
	case "_term", "_time":
		return "_key"
	}
	if p.err != nil { // what is inside may have no type
		return ""
	}
	chain, part, ok := FindNumber(a.Subs, m.name)
	if ok {
		for i, in := range chain {
			ok = ok && !in.IsPipeline() && (i == len(chain)-1 || aggTypeOf(string(in.Kind)).holds == oneBucket)
		}
		ok = ok && part != BucketCount
	}
	if !ok {
		p.fail(m, problem.BadAggregation, "%q is nothing to order by: use _count, _key, an aggregation inside that gives one number, or one of stats like \"name.avg\"", clip(m.name))
		return ""
	}
	return printPath(chain, part)
}

func printPath(chain []*Agg, part string) string {
	names := make([]string, len(chain))
	for i, a := range chain {
		names[i] = a.Name
	}
	path := strings.Join(names, ">")
	if part != "" && part != "_count" {
		path += "." + part
	}
	return path
}

// BucketCount is the part of a path that counts buckets.
const BucketCount = "_bucket_count"

// FindNumber resolves a path such as a>b.avg below a list of aggregations: the aggregations of
// the path, and which number of the last. A number that has no name is "". The path of one that
// holds buckets ends in ._count, or with its name if it has one bucket: part is then "_count". With ._bucket_count
// it is how many buckets one of several has. A dot may stand in place of the last >.
func FindNumber(list []Agg, path string) (chain []*Agg, part string, ok bool) {
	for {
		name, rest, more := strings.Cut(path, ">")
		a, part := findAgg(list, name)
		if a == nil {
			return nil, "", false
		}
		chain = append(chain, a)
		t := aggTypeOf(string(a.Kind))
		if below, _ := findAgg(a.Subs, part); !more && below != nil {
			part, rest, more = "", part, true
		}
		if !more {
			part, ok = t.number(a, part)
			return chain, part, ok
		}
		if part != "" || t.holds == noBuckets {
			return nil, "", false
		}
		if list, path = a.Subs, rest; path == "_count" {
			return chain, "_count", true
		}
	}
}

// findAgg finds an aggregation by its name, which a dot and a part, or [part], may follow.
func findAgg(list []Agg, name string) (a *Agg, part string) {
	for i := range list {
		a := &list[i]
		rest, ok := strings.CutPrefix(name, a.Name)
		switch {
		case !ok:
		case rest == "":
			return a, ""
		case rest[0] == '.':
			return a, rest[1:]
		case rest[0] == '[' && rest[len(rest)-1] == ']':
			return a, strings.Trim(rest[1:len(rest)-1], `"'`)
		}
	}
	return nil, ""
}

// number normalizes the name of a number of an aggregation of the type.
func (t *aggType) number(a *Agg, part string) (string, bool) {
	if o, ok := a.Options.(*Percentiles); ok {
		return o.number(part)
	}
	switch {
	case t.holds == manyBuckets && part == BucketCount:
		return part, true
	case t.holds != noBuckets:
		return "_count", part == "_count" || t.holds == oneBucket && (part == "" || part == "doc_count")
	case len(t.parts) == 1 && part == "value":
		return t.parts[0], t.parts[0] == ""
	}
	return part, slices.Contains(t.parts, part)
}
