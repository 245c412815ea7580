// This file holds the table of aggregation types, and the options that several types share. The options of a type are
// parsed in a file of its family.

package body

import (
	"slices"
	"strings"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

// aggParser says how to parse a type of aggregations. begin sets defaults. finish parses and checks options that
// depend on each other. A type without a table has no options of its own.
type aggParser struct {
	kind    query.AggKind
	options *table
	begin   func(a *query.Agg)
	finish  func(p *parser, a *query.Agg, v *strictjson.Value)
}

// aggParsers lists the types. init fills it, because the parsers refer to it.
var aggParsers []aggParser

func init() {
	for _, t := range []struct {
		kind   query.AggKind
		rows   []option[query.Agg]
		begin  func(a *query.Agg)
		finish func(p *parser, a *query.Agg, v *strictjson.Value)
	}{
		{query.AggTerms, termsAggOptions, beginTermsAgg, finishTermsAgg},
		{query.AggValueCount, metricOptions(), nil, nil},
		{query.AggCardinality, cardinalityOptions, nil, nil},
		{query.AggMin, metricOptions(), nil, nil},
		{query.AggMax, metricOptions(), nil, nil},
		{query.AggAvg, metricOptions(), nil, nil},
		{query.AggSum, metricOptions(), nil, nil},
		{query.AggStats, metricOptions(), nil, nil},
		{query.AggExtendedStats, metricOptions(sigmaOption), beginExtendedStats, nil},
		{query.AggPercentiles, metricOptions(percentilesOptions("percents", optional)...), beginPercentiles, finishPercentiles},
		{query.AggPercentileRanks, metricOptions(percentilesOptions("values", required)...), beginPercentiles, finishPercentiles},
		{query.AggMedianAbsoluteDeviation, metricOptions(noEffect[query.Agg]("compression", (*parser).positive)), nil, nil},
		{query.AggSignificantTerms, significantTermsOptions(), beginSignificantTerms, finishSignificantTerms},
		{query.AggTopHits, topHitsOptions(), beginTopHits, finishTopHits},
		{query.AggWeightedAvg, weightedAvgOptions, beginWeightedAvg, nil},
		{query.AggFilter, nil, nil, nil},
		{query.AggFilters, filtersOptions, nil, finishFilters},
		{query.AggAdjacency, adjacencyOptions, beginAdjacency, nil},
		{query.AggDateHistogram, dateHistogramOptions(), beginHistogram, finishDateHistogram},
		{query.AggAutoDates, autoDateOptions, beginAutoDates, finishAutoDates},
		{query.AggHistogram, histogramOptions(), beginHistogram, nil},
		{query.AggRange, rangeAggOptions(), beginRanges, nil},
		{query.AggDateRange, rangeAggOptions(aggTimeZone), beginRanges, nil},
		{query.AggMissing, []option[query.Agg]{aggField.must(), aggMissing, aggValueType}, nil, nil},
		{query.AggGlobal, nil, nil, finishGlobal},
		{query.AggSampler, samplerOptions, beginSampler, nil},
		{query.AggRareTerms, rareTermsOptions, beginRareTerms, finishRareTerms},
		{query.AggBucketSort, bucketSortOptions, beginPipeline, finishBucketSort},
		{query.AggBucketSelector, scriptedOptions(), beginPipeline, finishScripted},
		{query.AggBucketScript, scriptedOptions(pipelineFormat), beginPipeline, finishScripted},
		{query.AggCumulativeSum, []option[query.Agg]{bucketsPath, pipelineFormat}, beginPipeline, nil},
		{query.AggDerivative, pipelineOptions(unitOption), beginPipeline, nil},
		{query.AggSerialDiff, pipelineOptions(lagOption), beginPipeline, nil},
		{query.AggAvgBucket, pipelineOptions(), beginPipeline, nil},
		{query.AggSumBucket, pipelineOptions(), beginPipeline, nil},
		{query.AggMinBucket, pipelineOptions(), beginPipeline, nil},
		{query.AggMaxBucket, pipelineOptions(), beginPipeline, nil},
		{query.AggStatsBucket, pipelineOptions(), beginPipeline, nil},
		{query.AggExtendedStatsBucket, pipelineOptions(pipelineSigma), beginPipeline, nil},
		{query.AggPercentilesBucket, pipelineOptions(percentsOption, listOption), beginPipeline, nil},
		{query.AggComposite, compositeOptions, beginComposite, finishComposite},
	} {
		aggParsers = append(aggParsers, aggParser{t.kind, newAggTable(t.kind, t.rows), t.begin, t.finish})
	}
}

// newAggTable is newTable for an aggregation type. Unless the type has an option script, the table refuses script with a
// hint.
func newAggTable(kind query.AggKind, rows []option[query.Agg]) *table {
	if !slices.ContainsFunc(rows, func(r option[query.Agg]) bool { return r.name == "script" }) {
		rows = append(slices.Clip(rows), option[query.Agg]{"script", unlisted, func(p *parser, _ *query.Agg, v *strictjson.Value) { p.noScript(v) }})
	}
	return newTable("a "+string(kind)+" aggregation", rows)
}

func (t *aggParser) parse(p *parser, a *query.Agg, v *strictjson.Value) {
	if t.begin != nil {
		t.begin(a)
	}
	switch {
	case t.kind == query.AggFilter:
		a.Filters.Query = parseQuery(p, v)
		return
	case v.Kind != strictjson.Object:
		p.wrongValue(v, "an object")
		return
	}
	t.options.parse(p, a, v)
	if t.finish != nil {
		t.finish(p, a, v)
	}
}

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

// Rows for the options that have one meaning in every type.
var (
	aggField       = option[query.Agg]{"field", optional, func(p *parser, a *query.Agg, v *strictjson.Value) { a.Values.Field = p.fieldName(v) }}
	aggSize        = option[query.Agg]{"size", optional, func(p *parser, a *query.Agg, v *strictjson.Value) { a.Buckets.Size = p.between(v, 1, query.MaxBuckets) }}
	aggOrder       = option[query.Agg]{"order", optional, func(p *parser, a *query.Agg, v *strictjson.Value) { a.Buckets.Order = parseAggOrder(p, a, v) }}
	aggMinDocCount = option[query.Agg]{"min_doc_count", optional, func(p *parser, a *query.Agg, v *strictjson.Value) { a.Buckets.MinDocCount = p.integer(v, 0) }}
	aggMissing     = option[query.Agg]{"missing", optional, func(p *parser, a *query.Agg, v *strictjson.Value) { a.Values.Missing = new(p.scalar(v)) }}
	aggFormat      = option[query.Agg]{"format", optional, func(p *parser, a *query.Agg, v *strictjson.Value) { a.Values.Format = p.format(v) }}
	aggKeyed       = option[query.Agg]{"keyed", optional, func(p *parser, a *query.Agg, v *strictjson.Value) { a.Buckets.Keyed = p.bool(v) }}
	aggTimeZone    = option[query.Agg]{"time_zone", optional, func(p *parser, a *query.Agg, v *strictjson.Value) { a.Values.TimeZone = p.text(v) }}
	aggValueType   = option[query.Agg]{"value_type", optional, func(p *parser, a *query.Agg, v *strictjson.Value) {
		if a.Values.ValueType = p.text(v); !slices.Contains(valueTypes, a.Values.ValueType) {
			p.wrongValue(v, "one of "+strings.Join(valueTypes, ", "))
		}
	}}
	executionHint = fixed[query.Agg]("execution_hint", "map", "global_ordinals")
)

var valueTypes = []string{"string", "byte", "short", "integer", "long", "float", "double", "number", "numeric", "date", "boolean"}

// must returns the row of o as an option that is required.
func (o option[T]) must() option[T] {
	o.need = required
	return o
}

// of returns a row that sets an option in Agg.Options, the struct that the type has for its options.
func of[O any](name string, need need, parse func(p *parser, o *O, v *strictjson.Value)) option[query.Agg] {
	return option[query.Agg]{name, need, func(p *parser, a *query.Agg, v *strictjson.Value) { parse(p, a.Options.(*O), v) }}
}

// noScript refuses a script.
func (p *parser) noScript(v *strictjson.Value) {
	p.fail(v, problem.UnknownOption, "%s: scripts are not supported: write the value that it computes into the items, and name that field", p.path(v))
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
		list = append(list, query.AggSort{Path: parseOrderPath(p, a, m), Asc: p.ascending(m)})
	})
	return list
}

// parseOrderPath resolves a sort key to _count, _key or the path of a number in the buckets of a.
func parseOrderPath(p *parser, a *query.Agg, m *strictjson.Value) string {
	switch m.Name {
	case "_count", "_key":
		return m.Name
	case "_term", "_time":
		return "_key"
	}
	if p.err != nil { // a sub-aggregation may have no type after an error
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
		p.fail(m, problem.BadAggregation, "%q cannot order buckets: use _count, _key, an aggregation inside that gives one number, or one of stats like \"name.avg\"", strictjson.Clip(m.Name))
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
