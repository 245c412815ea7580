// This file computes terms aggregations: the most frequent values, or the first by another order.

package aggs

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

type terms struct {
	a            *aggregator
	agg          *query.Agg
	s            *valuesSource
	path         string
	subs         *subs
	parts        *parts
	in, out      *scorer.Bitset // included and excluded ids; nil means no list
	byValue      bool           // an order key needs a sub-aggregation
	all          []termBucket
	top          scorer.TopK[termBucket]
	total        int
	candidates   int                             // number of values that may become buckets
	belowMinimum map[int]int                     // number of values by count, for counts below min_doc_count; nil if not needed
	errors       bool                            // buckets show the error bound of their counts
	maxDocCount  int                             // the greatest number of documents of a bucket
	shardSize    int                             // number of candidates that a shard of Elasticsearch would send
	text         func(dst []byte, id int) []byte // writes a key by the format; nil if the body has no format

	// Of the last set. The memory serves all sets, of which nested aggregations have many.
	ranked []termBucket                   // the best candidates in their order
	ids    []int                          // the ids of ranked
	key    func(i, j int) int             // compares keys of ranked
	name   func(dst []byte, i int) []byte // writes a key as a string
	head   func(dst []byte, i int) []byte // writes a bucket up to its sub-aggregations
	set    *scorer.Bitset
	walk   func(_ int, f func([]docID)) // walks set
}

// termBucket is a candidate. at is its index among the candidates.
type termBucket struct{ id, n, at uint32 }

func (a *aggregator) newTerms(agg *query.Agg, path string, in scope) (evaluator, error) {
	return a.termsOf(&terms{}, agg, path, in)
}

// termsOf prepares t and returns its evaluator.
func (a *aggregator) termsOf(t *terms, agg *query.Agg, path string, in scope) (*columnEvaluator, error) {
	s, err := a.valuesSource(agg, path)
	if err != nil {
		return nil, err
	}
	*t = terms{a: a, agg: agg, s: s, path: path, subs: a.inside(agg, path, in)}
	s.zeros = agg.Kind != query.AggRareTerms && agg.Buckets.MinDocCount == 0
	o, _ := agg.Options.(*query.TermsOptions)
	if significance, ok := agg.Options.(*query.Significance); ok {
		o = &significance.Terms
	}
	if o == nil {
		o = &query.TermsOptions{}
	}
	t.errors = o.ShowErrors
	if t.shardSize = max(o.ShardSize, agg.Buckets.Size); o.ShardSize == 0 {
		t.shardSize = agg.Buckets.Size*3/2 + 10 // as Elasticsearch
	}
	if o.Partitions > 0 {
		t.in, err = t.partition(o)
	} else {
		t.in, err = t.selection(agg.Select.Include, o.Include, "include")
	}
	if err != nil {
		return nil, err
	}
	if t.out, err = t.selection(agg.Select.Exclude, o.Exclude, "exclude"); err != nil {
		return nil, err
	}
	if t.text, err = t.format(); err != nil {
		return nil, err
	}
	t.maxDocCount = math.MaxInt
	if agg.Kind == query.AggRareTerms {
		if s.kind.IsFraction() {
			return nil, badAgg(path, agg, "field", "rare_terms needs a field of strings, integers, dates or booleans, and %.80q has fractions", agg.Values.Field)
		}
		t.maxDocCount = o.MaxDocCount
	}
	if agg.Kind == query.AggTerms && agg.Buckets.MinDocCount > 1 && t.byCount() {
		t.belowMinimum = map[int]int{}
	}
	for _, o := range agg.Buckets.Order {
		t.byValue = t.byValue || o.Path != orderCount && o.Path != orderKey
	}
	size := agg.Buckets.Size
	if agg.Kind == query.AggRareTerms {
		size = query.MaxBuckets + 1
	}
	t.top = scorer.NewTopK(a.work, size, 1+len(agg.Buckets.Order), t.comparer(nil))
	e := &columnEvaluator{collector: t, a: a, in: in}
	t.parts = &parts{of: e}
	t.key = func(i, j int) int { return cmp.Compare(t.place(t.ranked[i].id), t.place(t.ranked[j].id)) }
	t.name = func(dst []byte, i int) []byte { return t.appendName(dst, t.ids[i]) }
	t.head = t.appendHead
	t.walk = func(_ int, f func([]docID)) { a.counter.each(t.set, f) }
	return e, nil
}

