// This file reports the scores of the documents on the page, for responses that show them.

package scorer

import "math"

// Scores are the scores of the documents of a page.
type Scores struct {
	Of   []float32 // one for each document; nil: the order does not depend on scores
	Best float32   // the greatest of all matches; NaN: unknown, or no document was asked for
}

// scores returns the scores of the documents that were selected for the page. Collect calls it
// right after the selection, while the ranks are still in the pool.
func (c *collector) scores(s Scorer, o *Order, docs []docID) Scores {
	none := Scores{Best: float32(math.NaN())}
	switch {
	case s == nil || c.k == 0:
		return none
	case o != nil && c.r.TrackScores:
		if c.total > 0 && o.Group == nil {
			none.Best = c.top
		}
		none.Of = c.kept
		return none
	case o.isDefault():
		return none
	case o == nil && oneScore(s):
		return c.sameScores(s, len(docs))
	case o == nil:
		out := c.rankScores(true)
		if len(c.r.pool.ranks) > 0 {
			out.Best = scoreOfRank(c.r.pool.ranks[0], true)
		}
		return out
	case !o.scores():
		return none
	case len(o.Keys) == 1 && o.After == nil && o.Group == nil:
		return c.rankScores(!o.Keys[0].Asc)
	}
	none.Of = c.kept
	return none
}

// sameScores returns the scores of n documents of a Scorer with one score.
func (c *collector) sameScores(s Scorer, n int) Scores {
	out := Scores{Of: make([]float32, n), Best: s.bound(0, noMore)}
	for i := range out.Of {
		out.Of[i] = out.Best
	}
	if c.total == 0 {
		out.Best = float32(math.NaN())
	}
	return out
}

// rankScores reads the scores of the page from the ranks in the pool.
func (c *collector) rankScores(descending bool) Scores {
	ranks := c.r.pool.ranks
	out := Scores{Best: float32(math.NaN())}
	for _, rank := range ranks[min(c.from, len(ranks)):] {
		out.Of = append(out.Of, scoreOfRank(rank, descending))
	}
	return out
}

// scoreOfRank reverses scoreKey, or floatKey, in a rank.
func scoreOfRank(rank uint64, descending bool) float32 {
	key := uint32(rank >> 32)
	if descending {
		key = ^key
	}
	return math.Float32frombits(key)
}
