// This file selects the first documents of any part of the matches, by scores from a table.

package iter

import "math"

// ScoreTable returns the score of each match of a Scorer, by document, and none for the others.
// It is nil if nothing can match.
func (r *Request) ScoreTable(s Scorer, none float32) []float32 {
	if r.Charge(r.Items/8) != nil || s == nil {
		return nil
	}
	table := make([]float32, r.Items)
	if none != 0 {
		for d := range table {
			table[d] = none
		}
	}
	r.windows(s, estimateCost(s, r.Items), func(docID, docID) bool { return true }, func(w *window, base docID) bool {
		w.each(func(i uint32) { table[base+i] = w.scores[i] })
		return r.Charge(w.count()/4) == nil
	})
	return table
}

// NeedsScores reports whether an order depends on scores; nil is by score.
func (o *Order) NeedsScores() bool { return o == nil || o.scores() }

// Ranking selects the first documents of one part after the other.
type Ranking struct {
	order  Order
	scores []float32 // by document; nil: none are needed
	from   int
	top    TopK[hit]
	limit  *WorkLimit
	total  int
	best   float32
}

// NewRanking returns a Ranking that selects size documents, starting at from.
func (r *Request) NewRanking(o *Order, scores []float32, from, size int) *Ranking {
	k := &Ranking{scores: scores, from: from, limit: r.WorkLimit}
	switch {
	case o == nil:
		k.order.Keys = []SortKey{{}}
	case !o.isDefault():
		k.order = *o
	}
	k.top = NewTopK(r.WorkLimit, from+size, max(1, len(k.order.Keys)), k.order.compare)
	k.Reset()
	return k
}

// Reset begins another part.
func (k *Ranking) Reset() {
	k.top.Reset()
	k.total, k.best = 0, float32(math.Inf(-1))
}

// Add adds documents of the part.
func (k *Ranking) Add(docs []docID) {
	k.limit.Charge(sortSteps * len(docs))
	k.total += len(docs)
	for _, d := range docs {
		h := hit{doc: d}
		if k.scores != nil {
			h.score = k.scores[d]
			k.best = max(k.best, h.score)
		}
		if len(k.order.Keys) > 0 {
			h.key = k.order.Keys[0].value(d, h.score)
		}
		k.top.Add(h)
	}
}

// Hits returns what was selected, with scores if the Ranking has them.
func (k *Ranking) Hits() Hits {
	h := Hits{Total: k.total, Scores: Scores{Best: float32(math.NaN())}}
	kept := k.top.Sorted()
	for _, hit := range kept[min(k.from, len(kept)):] {
		h.Docs = append(h.Docs, hit.doc)
		if k.scores != nil {
			h.Of = append(h.Of, hit.score)
		}
	}
	if k.scores != nil && k.total > 0 {
		h.Best = k.best
	}
	return h
}
