// This file combines the clauses of a bool query.

package search

import "contentedge/edgeserve/query"

// clauses is a bool query being put together. A clause that matches nothing is nil.
type clauses struct {
	must, filter, should, not []scorer
	need                      int // should clauses that have to match
}

// bool builds a bool query.
func (b *builder) bool(n *query.Bool, boost float64) (scorer, error) {
	if b.emptyBool(n) {
		return nil, nil
	}
	if len(n.Must)+len(n.Filter)+len(n.Should)+len(n.MustNot) == 0 {
		return b.all(boost), nil
	}
	var c clauses
	for _, part := range []struct {
		nodes []query.Node
		into  *[]scorer
	}{{n.Must, &c.must}, {n.Filter, &c.filter}, {n.Should, &c.should}, {n.MustNot, &c.not}} {
		for _, node := range part.nodes {
			s, err := b.build(node, boost)
			if err != nil {
				return nil, err
			}
			*part.into = append(*part.into, s)
		}
	}
	c.need = 0
	if len(n.Must)+len(n.Filter) == 0 && len(n.Should) > 0 {
		c.need = 1
	}
	if n.MinShouldMatch != "" {
		c.need = minShouldMatch(n.MinShouldMatch, len(n.Should))
		if len(n.Must)+len(n.Filter) == 0 {
			c.need = max(c.need, min(1, len(n.Should)))
		}
		if c.need > len(n.Should) {
			return nil, nil
		}
	}
	return b.combine(&c), nil
}

// combine makes one scorer of clauses.
func (b *builder) combine(c *clauses) scorer {
	for _, s := range append(c.must[:len(c.must):len(c.must)], c.filter...) {
		if s == nil {
			return nil
		}
	}
	var optional scorer
	should := some(c.should)
	if c.need > 0 {
		s := newAnyOf(should, c.need)
		if s == nil {
			return nil
		}
		if len(c.must)+len(c.filter) == 0 {
			return b.without(s, c.not)
		}
		c.must = append(c.must, s)
	} else if len(should) > 0 {
		optional = newAnyOf(should, 1)
	}
	var s scorer
	switch {
	case len(c.must)+len(c.filter) > 0:
		s = newAllOf(c.must, c.filter, b.items)
	default:
		s = b.all(0)
	}
	if s == nil {
		return nil
	}
	if optional != nil {
		s = &withOptional{scorer: s, optional: optional}
	}
	return b.without(s, c.not)
}

// without leaves out what any of the scorers matches.
func (b *builder) without(s scorer, not []scorer) scorer {
	if n := newAnyOf(not, 1); n != nil {
		return &butNot{scorer: s, not: n}
	}
	return s
}

// minShouldMatch is how many of n clauses have to match; the option has been validated.
func minShouldMatch(spec string, n int) int {
	need, err := query.MinMatch(spec, n)
	if err != nil {
		return n
	}
	return need
}
