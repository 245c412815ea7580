// Package aggs computes aggregations over the matches of a query. It counts ordinals of columns and
// never reads the items.
//
// The flow of a request:
//
//	Aggregate       makes an evaluator for each aggregation of the list, and writes their results as JSON.
//	evaluator       computes one aggregation for one set of documents after the other.
//	columnEvaluator is the evaluator of a collector. It counts the values of a column and passes the counts on.
//	subs            are the aggregations inside the buckets of another one (sub_aggs.go).
//	pipelines       read the results of other aggregations (pipelines.go).
//
// An evaluator prepares once what does not depend on the set, for its scope: the set of all matches, or the parts
// of a set into which an aggregation around it divides that set. Sub-aggregations are computed one by one, each for
// all buckets, so a further one adds only the bytes of its results to the memory. Deeper levels are computed bucket
// by bucket and add one set of documents each.
package aggs

import (
	"contentedge/edgeserve/engine/compile"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
)

type docID = snapshot.DocID

const noMore = snapshot.NoMore

// Search is the search whose matches are aggregated.
type Search struct {
	Request  *scorer.Request
	Resolver fields.Resolver
	Compiler *compile.Compiler // of the queries of filters
	Ranking  Ranking
}

// Ranking finds the first matches of parts of all matches.
type Ranking interface {
	TopHits(*query.Body) (Hits, error)
	Sample(size int) (Sample, error)
}

const (
	// MaxBytes limits the bytes of the result: keys may be long values.
	MaxBytes = 16 << 20
	// maxTables limits the bytes of tables that evaluators prepare, to the memory of a search.
	maxTables = 32 << 20
	// blockLen is the number of documents in a block. Work is charged per block.
	blockLen = 512
	// beginSteps is the work of starting an aggregation, except parsing its format.
	beginSteps = 64
	// againSteps is the work of computing an aggregation for one more set.
	againSteps = 80
	// bucketSteps and writtenPerStep are the work of writing numbers, and bytes of text.
	bucketSteps    = 16
	writtenPerStep = 4
)

type aggregator struct {
	request  *scorer.Request
	work     *scorer.WorkLimit // of the request
	resolver fields.Resolver
	compiler *compile.Compiler
	ranking  Ranking
	memory   *memory
	counter  counter

	buckets int  // in the result so far
	bytes   int  // of partial results that are in memory
	charged int  // the greatest number of bytes of results so far, for which memory is taken
	tables  int  // bytes of tables
	depth   int  // sets in use
	deepest int  // sets that were in use at once
	sources int  // seed of the next source
	gap     bool // the current bucket fills a gap: terms in it show no buckets without documents

	dates    parsedDates
	watchers map[string]*watcher       // by the path of the sub-aggregations of the aggregation that is watched
	formats  map[*query.Agg]numberText // of pipelines
}

// Aggregate computes aggregations over all matches and returns a JSON object, which Release may take.
func Aggregate(s *Search, list []query.Agg, matches *scorer.Bitset) ([]byte, error) {
	m := memories.Get().(*memory)
	a := newAggregator(s.Request, m)
	a.resolver, a.compiler, a.ranking = s.Resolver, s.Compiler, s.Ranking
	a.watch(list, "aggs")
	out := a.subs(list, "aggs", scope{root: matches}).members(append(resultBuffer(), '{'), matches)
	if err := a.work.Failed(); err != nil {
		return nil, err // do not return the memory to the pool: its tally may not be empty
	}
	m.release()
	return append(out, '}'), nil
}

func newAggregator(request *scorer.Request, m *memory) *aggregator {
	return &aggregator{request: request, work: request.Work, memory: m, counter: counter{request: request, work: request.Work, memory: m}}
}

// scope is the sets that an aggregation is computed for: only root or, if nested, any number of parts of root.
type scope struct {
	root   *scorer.Bitset
	nested bool
	many   bool // the enclosing aggregation can have several buckets
}

// evaluator computes an aggregation for one set after the other.
type evaluator interface {
	evaluate(dst []byte, set *scorer.Bitset) []byte // writes the result as a JSON object
}

// makers make evaluators, by type.
var makers map[query.AggKind]func(a *aggregator, agg *query.Agg, path string, in scope) (evaluator, error)

