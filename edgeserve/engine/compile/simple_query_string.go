// This file compiles simple_query_string. It differs from query_string only in how clauses combine.

package compile

import (
	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/scorer"
)

func (c *Compiler) simpleQueryString(n *query.SimpleQueryString, boost float64) (scorer.Scorer, error) {
	q := &stringCompiler{c: c, and: n.And, simpleSyntax: true, options: &n.StringOptions, tie: float32(n.TieBreaker)}
	var err error
	if q.fields, q.all, q.lenient, err = c.targets(n.Fields, true, n.Lenient); err != nil || n.Expr == nil {
		return nil, err
	}
	if c.field.listing != nil {
		return nil, q.list(n.Expr, boost)
	}
	s, _, err := q.simple(n.Expr.Without(q.vanishes), n.MinShouldMatch, boost)
	return s, err
}

// vanishes reports whether a leaf has no words on any field.
func (q *stringCompiler) vanishes(l *lucene.Leaf) bool {
	if len(analysis.Terms(l.Text)) > 0 {
		return false
	}
	_, none, err := q.leaf(l, 1)
	return none && err == nil
}

func (q *stringCompiler) simple(g *lucene.Group, msm string, boost float64) (s scorer.Scorer, none bool, err error) {
	var l level
	for _, cl := range g.Clauses {
		alone := len(g.Clauses) == 1 && cl.Mod == lucene.ModNone
		words, _, ok, err := q.ownClauses(cl.Leaf, boost, alone && msm != "")
		if err != nil {
			return nil, false, err
		}
		if ok {
			l.addWords(q.and, words)
			continue
		}
		s, gone, err := q.simpleClause(cl, boost)
		if err != nil {
			return nil, false, err
		}
		if gone {
			continue
		}
		l.clauses, l.occurs = append(l.clauses, s), append(l.occurs, simpleOccurs[cl.Mod])
	}
	c, n := l.parts(), len(l.clauses)
	switch n {
	case 0:
		return nil, true, nil
	case len(c.Not):
		if msm != "" && minShouldMatch(msm, 1) > 1 { // the query is one of two clauses, and the other matches everything
			return nil, false, nil
		}
		return scorer.Exclusion(q.c.request.All(boost), c.Not), false, nil
	}
	if msm != "" && n > 1 {
		c.Asked = max(0, minShouldMatch(msm, len(c.Should)))
		if c.Need = max(c.Need, c.Asked); c.Need > len(c.Should) {
			return nil, false, nil
		}
	}
	return q.c.request.Combine(c), false, nil
}

var simpleOccurs = map[lucene.Mod]occur{lucene.ModReq: must, lucene.ModNot: mustNot}

func (q *stringCompiler) simpleClause(c lucene.Clause, boost float64) (s scorer.Scorer, none bool, err error) {
	if c.Group != nil {
		return q.simple(c.Group, "", boost)
	}
	return q.leaf(c.Leaf, boost)
}
