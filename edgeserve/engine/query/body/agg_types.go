// This file holds the table of aggregation types, and the options that several of them have. The
// options of a type are parsed in a file of its family.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
	"slices"
	"strings"
)

// aggParser is how a type of aggregations is parsed.
type aggParser struct {
	kind    query.AggKind
	options []string // in the order of error messages
	parse   func(p *parser, a *query.Agg, t *aggParser, v *strictjson.Value)
}

// aggParsers lists the types. init fills it, because the parsers refer to it.
var aggParsers []aggParser

func init() {
	aggParsers = []aggParser{
		{query.AggTerms, strings.Fields("field size order min_doc_count missing include exclude shard_size shard_min_doc_count show_term_doc_count_error execution_hint collect_mode value_type format"), parseTermsAgg},
		{query.AggValueCount, metricOptions, parseMetricAgg},
		{query.AggCardinality, strings.Fields("field missing precision_threshold value_type"), parseMetricAgg},
		{query.AggMin, metricOptions, parseMetricAgg},
		{query.AggMax, metricOptions, parseMetricAgg},
		{query.AggAvg, metricOptions, parseMetricAgg},
		{query.AggSum, metricOptions, parseMetricAgg},
		{query.AggStats, metricOptions, parseMetricAgg},
		{query.AggExtendedStats, append(metricOptions, "sigma"), parseExtendedStatsAgg},
		{query.AggPercentiles, append(metricOptions, "percents", "keyed", "tdigest", "hdr"), parsePercentilesAgg},
		{query.AggPercentileRanks, append(metricOptions, "values", "keyed", "tdigest", "hdr"), parsePercentilesAgg},
		{query.AggMedianAbsoluteDeviation, append(metricOptions, "compression"), parseMetricAgg},
		{query.AggSignificantTerms, strings.Fields("field size min_doc_count include exclude background_filter " + significanceMeasures + " shard_size shard_min_doc_count execution_hint"), parseSignificantTermsAgg},
		{query.AggTopHits, shownMembers, parseTopHitsAgg},
		{query.AggWeightedAvg, strings.Fields("value weight format value_type"), parseWeightedAvgAgg},
		{query.AggFilter, nil, parseFilterAgg},
		{query.AggFilters, strings.Fields("filters other_bucket other_bucket_key"), parseFiltersAgg},
		{query.AggAdjacency, strings.Fields("filters separator"), parseAdjacencyAgg},
		{query.AggDateHistogram, strings.Fields("field calendar_interval fixed_interval interval format order min_doc_count missing keyed time_zone offset extended_bounds hard_bounds"), parseDateHistogramAgg},
		{query.AggAutoDates, strings.Fields("field buckets minimum_interval format missing time_zone"), parseAutoDateHistogramAgg},
		{query.AggHistogram, strings.Fields("field interval offset format order min_doc_count missing keyed extended_bounds hard_bounds"), parseHistogramAgg},
		{query.AggRange, strings.Fields("field ranges keyed missing format"), parseRangeAgg},
		{query.AggDateRange, strings.Fields("field ranges keyed missing format time_zone"), parseRangeAgg},
		{query.AggMissing, strings.Fields("field missing value_type"), parseMissingAgg},
		{query.AggGlobal, nil, parseGlobalAgg},
		{query.AggSampler, strings.Fields("shard_size"), parseSamplerAgg},
		{query.AggRareTerms, strings.Fields("field max_doc_count include exclude missing precision format value_type"), parseRareTermsAgg},
		{query.AggBucketSort, strings.Fields("sort from size gap_policy"), parsePipelineAgg},
		{query.AggBucketSelector, strings.Fields("buckets_path script gap_policy"), parseScriptedAgg},
		{query.AggBucketScript, strings.Fields("buckets_path script gap_policy format"), parseScriptedAgg},
		{query.AggCumulativeSum, strings.Fields("buckets_path format"), parsePipelineAgg},
		{query.AggDerivative, append(pipelineOptions, "unit"), parsePipelineAgg},
		{query.AggSerialDiff, append(pipelineOptions, "lag"), parsePipelineAgg},
		{query.AggAvgBucket, pipelineOptions, parsePipelineAgg},
		{query.AggSumBucket, pipelineOptions, parsePipelineAgg},
		{query.AggMinBucket, pipelineOptions, parsePipelineAgg},
		{query.AggMaxBucket, pipelineOptions, parsePipelineAgg},
		{query.AggStatsBucket, pipelineOptions, parsePipelineAgg},
		{query.AggExtendedStatsBucket, append(pipelineOptions, "sigma"), parsePipelineAgg},
		{query.AggPercentilesBucket, append(pipelineOptions, "percents", "keyed"), parsePipelineAgg},
		{query.AggComposite, strings.Fields("sources size after"), parseCompositeAgg},
	}
}

