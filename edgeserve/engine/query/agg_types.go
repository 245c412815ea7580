// This file holds the table of aggregation types, and the paths that lead to their numbers.

package query

import (
	"slices"
	"strings"
)

// The aggregation types.
const (
	AggTerms               AggKind = "terms"
	AggValueCount          AggKind = "value_count"
	AggCardinality         AggKind = "cardinality"
	AggMin                 AggKind = "min"
	AggMax                 AggKind = "max"
	AggAvg                 AggKind = "avg"
	AggSum                 AggKind = "sum"
	AggStats               AggKind = "stats"
	AggFilter              AggKind = "filter"
	AggFilters             AggKind = "filters"
	AggAdjacency           AggKind = "adjacency_matrix"
	AggDateHistogram       AggKind = "date_histogram"
	AggAutoDates           AggKind = "auto_date_histogram"
	AggHistogram           AggKind = "histogram"
	AggRange               AggKind = "range"
	AggDateRange           AggKind = "date_range"
	AggMissing             AggKind = "missing"
	AggGlobal              AggKind = "global"
	AggSampler             AggKind = "sampler"
	AggRareTerms           AggKind = "rare_terms"
	AggComposite           AggKind = "composite"
	AggBucketSort          AggKind = "bucket_sort"
	AggBucketSelector      AggKind = "bucket_selector"
	AggBucketScript        AggKind = "bucket_script"
	AggCumulativeSum       AggKind = "cumulative_sum"
	AggDerivative          AggKind = "derivative"
	AggAvgBucket           AggKind = "avg_bucket"
	AggSumBucket           AggKind = "sum_bucket"
	AggMinBucket           AggKind = "min_bucket"
	AggMaxBucket           AggKind = "max_bucket"
	AggStatsBucket         AggKind = "stats_bucket"
	AggExtendedStatsBucket AggKind = "extended_stats_bucket"
	AggPercentilesBucket   AggKind = "percentiles_bucket"
	AggSerialDiff          AggKind = "serial_diff"
)

// Bucketing says what a type of aggregations makes of documents: numbers, a bucket or several.
type Bucketing uint8

// The kinds of bucketing.
const (
	NoBuckets Bucketing = iota
	OneBucket
	ManyBuckets
)

// Bucketing returns what aggregations of the type make of documents.
func (k AggKind) Bucketing() Bucketing { return aggTypeOf(k).bucketing }

// aggType says what a type of aggregations makes of documents.
type aggType struct {
	kind      AggKind
	bucketing Bucketing
	metrics   []string // the names of its numbers, which orders and pipelines may use; an only number has the name ""
}

// aggTypes lists the types, in the order of error messages.
var aggTypes = []aggType{
	{AggTerms, ManyBuckets, nil},
	{AggValueCount, NoBuckets, single},
	{AggCardinality, NoBuckets, single},
	{AggMin, NoBuckets, single},
	{AggMax, NoBuckets, single},
	{AggAvg, NoBuckets, single},
	{AggSum, NoBuckets, single},
	{AggStats, NoBuckets, strings.Fields("min max avg sum count")},
	{AggExtendedStats, NoBuckets, extendedMetrics},
	{AggPercentiles, NoBuckets, nil},
	{AggPercentileRanks, NoBuckets, nil},
	{AggMedianAbsoluteDeviation, NoBuckets, single},
	{AggSignificantTerms, ManyBuckets, nil},
	{AggTopHits, NoBuckets, nil},
	{AggWeightedAvg, NoBuckets, single},
	{AggFilter, OneBucket, nil},
	{AggFilters, ManyBuckets, nil},
	{AggAdjacency, ManyBuckets, nil},
	{AggDateHistogram, ManyBuckets, nil},
	{AggAutoDates, ManyBuckets, nil},
	{AggHistogram, ManyBuckets, nil},
	{AggRange, ManyBuckets, nil},
	{AggDateRange, ManyBuckets, nil},
	{AggMissing, OneBucket, nil},
	{AggGlobal, OneBucket, nil},
	{AggSampler, OneBucket, nil},
	{AggRareTerms, ManyBuckets, nil},
	{AggBucketSort, NoBuckets, nil},
	{AggBucketSelector, NoBuckets, nil},
	{AggBucketScript, NoBuckets, single},
	{AggCumulativeSum, NoBuckets, single},
	{AggDerivative, NoBuckets, single},
	{AggSerialDiff, NoBuckets, single},
	{AggAvgBucket, NoBuckets, single},
	{AggSumBucket, NoBuckets, single},
	{AggMinBucket, NoBuckets, single},
	{AggMaxBucket, NoBuckets, single},
	{AggStatsBucket, NoBuckets, nil},
	{AggExtendedStatsBucket, NoBuckets, nil},
	{AggPercentilesBucket, NoBuckets, nil},
	{AggComposite, ManyBuckets, nil},
}

var single = []string{""}

func aggTypeOf(k AggKind) *aggType {
	for i := range aggTypes {
		if aggTypes[i].kind == k {
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

// BucketCount is the part of a path that counts buckets.
const BucketCount = "_bucket_count"

// ResolveBucketsPath resolves a path such as a>b.avg below a list of aggregations. It returns the aggregations of the
// path, and the name of a number of the last aggregation: "" for a metric with one number. The path of an aggregation
// with buckets ends in ._count, or in its name if it has one bucket; part is then "_count". A path that ends in
// ._bucket_count means the number of buckets. A dot may replace the last >.
func ResolveBucketsPath(list []Agg, path string) (chain []*Agg, part string, ok bool) {
	for {
		name, rest, more := strings.Cut(path, ">")
		a, part := findAgg(list, name)
		if a == nil {
			return nil, "", false
		}
		chain = append(chain, a)
		t := aggTypeOf(a.Kind)
		if below, _ := findAgg(a.Subs, part); !more && below != nil {
			part, rest, more = "", part, true
		}
		if !more {
			part, ok = t.number(a, part)
			return chain, part, ok
		}
		if part != "" || t.bucketing == NoBuckets {
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

// number returns the normal form of the name of a number. It reports whether an aggregation a has the number.
func (t *aggType) number(a *Agg, part string) (string, bool) {
	if o, ok := a.Options.(*Percentiles); ok {
		return o.number(part)
	}
	switch {
	case t.bucketing == ManyBuckets && part == BucketCount:
		return part, true
	case t.bucketing != NoBuckets:
		return "_count", part == "_count" || t.bucketing == OneBucket && (part == "" || part == "doc_count")
	case len(t.metrics) == 1 && part == "value":
		return t.metrics[0], t.metrics[0] == ""
	}
	return part, slices.Contains(t.metrics, part)
}
