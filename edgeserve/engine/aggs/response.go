// This file bounds the result, and holds its parts until they are written.

package aggs

import (
	"cmp"
	"fmt"
	"strings"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/wire/problem"
)

// Errors of results that are too large.
var (
	ErrTooManyBuckets = &query.Error{Code: problem.TooManyBuckets, Parameter: "aggs", Position: -1,
		Message: fmt.Sprintf("the aggregations have more than %d buckets: ask for fewer, by a smaller size, a longer calendar_interval or a min_doc_count", query.MaxBuckets)}
	ErrTooLong = &query.Error{Code: problem.TooManyBuckets, Parameter: "aggs", Position: -1,
		Message: fmt.Sprintf("the aggregations are longer than %d bytes: ask for fewer buckets or shorter keys", MaxBytes)}
)

// spend charges buckets before they are written.
func (a *aggregator) spend(n int) error {
	if a.buckets += n; a.buckets > query.MaxBuckets {
		a.work.Fail(ErrTooManyBuckets)
	}
	return a.work.Charge(n)
}

// heldPerByte is the memory for each byte of a result: a growing result is copied, so it exists twice.
const heldPerByte = 2

// wrote charges the work of writing dst[from:to], takes memory for it, and limits the bytes of the result.
func (a *aggregator) wrote(from, to int) error {
	if n := a.bytes + to; n > a.charged {
		a.work.Hold(heldPerByte * (n - a.charged))
		a.charged = n
	}
	err := a.work.Charge(bucketSteps + (to-from)/writtenPerStep)
	a.fits(to)
	return cmp.Or(err, a.work.Failed())
}

// fits reports whether the partial results and n more bytes are within the limit.
func (a *aggregator) fits(n int) bool {
	if a.bytes+n > MaxBytes {
		a.work.Fail(ErrTooLong)
	}
	return a.work.Failed() == nil
}

// cells are the results of an aggregation in each bucket.
type cells struct {
	buf     []byte
	ends    []int
	records []records
	late    streamer // computes the results of the kept buckets; nil if the results are in buf
}

func (c *cells) at(i int) []byte {
	if i == 0 {
		return c.buf[:c.ends[0]]
	}
	return c.buf[c.ends[i-1]:c.ends[i]]
}

func (c *cells) end(a *aggregator) error {
	from := 0
	if n := len(c.ends); n > 0 {
		from = c.ends[n-1]
	}
	c.ends = append(c.ends, len(c.buf))
	return a.wrote(from, len(c.buf))
}

func badAgg(path string, agg *query.Agg, member, format string, args ...any) error {
	return &query.Error{Code: problem.BadAggregation, Parameter: strings.TrimSuffix(path+"."+string(agg.Kind)+"."+member, "."), Position: -1,
		Message: fmt.Sprintf(format, args...)}
}
