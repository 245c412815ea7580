// This file compiles the clauses at the top of a query string, to which minimum_should_match applies.

package compile

import (
	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/scorer"
)

// top compiles a query_string. As in Elasticsearch, a query of a single clause is that clause, and the words of a text
// are clauses if they stand side by side on one field.
func (q *stringCompiler) top(g *lucene.Group, boost float64) (s scorer.Scorer, none bool, err error) {
	msm := q.options.MinShouldMatch
	if msm == "" {
		return q.group(g, boost)
	}
	own := g.Boost
	for len(g.Clauses) == 1 && g.Clauses[0].Mod == lucene.ModNone && g.Clauses[0].Group != nil {
		g = g.Clauses[0].Group
		own *= g.Boost
	}
	boost *= own
	var l level
	for i, cl := range g.Clauses {
		alone := len(g.Clauses) == 1 && cl.Mod == lucene.ModNone
		if spread, ok, err := q.spread(cl.Leaf, boost, alone || cl.Leaf != nil && cl.Leaf.Adjacent); ok || err != nil {
			if err != nil {
				return nil, false, err
			}
			l.addWords(q.and, spread)
			continue
		}
		sub, gone, err := q.clause(cl, boost)
		if err != nil {
			return nil, false, err
		}
		l.add(q.and, cl.Conj, cl.Mod, sub, gone)
		l.first = l.first || i == 0 && !gone && cl.Mod == lucene.ModNone
	}
	parts := l.parts()
	switch {
	case len(l.clauses) == 0:
		return nil, true, nil
	case len(l.clauses) == 1 && l.first:
		return scorer.Boosted(l.clauses[0], own), false, nil
	}
	if parts.Need = max(parts.Need, minShouldMatch(msm, len(parts.Should))); parts.Need > len(parts.Should) {
		return nil, false, nil
	}
	parts.Asked = minShouldMatch(msm, len(parts.Should))
	return scorer.Boosted(q.c.request.Combine(parts), own), false, nil
}

// spread compiles each word of a text as a clause. ok is false if Elasticsearch makes one clause of the text.
func (q *stringCompiler) spread(l *lucene.Leaf, boost float64, may bool) (subs []scorer.Scorer, ok bool, err error) {
	if !may || l == nil || l.Kind != lucene.LeafText || l.HasField && l.Field == existsField {
		return nil, false, nil
	}
	ts, written := q.targetsOf(l)
	if written && l.OneSided() != l || len(ts) == 0 {
		return nil, false, nil
	}
	boost *= l.Boost
	f := q.text()
	for _, t := range ts {
		if t.Kind != fields.Text || len(ts) > 1 && f.kind != query.CrossFields {
			return nil, false, nil
		}
	}
	if len(ts) == 1 && (ts[0].Boost != 1 || f.kind == query.Phrase || f.kind == query.PhrasePrefix) {
		return nil, false, nil
	}
	terms := analysis.Terms(l.Text)
	if len(terms) < 2 {
		return nil, false, nil
	}
	if f.kind == query.BoolPrefix {
		subs, err = q.c.field.eachWord(ts[0].Field, terms, f.words, endsInWord(l.Text), boost)
	} else {
		subs, _, err = q.c.groupWords(ts, l.Text, f, boost)
	}
	return subs, true, err
}

// addWords adds clauses that occur as the default operator says.
func (l *level) addWords(and bool, subs []scorer.Scorer) {
	o := should
	if and {
		o = must
	}
	for _, s := range subs {
		l.clauses, l.occurs = append(l.clauses, s), append(l.occurs, o)
	}
}
