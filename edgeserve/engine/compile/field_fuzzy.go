// This file compiles misspelt words. The terms most similar to a word are scored as one.

package compile

import (
	"fmt"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
)

// MaxFuzzyTerms limits the expansions of a misspelt word of a query string.
const MaxFuzzyTerms = 50

type expansion struct {
	info       snapshot.TermInfo // text
	ord        int               // keyword
	df         int
	similarity float64
	term       string // text, where explanations need the term
}

func (c *fieldCompiler) fuzzy(t fields.Target, word string, edits int, o query.Spelling, boost float64) (scorer.Scorer, error) {
	if edits < 0 {
		return nil, &unfitError{why: fmt.Sprintf("cannot be searched with %d edits", edits)}
	}
	if c.listing != nil {
		c.listing.to.Fuzzy(c.listing.leaf(t, boost), word, edits, o)
		return nil, nil
	}
	t, ok := t.Keyword()
	if !ok {
		return nil, nil
	}
	if edits == 0 && o.Rewrite.Kind == query.RewriteDefault {
		return c.term(t, word, boost)
	}
	m := pattern.CompileFuzzy(word, edits, o.PrefixLength)
	if o.NoTranspositions {
		m = m.WithoutSwaps()
	}
	if o.Rewrite.Kind == query.RewriteConstant {
		return c.named(t, c.matches(t, m, boost), func() string { return fmt.Sprintf("%s~%d", word, edits) }), nil
	}
	return c.rewrite(t, c.expansions(t, m), bestOf(o), boost)
}

// bestOf returns the rewrite method of a misspelt word. By default the best terms score as if they were one term.
func bestOf(o query.Spelling) query.Rewrite {
	if o.Rewrite.Kind == query.RewriteDefault {
		return query.Rewrite{Kind: query.RewriteTopBlended, Top: o.MaxExpansions}
	}
	return o.Rewrite
}

// expansions finds the terms or whole strings that m matches, in byte order.
func (c *fieldCompiler) expansions(t fields.Target, m *pattern.Fuzzy) (found []expansion) {
	if t.Kind == fields.Keyword {
		c.request.ScanNearStrings(t.Values.Strings(), t.Admit, m, func(value []byte, d, ord int) bool {
			found = append(found, expansion{ord: ord, df: t.Values.Column().Count(ord), similarity: m.Similarity(d, value)})
			return true
		})
		return found
	}
	c.request.ScanNear(t.Field, m, func(term []byte, d int, info snapshot.TermInfo) bool {
		found = append(found, expansion{info: info, df: info.DF, similarity: m.Similarity(d, term), term: c.explained(term)})
		return true
	})
	return found
}