func (t *terms) list(values []string, member string) (*scorer.Bitset, error) {
	if values == nil {
		return nil, nil
	}
	ids := scorer.NewBitset(t.s.ids)
	if err := t.a.work.Charge(len(ids.Words)); err != nil {
		return nil, err
	}
	for _, text := range values {
		if err := t.a.work.Charge(scorer.LookupCost(len(text))); err != nil {
			return nil, err
		}
		v, ok := t.a.scalar(t.s, query.Value{Kind: query.String, Text: text})
		if !ok {
			return nil, badAgg(t.path, t.agg, member, "%.80q does not fit the type of field %.80q", text, t.agg.Values.Field)
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
	if n > t.maxDocCount || t.in != nil && !t.in.Has(docID(id)) || t.out != nil && t.out.Has(docID(id)) {
		return
	}
	if n < t.agg.Buckets.MinDocCount {
		if t.belowMinimum != nil && n > 0 {
			t.belowMinimum[n]++
		}
		return
	}
	if n == 0 && t.s.isOwn(id) && t.s.kind != fields.Keyword && t.s.col.DocCount == t.a.request.Items {
		return
	}
	t.total += n
	t.candidates++
	b := termBucket{id: uint32(id), n: uint32(n)}
	if t.byValue {
		b.at = uint32(len(t.all))
		t.all = append(t.all, b)
		return
	}
	t.top.Add(b)
}

func (t *terms) finish(dst []byte, set *scorer.Bitset) []byte {
	t.rank(set)
	t.ranked, t.ids = t.top.Sorted(), t.ids[:0]
	other := t.total + t.untold()
	for _, b := range t.ranked {
		t.ids = append(t.ids, int(b.id))
		other -= int(b.n)
	}
	if t.a.spend(len(t.ranked)) != nil {
		return nil
	}
	if dst = append(dst, '{'); t.agg.Kind == query.AggTerms {
		dst = strconv.AppendInt(append(dst, `"doc_count_error_upper_bound":`...), int64(t.errorBound()), 10)
		dst = strconv.AppendInt(append(dst, `,"sum_other_doc_count":`...), int64(other), 10)
		dst = append(dst, ',')
	}
	bs := t.buckets(set)
	dst = append(t.a.appendBuckets(append(dst, `"buckets":[`...), t.subs, bs, t.head), "]}"...)
	t.all, t.total, t.candidates = t.all[:0], 0, 0
	clear(t.belowMinimum)
	t.top.Reset()
	return dst
}

// buckets returns the buckets of the candidates in a set. set is nil if the buckets have no sub-aggregations.
func (t *terms) buckets(set *scorer.Bitset) (bs buckets) {
	if len(t.subs.list) > 0 && len(t.ranked) == 1 && int(t.ranked[0].n) == set.Count {
		t.set = set
		bs = buckets{n: 1, set: set, walk: t.walk, one: true}
	} else {
		bs = t.parts.buckets(t.subs, t.ids, set)
	}
	bs.key, bs.name = t.key, t.name
	return bs
}

// appendHead writes the bucket of a candidate up to its sub-aggregations.
func (t *terms) appendHead(dst []byte, i int) []byte {
	dst = t.appendKey(append(dst, `{"key":`...), t.ids[i])
	dst = strconv.AppendUint(append(dst, `,"doc_count":`...), uint64(t.ranked[i].n), 10)
	if t.errors {
		dst = strconv.AppendInt(append(dst, `,"doc_count_error_upper_bound":`...), int64(t.errorBound()), 10)
	}
	return dst
}

// errorBound is the error bound that Elasticsearch shows for exact counts: 0, or -1 for unknown if it ends a list in
// an order that does not depend on counts.
func (t *terms) errorBound() int {
	if t.candidates < t.shardSize || t.byCount() || t.agg.Buckets.Order[0].Path == orderKey {
		return 0
	}
	return -1
}

// byCount reports whether the most frequent values come first.
func (t *terms) byCount() bool {
	return len(t.agg.Buckets.Order) == 0 || t.agg.Buckets.Order[0] == (query.AggSort{Path: orderCount})
}

// untold counts the documents of the values below min_doc_count that a shard of Elasticsearch would not send. A shard
// sends the most frequent such values, whose documents Elasticsearch counts nowhere.
func (t *terms) untold() (n int) {
	if len(t.belowMinimum) == 0 {
		return 0
	}
	told := t.shardSize - t.candidates
	for _, count := range slices.Backward(slices.Sorted(maps.Keys(t.belowMinimum))) {
		values := t.belowMinimum[count]
		n += count * max(values-max(told, 0), 0)
		told -= values
	}
	return n
}

func (t *terms) rank(set *scorer.Bitset) {
	if !t.byValue {
		return
	}
	ids := make([]int, len(t.all))
	for i, b := range t.all {
		ids[i] = int(b.id)
	}
	values := t.subs.orderValues(t.agg.Buckets.Order, t.parts.buckets(t.subs, ids, set))
	if t.a.work.Failed() != nil {
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
	case t.text != nil:
		return t.text(append(appendNumberKey(dst, s, id), `,"key_as_string":`...), id)
	case s.kind == fields.Keyword && s.isOwn(id):
		return appendJSONString(dst, s.missing.text)
	case s.kind == fields.Keyword:
		return t.a.appendText(dst, s, id)
	case s.fractions() || s.kind == fields.Long:
		return appendNumberKey(dst, s, id)
	case s.kind == fields.Boolean:
		dst = strconv.AppendInt(dst, s.integer(id), 10)
		return strconv.AppendQuote(append(dst, `,"key_as_string":`...), strconv.FormatBool(s.integer(id) != 0))
	default:
		dst = strconv.AppendInt(dst, s.integer(id), 10)
		return appendJSONString(append(dst, `,"key_as_string":`...), analysis.FormatDate(s.integer(id)))
	}
}

// appendName writes the key of a bucket as a string.
func (t *terms) appendName(dst []byte, id int) []byte {
	key := t.appendKey(nil, id)
	if _, text, ok := bytes.Cut(key, []byte(`"key_as_string":`)); ok && t.s.kind != fields.Keyword {
		return append(dst, text...)
	}
	if t.s.kind == fields.Keyword {
		return append(dst, key...)
	}
	return append(append(append(dst, '"'), key...), '"')
}

func appendNumberKey(dst []byte, s *valuesSource, id int) []byte {
	if s.fractions() {
		return appendDouble(dst, s.number(id))
	}
	return strconv.AppendInt(dst, s.integer(id), 10)
}

// format returns a function that writes keys by the format.
func (t *terms) format() (func(dst []byte, id int) []byte, error) {
	agg, s := t.agg, t.s
	switch {
	case agg.Values.Format == "":
		return nil, nil
	case s.kind == fields.Keyword || s.kind == fields.Boolean:
		return nil, badAgg(t.path, agg, "format", "field %.80q has no numbers or dates, which a format is for", agg.Values.Field)
	}
	return s.keyFormat(agg, t.path)
}

func (t *terms) place(id uint32) int {
	if t.s.isOwn(int(id)) {
		return 2 * t.s.place
	}
	return 2*int(id) + 1
}

// comparer compares candidates. values has sub-aggregation numbers per order key, or nil.
func (t *terms) comparer(values [][]float64) func(a, b termBucket) int {
	if t.agg.Kind == query.AggRareTerms {
		return func(a, b termBucket) int {
			return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(t.place(a.id), t.place(b.id)))
		}
	}
	if len(t.agg.Buckets.Order) == 0 {
		return func(a, b termBucket) int {
			if a.n != b.n {
				return cmp.Compare(b.n, a.n)
			}
			return cmp.Compare(t.place(a.id), t.place(b.id))
		}
	}
	return func(a, b termBucket) int {
		byKey := func() int { return cmp.Compare(t.place(a.id), t.place(b.id)) }
		if c := compareBy(t.agg.Buckets.Order, values, int(a.n), int(b.n), int(a.at), int(b.at), byKey); c != 0 {
			return c
		}
		return byKey()
	}
}
