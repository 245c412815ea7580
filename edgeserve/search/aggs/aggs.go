// Package aggs computes aggregations over the matches of a query. It counts ordinals of columns and
// never reads the items. It computes one (sub-)aggregation at a time, for all buckets, so further
// ones add only the bytes of their results to the memory.
package aggs

import (
	"time"

	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/fields"
	"contentedge/edgeserve/search/iter"
	"contentedge/edgeserve/snapshot"
)

type docID = snapshot.DocID

const noMore = snapshot.NoMore

// Compiler resolves the fields of a snapshot and compiles the queries of filters.
type Compiler interface {
	Resolve(field string) (fields.Target, bool)
	Compile(query.Node) (iter.Scorer, error)
	Now() time.Time
}

const (
	// maxBuckets limits the buckets of a whole response, as in Elasticsearch.
	maxBuckets = 65536
	// maxAnswer limits the bytes of the result: keys may be long values.
	maxAnswer = 32 << 20
	// blockLen is the number of documents in a block. Work is charged per block.
	blockLen = 512
	// beginSteps is the work of starting an aggregation, except parsing its format.
	beginSteps = 64
	// bucketSteps and writtenPerStep are the work of writing numbers, and bytes of text.
	bucketSteps    = 16
	writtenPerStep = 4
)

const (
	codeAggregation = query.CodeAggregation
	codeBuckets     = "too_many_buckets"
)

type aggregator struct {
	counter
	c       Compiler
	buckets int // in the result so far
	bytes   int // of partial results so far
}

// Aggregate computes aggregations over all matches and returns a JSON object.
func Aggregate(r *iter.Request, c Compiler, list []query.Agg, matches *iter.Bitset) ([]byte, error) {
	a := &aggregator{counter: counter{Request: r, tally: tallies.Get().(*tally)}, c: c}
	out := a.members([]byte{'{'}, list, matches, "aggs")
	if err := a.Failed(); err != nil {
		return nil, err // do not return the tally to the pool: it may not be empty
	}
	tallies.Put(a.tally)
	return append(out, '}'), nil
}

// members writes aggregations over a set as members of an object, without braces.
func (a *aggregator) members(dst []byte, aggs []query.Agg, set *iter.Bitset, path string) []byte {
	for i := range aggs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendJSONString(dst, aggs[i].Name), ':')
		if dst = a.over(dst, &aggs[i], set, path+"."+aggs[i].Name); a.Failed() != nil {
			return nil
		}
	}
	return dst
}

func (a *aggregator) over(dst []byte, agg *query.Agg, set *iter.Bitset, path string) []byte {
	switch agg.Kind {
	case query.AggFilter:
		return a.filter(dst, agg, agg.Filter, set, path)
	case query.AggFilters:
		return a.filters(dst, agg, set, path)
	}
	f, err := a.collector(agg, path)
	if a.Fail(err) != nil {
		return nil
	}
	if a.count(f.values(), set, f.take); a.Failed() != nil {
		return nil
	}
	return f.finish(dst, set)
}

// collector aggregates the values of a column. It gets groups and their counts in any order, each
// group once unless it is direct.
type collector interface {
	values() *valuesSource
	direct() bool // take may be called several times with the same id
	take(id, n int)
	finish(dst []byte, set *iter.Bitset) []byte // writes the result and resets the collector
}

func (a *aggregator) collector(agg *query.Agg, path string) (collector, error) {
	if err := a.Charge(beginSteps + len(agg.Format)); err != nil {
		return nil, err
	}
	s, err := a.valuesSource(agg, path)
	if err != nil {
		return nil, err
	}
	switch agg.Kind {
	case query.AggTerms:
		return a.terms(agg, s, path)
	case query.AggDateHistogram:
		return a.histogram(agg, s, path)
	}
	return newMetric(agg.Kind, s), nil
}
