// This file computes aggregations over the matches of a query. Everything is counted
// by ordinal, straight from the columns: the items themselves are never read. One
// aggregation is worked on at a time, and those inside buckets one at a time for all
// buckets, so that what is held grows with the number of aggregations only by the
// bytes of their answers.

package search

import (
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"contentedge/edgeserve/query"
)

const (
	// maxBuckets bounds the buckets of a whole answer, as Elasticsearch does.
	maxBuckets = 65536
	// maxAnswer bounds the bytes of an answer: keys may be values of any length.
	maxAnswer = 32 << 20
	// blockLen is how many documents are handed on at once, and counted as work at once.
	blockLen = 512
	// foldSteps is the work of beginning an aggregation, beside that of reading its format.
	foldSteps = 64
	// bucketSteps and writtenPerStep are the work of writing: numbers, and texts by their bytes.
	bucketSteps    = 16
	writtenPerStep = 4
)

const (
	codeAggregation = query.CodeAggregation
	codeBuckets     = "too_many_buckets"
)

// aggregator answers the aggregations of one request.
type aggregator struct {
	b       *builder
	buckets int // in the answer so far
	bytes   int // of answers kept aside so far
	tally   *tally
	seen    *bitset // scratch, empty between uses
}

// aggregate answers the aggregations of a body over all matches.
func (b *builder) aggregate(body *query.Body, res *Result) error {
	set := b.matched
	if set == nil {
		set = newBitset(b.items)
	}
	a := &aggregator{b: b, tally: tallies.Get().(*tally)}
	out, err := a.members([]byte{'{'}, body.Aggs, set, "aggs")
	if err != nil {
		return err // and the tally is not given back, for it may not be empty
	}
	tallies.Put(a.tally)
	res.Aggregations = append(out, '}')
	return nil
}

// members writes aggregations over a set as members of an object, without braces.
func (a *aggregator) members(dst []byte, aggs []query.Agg, set *bitset, path string) ([]byte, error) {
	for i := range aggs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendJSONString(dst, aggs[i].Name), ':')
		var err error
		if dst, err = a.over(dst, &aggs[i], set, path+"."+aggs[i].Name); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// over writes an aggregation over a set of documents.
func (a *aggregator) over(dst []byte, agg *query.Agg, set *bitset, path string) ([]byte, error) {
	switch agg.Kind {
	case query.AggFilter:
		return a.filter(dst, agg, agg.Filter, set, path)
	case query.AggFilters:
		return a.filters(dst, agg, set, path)
	}
	f, err := a.fold(agg, path)
	if err != nil {
		return nil, err
	}
	if err := a.count(f.source(), set, f.take); err != nil {
		return nil, err
	}
	return f.finish(dst, set)
}

// fold is an aggregation over the values of a column. It is told which value groups
// there are and in how many documents, each group once unless it is direct, and in
// any order.
type fold interface {
	source() *source
	direct() bool // take may be called again and again with the same id
	take(id, n int)
	finish(dst []byte, set *bitset) ([]byte, error) // writes the answer and starts anew
}

func (a *aggregator) fold(agg *query.Agg, path string) (fold, error) {
	if err := a.b.tick(foldSteps + len(agg.Format)); err != nil {
		return nil, err
	}
	s, err := a.source(agg, path)
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

// spend counts buckets that are about to be written.
func (a *aggregator) spend(n int) error {
	if a.buckets += n; a.buckets > maxBuckets {
		return &query.Error{Code: codeBuckets, Parameter: "aggs", Position: -1,
			Message: fmt.Sprintf("the aggregations have more than %d buckets: ask for fewer, by a smaller size, a longer calendar_interval or a min_doc_count", maxBuckets)}
	}
	return a.b.tick(n)
}

// fits checks that an answer stays within its bytes; n are those just written.
func (a *aggregator) fits(n int) error {
	if a.bytes+n <= maxAnswer {
		return nil
	}
	return &query.Error{Code: codeBuckets, Parameter: "aggs", Position: -1,
		Message: fmt.Sprintf("the aggregations are longer than %d bytes: ask for fewer buckets or shorter keys", maxAnswer)}
}

// wrote counts a bucket or a number whose text ends at to in an answer, as work and as bytes.
func (a *aggregator) wrote(from, to int) error {
	if err := a.b.tick(bucketSteps + (to-from)/writtenPerStep); err != nil {
		return err
	}
	return a.fits(to)
}

// badAgg reports an aggregation that its field cannot have.
func badAgg(path string, agg *query.Agg, member, format string, args ...any) error {
	return &query.Error{Code: codeAggregation, Parameter: path + "." + string(agg.Kind) + "." + member, Position: -1,
		Message: fmt.Sprintf(format, args...)}
}

// each hands on the documents of a set in blocks.
func (a *aggregator) each(set *bitset, f func(docs []docID)) error {
	if set.list != nil {
		for docs := range slices.Chunk(set.list, blockLen) {
			if f(docs); a.b.tick(len(docs)) != nil {
				break
			}
		}
		return a.b.failed
	}
	n := 0
	for i, w := range set.words {
		for ; w != 0; w &= w - 1 {
			a.tally.block[n] = docID(i<<6 + bits.TrailingZeros64(w))
			if n++; n == blockLen {
				f(a.tally.block[:n])
				n = 0
				if err := a.b.tick(blockLen); err != nil {
					return err
				}
			}
		}
	}
	f(a.tally.block[:n])
	return a.b.tick(n + len(set.words)/8)
}

// tally counts ids. Its memory is kept, and its counts are zero between uses.
type tally struct {
	n       []uint32
	touched []uint32
	block   [blockLen]docID
	ords    [blockLen]uint32
}

// tallies spares requests the making and clearing of counts for every value of a column.
var tallies = sync.Pool{New: func() any { return &tally{} }}

// room makes place for ids below n.
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

// addEach counts ids, but not none.
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

// drain gives all counts, of the zeros too those below zeros, and empties the tally.
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