var (
	metricOptions = slices.Clip(strings.Fields("field missing format value_type"))

	pipelineOptions = slices.Clip([]string{"buckets_path", "gap_policy", "format"})
)

func aggParserOf(name string) *aggParser {
	for i := range aggParsers {
		if string(aggParsers[i].kind) == name {
			return &aggParsers[i]
		}
	}
	return nil
}

func aggTypeList() string {
	var names []string
	for _, kind := range query.AggKinds() {
		names = append(names, string(kind))
	}
	return strings.Join(names, ", ")
}

// aggOptions calls option for each option of a. option may leave one to aggOption.
func parseAggOptions(p *parser, a *query.Agg, t *aggParser, v *strictjson.Value, option func(o *strictjson.Value) bool) {
	if v.Kind != strictjson.Object {
		p.wrongValue(v, "an object")
		return
	}
	for i := range v.Items {
		o := &v.Items[i]
		if o.Name == "script" && !slices.Contains(t.options, o.Name) {
			parseNoScript(p, o)
			return
		}
		if !slices.Contains(t.options, o.Name) {
			p.fail(o, problem.UnknownOption, "unknown option %q of a %s aggregation; known options: %s", strictjson.Clip(o.Name), a.Kind, strings.Join(t.options, ", "))
			return
		}
		if option == nil || !option(o) {
			parseAggOption(p, a, o)
		}
	}
}

// aggOption parses an option that means the same in every type.
func parseAggOption(p *parser, a *query.Agg, o *strictjson.Value) {
	switch o.Name {
	case "field":
		a.Field = p.fieldName(o)
	case "size":
		a.Size = p.between(o, 1, query.MaxBuckets)
	case "order":
		a.Order = parseAggOrder(p, a, o)
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
		parseFixedOption(p, o)
	}
}

func parseAggOrder(p *parser, a *query.Agg, v *strictjson.Value) []query.AggSort {
	var list []query.AggSort
	if len(v.Items) > maxSortKeys {
		p.fail(v, problem.BadAggregation, "%s has more than %d keys", p.path(v), maxSortKeys)
		return nil
	}
	p.each(v, func(e *strictjson.Value) {
		if e.Kind != strictjson.Object || len(e.Items) != 1 {
			p.wrongValue(e, `an object with one key like {"_count":"desc"}`)
			return
		}
		m := &e.Items[0]
		list = append(list, query.AggSort{Path: parseOrderPath(p, a, m), Asc: parseAscending(p, m)})
	})
	return list
}

// orderPath resolves a sort key to _count, _key or a path of numbers inside of a.
func parseOrderPath(p *parser, a *query.Agg, m *strictjson.Value) string {
	switch m.Name {
	case "_count", "_key":
		return m.Name
	case "_term", "_time":
		return "_key"
	}
	if p.err != nil { // what is inside may have no type
		return ""
	}
	chain, part, ok := query.ResolveBucketsPath(a.Subs, m.Name)
	if ok {
		for i, in := range chain {
			ok = ok && !in.IsPipeline() && (i == len(chain)-1 || in.Kind.Bucketing() == query.OneBucket)
		}
		ok = ok && part != query.BucketCount
	}
	if !ok {
		p.fail(m, problem.BadAggregation, "%q is nothing to order by: use _count, _key, an aggregation inside that gives one number, or one of stats like \"name.avg\"", strictjson.Clip(m.Name))
		return ""
	}
	return printPath(chain, part)
}

func printPath(chain []*query.Agg, part string) string {
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
