// This file compiles dis_max and boosting, which combine queries.

package search

import (
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/iter"
)

func (c *compiler) disMax(n *query.DisMax, boost float64) (iter.Scorer, error) {
	subs := make([]iter.Scorer, len(n.Queries))
	for i, q := range n.Queries {
		var err error
		if subs[i], err = c.node(q, boost); err != nil {
			return nil, err
		}
	}
	return iter.DisjunctionMax(subs, float32(n.TieBreaker)), nil
}

// boosting applies its boost last, as Lucene does: the scores of functions are no multiples of theirs.
func (c *compiler) boosting(n *query.Boosting, boost float64) (iter.Scorer, error) {
	s, err := c.node(n.Positive, 1)
	if err != nil {
		return nil, err
	}
	negative, err := c.node(n.Negative, 1)
	if err != nil {
		return nil, err
	}
	return iter.Demoted(s, negative, n.NegativeBoost, boost), nil
}
