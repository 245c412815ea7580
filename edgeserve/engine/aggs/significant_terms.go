// This file computes significant_terms aggregations: the terms that are more frequent in a bucket than in all items, or
// in the items of another query.

package aggs

import (
	"cmp"
	"strconv"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

// scoreSteps is the work of scoring a term.
const scoreSteps = 8

// significantTerms holds the terms of a bucket until the number of documents of the bucket is known.
type significantTerms struct {
	terms
	options    *query.Significance
	background *scorer.Bitset // nil means all documents
	behind     int            // number of documents of the background
	best       scorer.TopK[scoredTerm]
	least      int // documents of a term in a bucket
}

// includes reports whether even rarer terms may reveal that the background does not include a bucket.
func (t *significantTerms) includes() bool {
	return t.options.Background != nil && t.options.Superset && t.options.Measure != "jlh" && t.options.Measure != "percentage"
}

type scoredTerm struct {
	termBucket
	score  float64
	behind int // documents of the background with the term
}

// ofSets is the evaluator of a collector whose finish reads the set.
type ofSets struct{ of *columnEvaluator }

func (o ofSets) evaluate(dst []byte, set *scorer.Bitset) []byte { return o.of.evaluate(dst, set) }

func (a *aggregator) newSignificantTerms(agg *query.Agg, path string, in scope) (evaluator, error) {
	t := &significantTerms{options: agg.Options.(*query.Significance), behind: a.request.Items}
	all := *agg
	if t.includes() {
		all.Buckets.MinDocCount = 1
	}
	e, err := a.termsOf(&t.terms, &all, path, in)
	if err != nil {
		return nil, err
	}
	t.least = agg.Buckets.MinDocCount
	e.collector = t
	if t.options.Background != nil {
		if in.nested && !a.allot(a.request.Items/8) {
			return nil, a.work.Failed()
		}
		s, err := a.compiler.Compile(t.options.Background)
		if err != nil {
			return nil, err
		}
		t.background = a.request.Matches(s)
		t.behind = t.background.Count
	}
	t.byValue = true // keep all
	t.best = scorer.NewTopK(a.work, agg.Buckets.Size, 1, func(x, y scoredTerm) int {
		if c := cmp.Compare(y.score, x.score); c != 0 {
			return c
		}
		return cmp.Compare(t.place(x.id), t.place(y.id))
	})
	return ofSets{e}, nil
}

func (t *significantTerms) finish(dst []byte, set *scorer.Bitset) []byte {
	defer func() {
		t.all, t.total = t.all[:0], 0
		t.best.Reset()
	}()
	if t.s.v == nil {
		return append(dst, `{"buckets":[]}`...)
	}
	t.score(set.Count)
	top := t.best.Sorted()
	ids := make([]int, len(top))
	for i, b := range top {
		ids[i] = int(b.id)
	}
	if t.a.spend(len(top)) != nil {
		return nil
	}
	dst = appendCount(append(dst, '{'), set.Count)
	behind := t.behind
	if t.a.gap { // Elasticsearch has not counted the documents of a gap
		behind = t.a.request.Items
	}
	dst = strconv.AppendInt(append(dst, `,"bg_count":`...), int64(behind), 10)
	dst = t.a.appendBuckets(append(dst, `,"buckets":[`...), t.subs, t.parts.buckets(t.subs, ids, set), func(dst []byte, i int) []byte {
		dst = append(t.appendSignificantKey(append(dst, `{"key":`...), ids[i]), ',')
		dst = appendDouble(append(appendCount(dst, int(top[i].n)), `,"score":`...), top[i].score)
		return strconv.AppendInt(append(dst, `,"bg_count":`...), int64(top[i].behind), 10)
	})
	return append(dst, "]}"...)
}

// appendSignificantKey writes the key of a bucket; the text of a boolean is a boolean.
func (t *significantTerms) appendSignificantKey(dst []byte, id int) []byte {
	if t.s.kind != fields.Boolean {
		return t.appendKey(dst, id)
	}
	dst = strconv.AppendInt(dst, t.s.integer(id), 10)
	return strconv.AppendBool(append(dst, `,"key_as_string":`...), t.s.integer(id) != 0)
}

// score offers the terms that are significant for a bucket of n documents.
func (t *significantTerms) score(n int) {
	for _, b := range t.all {
		if t.a.work.Charge(scoreSteps) != nil {
			return
		}
		behind := t.s.col.Start(int(b.id)+1) - t.s.col.Start(int(b.id))
		if t.background != nil {
			behind = t.a.counter.size(t.s, int(b.id), t.background)
		}
		score, ok := significance(t.options, frequencies{float64(b.n), float64(n), float64(behind), float64(t.behind)})
		if !ok {
			t.a.work.Fail(badAgg(t.path, t.agg, t.options.Measure, `the background does not include the bucket: if that is meant, set "background_is_superset" to false`))
			return
		}
		if score > 0 && int(b.n) >= t.least {
			t.best.Add(scoredTerm{b, score, behind})
		}
	}
}
