// This file compiles the clauses at the top of a query string, to which minimum_should_match applies.

package compile

import (
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/scorer"
)

// top compiles a query_string. As in Elasticsearch, a query of a single clause is that clause, and the words of a text
// are clauses if they are side by side on one field.
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
		words, weight, ok, err := q.ownClauses(cl.Leaf, boost, alone)
		if err != nil {
			return nil, false, err
		}
		if ok {
			l.addWords(q.and, words)
			if alone {
				own *= weight
			}
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

// ownClauses compiles the words of a text, or of an analyzed prefix, that Elasticsearch makes clauses of the query. ok is
// false if the leaf is one clause. alone says that the leaf is the whole query. The minimum of the query then applies below
// the boost of the field, which is returned as weight. Adjacent words are also clauses if the query has other leaves.
func (q *stringCompiler) ownClauses(l *lucene.Leaf, boost float64, alone bool) (subs []scorer.Scorer, weight float64, ok bool, err error) {
	if l == nil || !alone && !l.Adjacent || l.HasField && l.Field == existsField {
		return nil, 0, false, nil
	}
	ts, written := q.targetsOf(l)
	if written && l.OneSided() != l || !q.hasClauses(l.Kind, ts, alone) {
		return nil, 0, false, nil
	}
	terms, err := q.c.field.words(l.Text)
	if err != nil || len(terms) < 2 {
		return nil, 0, false, err
	}
	boost, weight = boost*l.Boost, l.Boost
	if len(ts) == 1 {
		weight *= ts[0].Boost
	}
	switch f := q.text(); {
	case l.Kind == lucene.LeafPrefix:
		subs, err = q.prefixWords(ts[0], terms, boost*ts[0].Boost)
	case f.kind == query.BoolPrefix:
		subs, err = q.c.field.eachWord(ts[0].Field, terms, f.words, endsInWord(l.Text), boost*ts[0].Boost)
	default:
		subs, _, err = q.c.groupWords(ts, l.Text, f, boost)
	}
	return subs, weight, true, err
}

// hasClauses reports whether several words of a leaf are clauses, and not one best field or one phrase.
func (q *stringCompiler) hasClauses(kind lucene.LeafKind, ts []fields.Target, alone bool) bool {
	together := kind == lucene.LeafText && q.options.Kind == query.CrossFields
	for _, t := range ts {
		if t.Kind != fields.Text || len(ts) > 1 && !together {
			return false
		}
	}
	switch {
	case len(ts) == 0 || len(ts) == 1 && ts[0].Boost != 1 && (q.simpleSyntax || !alone):
		return false
	case kind == lucene.LeafPrefix:
		return q.options.AnalyzeWildcard
	}
	return kind == lucene.LeafText && (len(ts) > 1 || q.options.Kind != query.Phrase && q.options.Kind != query.PhrasePrefix)
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
