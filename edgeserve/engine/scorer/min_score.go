// This file leaves out matches by their scores, and finds the scores of given documents.

package scorer

import (
	"math"
	"math/bits"
	"slices"
)

// AtLeast returns the matches of a Scorer with a score of min or more.
func AtLeast(s Scorer, min float32) Scorer {
	if s == nil {
		return nil
	}
	return &atLeast{s, min}
}

type atLeast struct {
	Scorer
	min float32
}

func (a *atLeast) next() docID { return a.pass(a.Scorer.next()) }

func (a *atLeast) seek(target docID) docID { return a.pass(a.Scorer.seek(target)) }

// pass moves from d to the next match whose score is high enough.
func (a *atLeast) pass(d docID) docID {
	for d != noMore && a.Scorer.score() < a.min {
		d = a.Scorer.next()
	}
	return d
}

func (a *atLeast) fill(w *window, base, end docID, _ bool) docID {
	d := a.Scorer.fill(w, base, end, true)
	for k, word := range w.bits {
		for ; word != 0; word &= word - 1 {
			bit := word & -word
			if w.scores[k<<6+bits.TrailingZeros64(word)] < a.min {
				w.bits[k] &^= bit
			}
		}
	}
	return d
}

// scoreSteps is about the cost of moving a Scorer to a document and of its score.
const scoreSteps = 64

// ScoresOf returns the scores that a Scorer gives to documents in any order; NaN: no match.
func (r *Request) ScoresOf(s Scorer, docs []docID) []float32 {
	scores := slices.Repeat([]float32{float32(math.NaN())}, len(docs))
	if s == nil || r.Work.Charge(scoreSteps*len(docs)+min(estimateCost(s, r.Items), scoreSteps*len(docs))) != nil {
		return scores
	}
	order := make([]int, len(docs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return int(docs[a]) - int(docs[b]) })
	for _, i := range order {
		if at(s, docs[i]) {
			scores[i] = s.score()
		}
	}
	return scores
}