func init() {
	makers = map[query.AggKind]func(*aggregator, *query.Agg, string, scope) (evaluator, error){
		query.AggTerms:         (*aggregator).newTerms,
		query.AggDateHistogram: (*aggregator).newDateHistogram,
		query.AggAutoDates:     (*aggregator).newAutoDates,
		query.AggHistogram:     (*aggregator).newHistogram,
		query.AggRange:         (*aggregator).newRanges,
		query.AggDateRange:     (*aggregator).newRanges,
		query.AggMissing:       (*aggregator).newMissing,
		query.AggGlobal:        (*aggregator).newGlobal,
		query.AggSampler:       (*aggregator).newSampler,
		query.AggRareTerms:     (*aggregator).newTerms,
		query.AggComposite:     (*aggregator).newComposite,
		query.AggFilter:        (*aggregator).newFilter,
		query.AggFilters:       (*aggregator).newFilters,
		query.AggAdjacency:     (*aggregator).newAdjacency,
		query.AggValueCount:    (*aggregator).newMetric,
		query.AggCardinality:   (*aggregator).newMetric,
		query.AggMin:           (*aggregator).newMetric,
		query.AggMax:           (*aggregator).newMetric,
		query.AggAvg:           (*aggregator).newMetric,
		query.AggSum:           (*aggregator).newMetric,
		query.AggStats:         (*aggregator).newMetric,

		query.AggExtendedStats:           (*aggregator).newExtendedStats,
		query.AggPercentiles:             (*aggregator).newPercentiles,
		query.AggPercentileRanks:         (*aggregator).newPercentiles,
		query.AggMedianAbsoluteDeviation: (*aggregator).newPercentiles,
		query.AggWeightedAvg:             (*aggregator).newWeightedAvg,

		query.AggSignificantTerms: (*aggregator).newSignificantTerms,
		query.AggTopHits:          (*aggregator).newTopHits,
	}
}

// newEvaluator returns nil once the request has failed.
func (a *aggregator) newEvaluator(agg *query.Agg, path string, in scope) evaluator {
	if a.work.Charge(beginSteps+len(agg.Values.Format)) != nil {
		return nil
	}
	e, err := makers[agg.Kind](a, agg, path, in)
	if a.work.Fail(err) != nil {
		return nil
	}
	return e
}

// collector aggregates the values of a column. It gets groups and their counts in any order, each
// group once unless it is direct.
type collector interface {
	values() *valuesSource
	direct() bool // take may be called several times with the same id
	take(id, n int)
	finish(dst []byte, set *scorer.Bitset) []byte // writes the result and resets the collector
}

// columnEvaluator is the evaluator of a collector.
type columnEvaluator struct {
	collector
	a  *aggregator
	in scope
	r  *reader // of root, made for its first part

	docs func([]docID)
}

func (c *columnEvaluator) evaluate(dst []byte, set *scorer.Bitset) []byte {
	if !c.in.nested {
		c.a.counter.count(c.values(), set, c.take)
	} else if c.begin(); c.a.work.Failed() == nil {
		c.a.counter.each(set, c.docs)
		c.end()
	}
	if c.a.work.Failed() != nil {
		return nil
	}
	return c.finish(dst, set)
}

// feed gives the collector the documents of a bucket.
func (c *columnEvaluator) feed(bs buckets, i int) {
	c.begin()
	bs.walk(i, c.docs)
	c.end()
}

// begin prepares docs, which takes documents until end.
func (c *columnEvaluator) begin() {
	s := c.values()
	if !c.direct() {
		c.a.memory.tally.room(s.ids)
	}
	if c.docs != nil {
		return
	}
	r := c.reader()
	c.docs = func(docs []docID) { r.tally(docs, &c.a.memory.tally) }
	if c.direct() {
		c.docs = func(docs []docID) { r.each(docs, c.take) }
	}
}

func (c *columnEvaluator) end() {
	if s := c.values(); !c.direct() && c.a.work.Failed() == nil {
		zeros := s.zeroIDs()
		if c.a.gap {
			zeros = 0
		}
		c.a.memory.tally.drain(zeros, c.take)
		c.a.work.Add(zeros)
	}
}

func (c *columnEvaluator) reader() *reader {
	if c.r == nil {
		c.r = c.a.reader(c.values(), c.in.root)
	}
	return c.r
}

// allot accounts for tables of n bytes. It reports whether the request may continue.
func (a *aggregator) allot(n int) bool {
	if a.tables += n; a.tables > maxTables {
		a.work.Fail(scorer.ErrTooCostly)
	}
	return a.work.Failed() == nil
}
