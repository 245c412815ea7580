// Package aggs computes aggregations over the matches of a query. It counts ordinals of
// columns and never reads the items. It computes one aggregation at a time, and one
// sub-aggregation at a time for all buckets. Further aggregations therefore add only the
// bytes of their results to the memory.
package aggs

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"sync"
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
	Now() time.Time // time of the request
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

// aggregator computes the aggregations of one request.
type aggregator struct {
	counter
	c       Compiler
	buckets int // in the result so far
	bytes   int // of partial results so far
}

// counter finds and counts the documents of groups.
type counter struct {
	*iter.Request
	tally *tally
	seen  *iter.Bitset // scratch set, empty between uses
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

// over writes one aggregation over a set of documents.
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

// collector is an aggregation over the values of a column. It receives groups and their
// numbers of documents in any order. Unless it is direct, it receives each group once.
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

// spend charges buckets before they are written.
func (a *aggregator) spend(n int) error {
	if a.buckets += n; a.buckets > maxBuckets {
		a.Fail(&query.Error{Code: codeBuckets, Parameter: "aggs", Position: -1,
			Message: fmt.Sprintf("the aggregations have more than %d buckets: ask for fewer, by a smaller size, a longer calendar_interval or a min_doc_count", maxBuckets)})
	}
	return a.Charge(n)
}

// wrote charges the work of writing dst[from:to], and limits the bytes of the result.
func (a *aggregator) wrote(from, to int) error {
	err := a.Charge(bucketSteps + (to-from)/writtenPerStep)
	if a.bytes+to > maxAnswer {
		a.Fail(&query.Error{Code: codeBuckets, Parameter: "aggs", Position: -1,
			Message: fmt.Sprintf("the aggregations are longer than %d bytes: ask for fewer buckets or shorter keys", maxAnswer)})
	}
	return cmp.Or(err, a.Failed())
}

// badAgg reports an aggregation that its field does not support.
func badAgg(path string, agg *query.Agg, member, format string, args ...any) error {
	return &query.Error{Code: codeAggregation, Parameter: path + "." + string(agg.Kind) + "." + member, Position: -1,
		Message: fmt.Sprintf(format, args...)}
}

// each calls f with the documents of a set in blocks.
func (c *counter) each(set *iter.Bitset, f func(docs []docID)) {
	if set.List != nil {
		for docs := range slices.Chunk(set.List, blockLen) {
			if f(docs); c.Charge(len(docs)) != nil {
				return
			}
		}
		return
	}
	n := 0
	for i, w := range set.Words {
		for ; w != 0; w &= w - 1 {
			c.tally.block[n] = docID(i<<6 + bits.TrailingZeros64(w))
			if n++; n == blockLen {
				f(c.tally.block[:n])
				if n = 0; c.Charge(blockLen) != nil {
					return
				}
			}
		}
	}
	f(c.tally.block[:n])
	c.Charge(n + len(set.Words)/8)
}

// tally counts ids. It keeps its memory, and its counts are zero between uses.
type tally struct {
	n       []uint32
	touched []uint32
	block   [blockLen]docID
	ords    [blockLen]uint32
}

// tallies reuses tallies: allocating and clearing a count per value is expensive.
var tallies = sync.Pool{New: func() any { return &tally{} }}

// room makes space for ids below n.
func (t *tally) room(n int) {
	if len(t.n) < n {
		t.n = make([]uint32, n)
	}
}

func (t *tally) add(id, n int) {
	if t.n[id] == 0 {
		t.touched = append(t.touched, uint32(id))
	}
	t.n[id] += uint32(n)
}

// addEach counts all ids except none.
func (t *tally) addEach(ids []uint32, none uint32) {
	n := t.n
	for _, id := range ids {
		if id == none {
			continue
		}
		if n[id] == 0 {
			t.touched = append(t.touched, id)
		}
		n[id]++
	}
}

// drain calls take for each nonzero count, and for each zero count below zeros. It empties
// the tally.
func (t *tally) drain(zeros int, take func(id, n int)) {
	for id := range zeros {
		take(id, int(t.n[id]))
	}
	clear(t.n[:zeros])
	for _, id := range t.touched {
		if n := t.n[id]; n > 0 {
			take(int(id), int(n))
			t.n[id] = 0
		}
	}
	t.touched = t.touched[:0]
}
