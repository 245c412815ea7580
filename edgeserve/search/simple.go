// This file gives simple_query_string its meaning. Its clauses are atoms like those
// of a query string; only how they combine differs.

package search

import "contentedge/edgeserve/query"

func (b *builder) simpleQueryString(n *query.SimpleQueryString, boost float64) (scorer, error) {
	q := &stringQuery{b: b, and: n.And, tie: 1, lenient: hasStar(n.Fields), fields: b.fieldList(n.Fields, false)}
	if len(n.Fields) == 0 {
		q.fields, q.all, q.lenient = b.matching("*"), true, true
	}
	if n.Lenient != nil {
		q.lenient = *n.Lenient
	}
	if n.Expr == nil {
		return nil, nil
	}
	s, _, err := q.simple(n.Expr, n.MinShouldMatch, boost)
	return s, err
}

// simple builds a group: required, optional and negated clauses as they are marked.
func (q *stringQuery) simple(g *query.Group, msm string, boost float64) (s scorer, none bool, err error) {
	var c clauses
	n := 0
	for _, cl := range g.Clauses {
		s, gone, err := q.simpleClause(cl, boost)
		if err != nil {
			return nil, false, err
		}
		if gone {
			continue
		}
		n++
		switch cl.Mod {
		case query.ModReq:
			c.must = append(c.must, s)
		case query.ModNot:
			c.not = append(c.not, s)
		default:
			c.should = append(c.should, s)
		}
	}
	switch {
	case n == 0:
		return nil, true, nil
	case len(c.not) == n:
		return q.b.without(q.b.all(boost), c.not), false, nil
	case len(c.must) == 0:
		c.need = 1
	}
	if msm != "" && n > 1 {
		if c.need = max(c.need, minShouldMatch(msm, len(c.should))); c.need > len(c.should) {
			return nil, false, nil
		}
	}
	return q.b.combine(&c), false, nil
}

func (q *stringQuery) simpleClause(c query.Clause, boost float64) (s scorer, none bool, err error) {
	if c.Group != nil {
		return q.simple(c.Group, "", boost)
	}
	return q.leaf(c.Leaf, boost)
}
