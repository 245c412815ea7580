// This file defines pipeline aggregations, which compute from the buckets of others.

package query

import "contentedge/edgeserve/engine/query/script"

// Pipeline are the options of a pipeline aggregation.
type Pipeline struct {
	Path       string         // buckets_path
	Paths      []NamedPath    // what Script reads
	Script     *script.Script // bucket_selector, bucket_script
	Sort       []AggSort
	From, Size int // bucket_sort; a Size of 0 keeps all buckets
	Zeros      bool
	Format     string
	Unit       float64   // derivative: milliseconds that the difference of two keys is divided by; 0 means no division
	Lag        int       // serial_diff: how many buckets before
	Sigma      float64   // extended_stats_bucket
	Percents   []float64 // percentiles_bucket, in the order of the result
	List       bool      // percentiles_bucket: an array instead of an object
}

// NamedPath is a path of buckets_path and the name of its number in a script.
type NamedPath struct{ Name, Path string }

// Sibling reports whether a is a pipeline that reads the buckets of an aggregation at the same level.
func (a *Agg) Sibling() bool {
	switch a.Kind {
	case AggAvgBucket, AggSumBucket, AggMinBucket, AggMaxBucket, AggStatsBucket, AggExtendedStatsBucket, AggPercentilesBucket:
		return true
	}
	return false
}

// IsPipeline reports whether a is computed from the buckets of others. It is called for each bucket.
func (a *Agg) IsPipeline() bool {
	switch a.Kind {
	case AggBucketSort, AggBucketSelector, AggBucketScript, AggCumulativeSum, AggDerivative, AggSerialDiff: // parent pipelines, computed in each bucket of the aggregation around them
		return true
	}
	return a.Sibling()
}
