// This file scores the terms that a pattern or a misspelt word finds, by a rewrite method.

package compile

import (
	"cmp"
	"fmt"
	"slices"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/problem"
)

// maxScoredTerms limits the terms that score as clauses of their own, as in Lucene.
const maxScoredTerms = 1024

// rewrite scores terms by a rewrite method. Equally similar terms rank in byte order.
func (c *fieldCompiler) rewrite(t fields.Target, found []expansion, r query.Rewrite, boost float64) (scorer.Scorer, error) {
	if r.Kind == query.RewriteScoring && len(found) > maxScoredTerms {
		return nil, &query.Error{Code: problem.TooManyClauses, Position: -1,
			Message: fmt.Sprintf("more than %d terms match, which scoring_boolean cannot score: use constant_score, or top_terms_N", maxScoredTerms)}
	}
	if r.Kind != query.RewriteScoring {
		slices.SortStableFunc(found, func(a, b expansion) int { return cmp.Compare(b.similarity, a.similarity) })
		found = found[:min(len(found), r.Top)]
	}
	most := 0
	for _, e := range found {
		most = max(most, e.df)
	}
	subs := make([]scorer.Scorer, len(found))
	for i, e := range found {
		df, weight := e.df, boost*max(0, e.similarity)
		if r.Kind == query.RewriteTopBlended {
			df = most
		}
		subs[i] = c.expansionScorer(t, e, df, weight)
		if r.Kind == query.RewriteTopBoost {
			subs[i] = scorer.Constant(subs[i], weight)
		}
		subs[i] = scorer.Boosted(subs[i], max(0, e.similarity))
	}
	return scorer.Disjunction(subs, 1), nil
}

// scoredMatches scores the terms or strings that a matcher finds by a rewrite method.
func (c *fieldCompiler) scoredMatches(t fields.Target, m pattern.Matcher, r query.Rewrite, boost float64) (scorer.Scorer, error) {
	if r.IsConstant() {
		return c.matches(t, m, boost), nil
	}
	t, ok := t.Keyword()
	if !ok {
		return nil, nil
	}
	limit := maxScoredTerms + 1
	if r.Kind != query.RewriteScoring {
		limit = r.Top
	}
	return c.rewrite(t, c.firstMatches(t, m, limit), r, boost)
}

// firstMatches finds at most limit terms or whole strings that a matcher accepts, in byte order.
func (c *fieldCompiler) firstMatches(t fields.Target, m pattern.Matcher, limit int) (found []expansion) {
	test := c.request.TestOf(m)
	if t.Kind == fields.Keyword {
		c.request.ScanStrings(t.Values.Strings(), t.Admit, m.Prefix(), test, func(ord int) {
			if len(found) < limit {
				found = append(found, expansion{ord: ord, df: t.Values.Column().Count(ord), similarity: 1})
			}
		})
		return found
	}
	var last string
	remember := func(term []byte, same int) (bool, int) {
		ok, dead := test(term, same)
		if ok {
			last = c.explained(term)
		}
		return ok, dead
	}
	c.request.ScanTerms(t.Field, m.Prefix(), remember, func(info snapshot.TermInfo) bool {
		found = append(found, expansion{info: info, df: info.DF, similarity: 1, term: last})
		return len(found) < limit
	})
	return found
}

// expansionScorer scores an expansion as if df documents had it.
func (c *fieldCompiler) expansionScorer(t fields.Target, e expansion, df int, boost float64) scorer.Scorer {
	if t.Kind == fields.Text {
		return c.request.Term(t.Field, []byte(e.term), e.info, df, boost)
	}
	if t.Metadata {
		return c.value(t, e.ord, boost, true)
	}
	return c.request.Keyword(t.Values.Column(), e.ord, df, boost, func() string { return t.Name() + ":" + valueText(t, e.ord) })
}

// matches gives all documents that a matcher finds the same score.
func (c *fieldCompiler) matches(t fields.Target, m pattern.Matcher, boost float64) scorer.Scorer {
	automaton := func() string { return "AutomatonQuery" }
	if t.Kind == fields.Text {
		return c.named(t, c.request.TermMatches(t.Field, m, boost), automaton)
	}
	t, ok := t.Keyword()
	if !ok {
		return nil
	}
	return c.named(t, c.stringMatches(t, m, boost), automaton)
}
