// This file computes filter and filters aggregations.

package aggs

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

// single is the evaluator of an aggregation with one bucket.
type single interface {
	evaluator
	has(d docID) bool // the bucket has a document of root
}

// filter is the bucket of a query.
type filter struct {
	a       *aggregator
	in      scope
	matched *scorer.Bitset
	subs    *subs
}

func (a *aggregator) newFilter(agg *query.Agg, path string, in scope) (evaluator, error) {
	return a.filterOf(agg.Filters.Query, agg, path, in), nil
}

func (a *aggregator) filterOf(q query.Node, agg *query.Agg, path string, in scope) *filter {
	f := &filter{a: a, in: in}
	if in.nested && !a.allot(len(in.root.Words)*8) {
		return f
	}
	f.matched = a.matching(q, in.root)
	f.subs = a.inside(agg, path, scope{root: f.matched, nested: in.nested, many: in.many})
	return f
}

func (f *filter) has(d docID) bool { return f.matched.Has(d) }

func (f *filter) evaluate(dst []byte, set *scorer.Bitset) []byte {
	if !f.in.nested {
		return f.a.appendSingle(dst, f.subs, f.matched)
	}
	set = f.a.kept(f, set)
	defer func() { f.a.depth-- }()
	return f.a.appendSingle(dst, f.subs, set)
}

func (f *filter) stream(dst []byte, bs buckets, i int) []byte {
	n := 0
	bs.walk(i, func(docs []docID) {
		for _, d := range docs {
			if f.matched.Has(d) {
				n++
			}
		}
	})
	return append(appendCount(append(dst, '{'), n), '}')
}

// kept returns the documents of a set that are in the bucket. The result is valid until depth is counted down.
func (a *aggregator) kept(e single, set *scorer.Bitset) *scorer.Bitset {
	return a.part(a.only(e, a.whole(set)), 0)
}

// appendSingle writes a bucket of the documents of set.
func (a *aggregator) appendSingle(dst []byte, s *subs, set *scorer.Bitset) []byte {
	from := len(dst)
	dst = appendCount(append(dst, '{'), set.Count)
	if len(s.list) > 0 {
		dst = s.members(append(dst, ','), set)
	}
	dst = append(dst, '}')
	a.wrote(from, len(dst))
	return dst
}

func appendCount(dst []byte, n int) []byte {
	return strconv.AppendInt(append(dst, `"doc_count":`...), int64(n), 10)
}

func (a *aggregator) matching(q query.Node, set *scorer.Bitset) *scorer.Bitset {
	s, err := a.compiler.Compile(q)
	a.work.Fail(err)
	return a.request.Intersect(s, set)
}

// filters has a bucket for each of several queries.
type filters struct {
	a     *aggregator
	agg   *query.Agg
	path  string
	in    scope
	order []int     // of the buckets: named buckets by name
	made  []*filter // kept if the aggregation is computed for several sets
	other *filter
}

func (a *aggregator) newFilters(agg *query.Agg, path string, in scope) (evaluator, error) {
	f := &filters{a: a, agg: agg, path: path, in: in, order: make([]int, len(agg.Filters.List)), made: make([]*filter, len(agg.Filters.List))}
	for i := range f.order {
		f.order[i] = i
	}
	if !agg.Filters.Anonymous {
		slices.SortFunc(f.order, func(i, k int) int { return strings.Compare(agg.Filters.List[i].Name, agg.Filters.List[k].Name) })
	}
	return f, nil
}

func (f *filters) at(i int) *filter {
	if i == len(f.made) {
		return f.rest()
	}
	if f.made[i] != nil {
		return f.made[i]
	}
	made := f.a.filterOf(f.agg.Filters.List[i].Filter, f.agg, f.path, f.in)
	if f.in.nested || f.agg.Filters.Other != "" {
		f.made[i] = made
	}
	return made
}

// rest returns the bucket of the documents that no filter matches.
func (f *filters) rest() *filter {
	if f.other == nil {
		a := f.a
		f.other = &filter{a: a, in: f.in, matched: scorer.NewBitset(a.request.Items)}
		copy(f.other.matched.Words, f.in.root.Words)
		for i := range f.agg.Filters.List {
			if made := f.at(i); a.work.Failed() == nil {
				for k, w := range made.matched.Words {
					f.other.matched.Words[k] &^= w
				}
			}
		}
		for _, w := range f.other.matched.Words {
			f.other.matched.Count += bits.OnesCount64(w)
		}
		a.work.Charge((1 + len(f.made)) * len(f.other.matched.Words))
		f.other.subs = a.inside(f.agg, f.path, scope{root: f.other.matched, nested: f.in.nested, many: f.in.many})
	}
	return f.other
}

func (f *filters) evaluate(dst []byte, set *scorer.Bitset) []byte {
	if s := f.a.inside(f.agg, f.path, f.in); s.watch != nil {
		defer s.record(&ordered{}, f.buckets(set))
	}
	return f.write(dst, func(dst []byte, i int) []byte { return f.at(i).evaluate(dst, set) })
}

func (f *filters) stream(dst []byte, bs buckets, b int) []byte {
	return f.write(dst, func(dst []byte, i int) []byte {
		made := f.at(i)
		if f.a.work.Failed() != nil {
			return nil
		}
		return made.stream(dst, bs, b)
	})
}

// sequence returns the numbers of the buckets in the order of the result.
func (f *filters) sequence() []int {
	n := len(f.order)
	if f.agg.Filters.Other == "" {
		return f.order
	}
	return append(f.order[:n:n], n)
}

// key returns the name of a bucket; anonymous buckets have none.
func (f *filters) key(i int) string {
	if i < len(f.agg.Filters.List) {
		return f.agg.Filters.List[i].Name
	}
	return f.agg.Filters.Other
}

// buckets returns the buckets of a set, for pipelines that read them.
func (f *filters) buckets(set *scorer.Bitset) buckets {
	order := f.sequence()
	bs := buckets{n: len(order), set: set}
	bs.walk = func(i int, each func([]docID)) {
		if made := f.at(order[i]); f.a.work.Failed() == nil {
			f.a.only(made, f.a.whole(set)).walk(0, each)
		}
	}
	bs.name = func(dst []byte, i int) []byte {
		if f.agg.Filters.Anonymous {
			return appendJSONString(dst, strconv.Itoa(i))
		}
		return appendJSONString(dst, f.key(order[i]))
	}
	return bs
}

// write writes the buckets: named buckets by name, anonymous buckets in the order of the body.
func (f *filters) write(dst []byte, bucket func(dst []byte, i int) []byte) []byte {
	order := f.sequence()
	if f.a.spend(len(order)) != nil {
		return nil
	}
	open, shut := "[", "]}"
	if !f.agg.Filters.Anonymous {
		open, shut = "{", "}}"
	}
	dst = append(append(dst, `{"buckets":`...), open...)
	for i, k := range order {
		if i > 0 {
			dst = append(dst, ',')
		}
		if !f.agg.Filters.Anonymous {
			dst = append(appendJSONString(dst, f.key(k)), ':')
		}
		if dst = bucket(dst, k); f.a.work.Failed() != nil {
			return nil
		}
	}
	return append(dst, shut...)
}
