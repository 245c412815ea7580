// This file selects the values of terms aggregations: exact values, patterns and partitions.

package aggs

import (
	"errors"
	"math/bits"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

// selection returns the ids that an option includes or excludes; nil where it is absent.
func (t *terms) selection(values []string, expr *string, member string) (*scorer.Bitset, error) {
	if expr == nil {
		return t.list(values, member)
	}
	if t.s.kind != fields.Keyword {
		return nil, badAgg(t.path, t.agg, member, "field %.80q has no strings, which patterns match: use an array of exact values", t.agg.Values.Field)
	}
	re, steps, err := pattern.CompileRegexp(*expr)
	if t.a.work.Add(steps); err != nil {
		message := err.Error()
		if e, ok := errors.AsType[*pattern.Error](err); ok {
			message = e.Error()
		}
		return nil, badAgg(t.path, t.agg, member, "%.80q is not a regular expression: %s", *expr, message)
	}
	ids := scorer.NewBitset(t.s.ids)
	if err := t.a.work.Charge(len(ids.Words)); err != nil {
		return nil, err
	}
	if t.s.v != nil {
		t.a.request.ScanStrings(t.s.v.Strings(), nil, re.Prefix(), re.Walk().Test, func(ord int) { ids.Add(docID(ord)) })
	}
	if t.s.own && re.Match([]byte(t.s.missing.text)) {
		ids.Add(docID(t.s.none))
	}
	return ids, t.a.work.Failed()
}

// partition returns the ids of a partition, which the hash of a value decides.
func (t *terms) partition(o *query.TermsOptions) (*scorer.Bitset, error) {
	s := t.s
	if s.kind.IsFraction() {
		return nil, badAgg(t.path, t.agg, "include", "partitions are of strings and integers, and field %.80q has fractions", t.agg.Values.Field)
	}
	ids := scorer.NewBitset(s.ids)
	if err := t.a.work.Charge(len(ids.Words) + 4*s.ids); err != nil {
		return nil, err
	}
	add := func(id int, hash int64) {
		n := int64(o.Partitions)
		if (hash%n+n)%n == int64(o.Partition) {
			ids.Add(docID(id))
		}
	}
	if s.kind != fields.Keyword {
		for id := range s.ids {
			add(id, mix64(s.integer(id)))
		}
		return ids, nil
	}
	if s.v != nil {
		it := s.v.Strings().Iter(0)
		for ord := range s.col.Distinct {
			it.Next()
			value := it.Value()
			if err := t.a.work.Charge(len(value) / 4); err != nil {
				return nil, err
			}
			add(ord, int64(murmur3(value, partitionSeed)))
		}
	}
	if s.own {
		add(s.none, int64(murmur3([]byte(s.missing.text), partitionSeed)))
	}
	return ids, nil
}

// partitionSeed is Elasticsearch's.
const partitionSeed = 31

// mix64 is the bit mixer of HPPC, which hashes integers.
func mix64(v int64) int64 {
	z := uint64(v)
	z = (z ^ z>>32) * 0x4cd6944c5cc20b6d
	z = (z ^ z>>29) * 0xfc12c5b19d3259e9
	return int64(z ^ z>>32)
}

// murmur3 is MurmurHash3 of 32 bits, which hashes strings.
func murmur3(data []byte, seed uint32) int32 {
	const c1, c2 = 0xcc9e2d51, 0x1b873593
	h, n := seed, uint32(len(data))
	for len(data) >= 4 {
		k := uint32(data[0]) | uint32(data[1])<<8 | uint32(data[2])<<16 | uint32(data[3])<<24
		h = bits.RotateLeft32(h^bits.RotateLeft32(k*c1, 15)*c2, 13)*5 + 0xe6546b64
		data = data[4:]
	}
	var k uint32
	for i := len(data) - 1; i >= 0; i-- {
		k = k<<8 | uint32(data[i])
	}
	h ^= bits.RotateLeft32(k*c1, 15) * c2
	h ^= n
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return int32(h ^ h>>16)
}
