// This file counts the buckets that an aggregation has inside others, which pipelines read.

package aggs

import (
	"encoding/json"

	"contentedge/edgeserve/engine/query"
)

// bucketCounts returns how many buckets an aggregation has in each bucket around it. It computes the results once
// more, because sub-aggregations may leave buckets out. These buckets do not count for the limit of buckets.
func (s *subs) bucketCounts(agg *query.Agg, path string, bs buckets) []float64 {
	a, e := s.a, s.along(agg, path, bs)
	out := a.memory.floats.list(bs.n)
	spent := a.buckets
	var dst []byte
	for i := range out {
		if a.work.Failed() != nil {
			return nil
		}
		dst = s.result(dst[:0], e, nil, bs, i)
		if a.work.Charge(len(dst)/writtenPerStep) != nil {
			return nil
		}
		out[i] = float64(bucketsOf(dst))
		a.buckets = spent
	}
	return out
}

// bucketsOf counts the buckets of a result. They are in an array or, with keys, in an object.
func bucketsOf(result []byte) int {
	var of struct {
		Buckets json.RawMessage `json:"buckets"`
	}
	var list []json.RawMessage
	var keyed map[string]json.RawMessage
	if json.Unmarshal(result, &of) == nil && json.Unmarshal(of.Buckets, &list) != nil {
		json.Unmarshal(of.Buckets, &keyed)
	}
	return len(list) + len(keyed)
}
