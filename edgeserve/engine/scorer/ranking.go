// This file selects the first documents of any part of the matches, by scores from a table.

package scorer

import (
	"math"
	"slices"
)

// ScoreTable returns the scores of the matches of a Scorer by document; other documents have the score none.
// It is nil if nothing can match, and valid until Request.Close.
func (r *Request) ScoreTable(s Scorer, none float32) []float32 {
	if r.Work.Charge(r.Items/8) != nil || s == nil {
		return nil
	}
	var t *scoreTable
	if none == 0 {
		t = r.scoreTable()
	} else {
		t = &scoreTable{of: slices.Repeat([]float32{none}, r.Items)}
	}
	r.windows(s, estimateCost(s, r.Items), func(docID, docID) bool { return true }, func(w *window, base docID) bool {
		t.addWindow(w, base)
		return r.Work.Charge(w.count()/4) == nil
	})
	return t.of[:r.Items]
}

// KeptTable returns the score of each match of the Collect that KeepTable was set for, and zero for
// others; nil if there was none. It is valid until Request.Close.
func (r *Request) KeptTable() []float32 {
	if r.pool.kept == nil {
		return nil
	}
	return r.pool.kept.of[:r.Items]
}

// scoreTable holds scores by document. The one in the pool has only zeros between uses.
type scoreTable struct {
	of      []float32
	windows []docID // first documents of windows with scores
	docs    []docID // documents with scores outside of the windows
	lent    bool
}

func (r *Request) scoreTable() *scoreTable {
	t := &r.pool.scores
	if t.lent {
		t = &scoreTable{}
	}
	if t.lent = true; len(t.of) < r.Items {
		t.of = make([]float32, r.Items)
	}
	return t
}

func (t *scoreTable) addWindow(w *window, base docID) {
	t.windows = append(t.windows, base)
	w.each(func(i uint32) { t.of[base+i] = w.scores[i] })
}

func (t *scoreTable) addChunk(s *termScorer, docs []docID) {
	t.docs = append(t.docs, docs...)
	tfs := s.p.Frequencies()
	for k, d := range docs {
		t.of[d] = s.scoreOf(d, int(tfs[k]))
	}
}

// rank offers documents of the table.
func (t *scoreTable) rank(best *topRanks, docs []docID) {
	least := best.least()
	for _, d := range docs {
		if score := t.of[d]; score > least {
			best.add(rankOf(scoreKey(score), d))
			least = best.least()
		}
	}
}

// maxPooledScores limits the documents of a table in the pool, to a megabyte.
const maxPooledScores = 1 << 18

func (t *scoreTable) release() {
	if len(t.of) > maxPooledScores {
		*t = scoreTable{}
		return
	}
	for _, base := range t.windows {
		clear(t.of[base:min(int(base)+windowLen, len(t.of))])
	}
	for _, d := range t.docs {
		t.of[d] = 0
	}
	t.windows, t.docs, t.lent = t.windows[:0], t.docs[:0], false
}

// NeedsScores reports whether an order depends on scores; nil is by score.
func (o *Order) NeedsScores() bool { return o == nil || o.scores() }

// Ranking selects the first documents of one part after the other.
type Ranking struct {
	order  Order
	scores []float32 // by document; nil if not needed
	from   int
	top    TopK[hit]
	limit  *WorkLimit
	total  int
	best   float32
	found  Hits // of the previous part, whose memory is used again
}

// NewRanking returns a Ranking that selects size documents, starting at from.
func (r *Request) NewRanking(o *Order, scores []float32, from, size int) *Ranking {
	k := &Ranking{scores: scores, from: from, limit: r.Work}
	switch {
	case o == nil:
		k.order.Keys = []SortKey{{}}
	case !o.isDefault():
		k.order = *o
	}
	k.top = NewTopK(r.Work, from+size, max(1, len(k.order.Keys)), k.order.compare)
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
			if h.score = k.scores[d]; h.score > k.best {
				k.best = h.score
			}
		}
		if len(k.order.Keys) > 0 {
			h.key = k.order.Keys[0].value(d, h.score)
			if k.top.full && h.key > k.top.last.key {
				continue
			}
		}
		k.top.Add(h)
	}
}

// Hits returns the selected documents, with scores if the Ranking has them. It is valid until the next call.
func (k *Ranking) Hits() Hits {
	h := Hits{Total: k.total, Docs: k.found.Docs[:0], Scores: Scores{Best: float32(math.NaN())}}
	if k.scores != nil {
		h.Of = k.found.Of[:0]
	}
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
	k.found = h
	return h
}
