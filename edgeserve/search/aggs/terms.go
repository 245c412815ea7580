// This file computes terms aggregations: the most frequent values, or the first by another order.

package aggs

import (
	"cmp"
	"strconv"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/fields"
	"contentedge/edgeserve/search/iter"
)

type terms struct {
	a       *aggregator
	agg     *query.Agg
	s       *valuesSource
	path    string
	in, out *iter.Bitset // included and excluded ids; nil: no list
	byValue bool         // an order key needs a sub-aggregation
	all     []termBucket
	top     iter.TopK[termBucket]
	total   int
}

// termBucket is a candidate. at is its index among the candidates.
type termBucket struct{ id, n, at uint32 }

func (a *aggregator) terms(agg *query.Agg, s *valuesSource, path string) (*terms, error) {
	t := &terms{a: a, agg: agg, s: s, path: path}
	s.zeros = agg.MinDocCount == 0
	var err error
	if t.in, err = t.list(agg.Include, "include"); err != nil {
		return nil, err
	}
	if t.out, err = t.list(agg.Exclude, "exclude"); err != nil {
		return nil, err
	}
	for _, o := range agg.Order {
		t.byValue = t.byValue || o.Path != orderCount && o.Path != orderKey
	}
	t.top = iter.NewTopK(a.WorkLimit, agg.Size, 1+len(agg.Order), t.comparer(nil))
	return t, nil
}

func (t *terms) list(values []string, member string) (*iter.Bitset, error) {
	if values == nil {
		return nil, nil
	}
	ids := iter.NewBitset(t.s.ids)
	if err := t.a.Charge(len(ids.Words) + iter.LookupSteps*len(values)); err != nil {
		return nil, err
	}
	for _, text := range values {
		v, ok := t.a.scalar(t.s, query.Value{Kind: query.String, Text: text})
		if !ok {
			return nil, badAgg(t.path, t.agg, member, "%.80q does not fit the type of field %.80q", text, t.agg.Field)
		}
		if t.s.own && v == t.s.missing {
			ids.Add(docID(t.s.none))
		}
		if t.s.kind == fields.Float {
			v.f = float64(float32(v.f))
		}
		if id, exact := t.s.find(v); exact {
			ids.Add(docID(id))
		}
	}
	return ids, nil
}

func (t *terms) values() *valuesSource { return t.s }
func (t *terms) direct() bool          { return false }

func (t *terms) take(id, n int) {
	if n < t.agg.MinDocCount || t.in != nil && !t.in.Has(docID(id)) || t.out != nil && t.out.Has(docID(id)) {
		return
	}
	if n == 0 && t.s.isOwn(id) && t.s.kind != fields.Keyword && t.s.col.DocCount == t.a.Items {
		return
	}
	t.total += n
	b := termBucket{id: uint32(id), n: uint32(n)}
	if t.byValue {
		b.at = uint32(len(t.all))
		t.all = append(t.all, b)
		return
	}
	t.top.Add(b)
}

func (t *terms) finish(dst []byte, set *iter.Bitset) []byte {
	t.rank(set)
	top := t.top.Sorted()
	bs := buckets{of: t.s, ids: make([]int, len(top)), set: set}
	other := t.total
	for i, b := range top {
		bs.ids[i] = int(b.id)
		other -= int(b.n)
	}
	if t.a.spend(len(top)) != nil {
		return nil
	}
	dst = strconv.AppendInt(append(dst, `{"doc_count_error_upper_bound":0,"sum_other_doc_count":`...), int64(other), 10)
	dst = t.a.appendBuckets(append(dst, `,"buckets":[`...), t.agg, t.path, bs, func(dst []byte, i int) []byte {
		dst = t.appendKey(append(dst, `"key":`...), bs.ids[i])
		return strconv.AppendUint(append(dst, `,"doc_count":`...), uint64(top[i].n), 10)
	})
	t.all, t.total = t.all[:0], 0
	t.top.Reset()
	return dst
}

func (t *terms) rank(set *iter.Bitset) {
	if !t.byValue {
		return
	}
	bs := buckets{of: t.s, ids: make([]int, len(t.all)), set: set}
	for i, b := range t.all {
		bs.ids[i] = int(b.id)
	}
	values := t.a.orderValues(t.agg, t.path, bs)
	if t.a.Failed() != nil {
		return
	}
	t.top.Compare = t.comparer(values)
	for _, b := range t.all {
		t.top.Add(b)
	}
}

// appendKey writes the key of a bucket. Dates and booleans also have a text.
func (t *terms) appendKey(dst []byte, id int) []byte {
	switch s := t.s; {
	case s.kind == fields.Keyword && s.isOwn(id):
		return appendJSONString(dst, s.missing.text)
	case s.kind == fields.Keyword:
		return appendJSONString(dst, string(s.v.Strings().At(id, nil)))
	case s.fractions():
		return appendDouble(dst, s.number(id))
	case s.kind == fields.Long:
		return strconv.AppendInt(dst, s.integer(id), 10)
	case s.kind == fields.Boolean:
		dst = strconv.AppendInt(dst, s.integer(id), 10)
		return strconv.AppendQuote(append(dst, `,"key_as_string":`...), strconv.FormatBool(s.integer(id) != 0))
	default:
		dst = strconv.AppendInt(dst, s.integer(id), 10)
		return appendJSONString(append(dst, `,"key_as_string":`...), analysis.FormatDate(s.integer(id)))
	}
}

func (t *terms) place(id uint32) int {
	if t.s.isOwn(int(id)) {
		return 2 * t.s.place
	}
	return 2*int(id) + 1
}

// comparer compares candidates. values has sub-aggregation numbers per order key, or nil.
func (t *terms) comparer(values [][]float64) func(a, b termBucket) int {
	if len(t.agg.Order) == 0 {
		return func(a, b termBucket) int {
			if a.n != b.n {
				return cmp.Compare(b.n, a.n)
			}
			return cmp.Compare(t.place(a.id), t.place(b.id))
		}
	}
	return func(a, b termBucket) int {
		byKey := func() int { return cmp.Compare(t.place(a.id), t.place(b.id)) }
		if c := compareBy(t.agg.Order, values, int(a.n), int(b.n), int(a.at), int(b.at), byKey); c != 0 {
			return c
		}
		return byKey()
	}
}
