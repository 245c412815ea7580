// This file compiles dis_max and boosting, which combine queries.

package compile

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

func (c *Compiler) disMax(n *query.DisMax, boost float64) (scorer.Scorer, error) {
	subs := make([]scorer.Scorer, len(n.Queries))
	for i, q := range n.Queries {
		var err error
		if subs[i], err = c.node(q, boost); err != nil {
			return nil, err
		}
	}
	return scorer.DisjunctionMax(subs, float32(n.TieBreaker)), nil
}

// boosting applies its boost last, as Lucene does: a function may not give a multiple of the score for a multiple of
// the boost.
func (c *Compiler) boosting(n *query.Boosting, boost float64) (scorer.Scorer, error) {
	s, err := c.node(n.Positive, 1)
	if err != nil {
		return nil, err
	}
	negative, err := c.node(n.Negative, 1)
	if err != nil {
		return nil, err
	}
	return scorer.Demoted(s, negative, n.NegativeBoost, boost), nil
}
