// This file compiles patterns on one target: prefixes, wildcards, regular expressions.

package compile

import (
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
)

func (c *fieldCompiler) prefixQuery(t fields.Target, n *query.Prefix, boost float64) (scorer.Scorer, error) {
	switch {
	case c.listing != nil:
		c.listing.to.Prefix(c.listing.leaf(t, boost), n.Value, n.CaseInsensitive, n.Rewrite)
		return nil, nil
	case n.CaseInsensitive:
		return c.scoredMatches(t, c.compileWildcard(pattern.Escape(n.Value)+"*", pattern.FoldASCII), n.Rewrite, boost)
	case !n.Rewrite.IsConstant():
		return c.scoredMatches(t, c.compileWildcard(pattern.Escape(n.Value)+"*", pattern.FoldNone), n.Rewrite, boost)
	}
	return c.prefix(t, n.Value, boost), nil
}

func (c *fieldCompiler) prefix(t fields.Target, text string, boost float64) scorer.Scorer {
	if c.listing != nil {
		c.listing.to.Prefix(c.listing.leaf(t, boost), text, false, query.Rewrite{})
		return nil
	}
	return c.named(t, c.prefixMatches(t, text, boost), func() string { return text + "*" })
}

func (c *fieldCompiler) prefixMatches(t fields.Target, text string, boost float64) scorer.Scorer {
	if t.Kind == fields.Text {
		return c.request.TermPrefix(t.Field, text, boost)
	}
	t, ok := t.Keyword()
	switch {
	case !ok:
		return nil
	case t.Admit != nil:
		return c.matches(t, pattern.CompileWildcard(pattern.Escape(text)+"*", pattern.FoldNone), boost)
	}
	from, to := c.request.PrefixOrdinals(t.Values.Strings(), []byte(text))
	return c.request.Ordinals(t.Values.Column(), from, to, boost)
}

// anyCase matches a whole string in any case of ASCII letters.
func (c *fieldCompiler) anyCase(t fields.Target, text string, boost float64) scorer.Scorer {
	return c.named(t, c.matches(t, c.compileWildcard(text, pattern.FoldASCII), boost), func() string { return "AutomatonQuery {" + text + "}" })
}

// compileWildcard compiles a pattern and charges steps for each byte: a star takes about 200 nanoseconds.
func (c *fieldCompiler) compileWildcard(text string, fold pattern.Fold) *pattern.Wildcard {
	c.work.Charge(16 * len(text))
	return pattern.CompileWildcard(text, fold)
}

// wildcard matches whole strings. By default the case counts on .keyword and does not on the path itself.
// An empty pattern finds nothing, as in Elasticsearch, although a value may be empty.
func (c *fieldCompiler) wildcard(t fields.Target, n *query.Wildcard, boost float64) (scorer.Scorer, error) {
	switch {
	case n.Pattern == "":
		return nil, nil
	case c.listing != nil:
		c.listing.to.Wildcard(c.listing.leaf(t, boost), n)
		return nil, nil
	}
	fold := pattern.FoldNone
	switch anyCase := n.CaseInsensitive; {
	case t.Kind != fields.Keyword && (anyCase == nil || *anyCase):
		fold = pattern.FoldAll
	case anyCase != nil && *anyCase:
		fold = pattern.FoldASCII
	}
	w := c.compileWildcard(n.Pattern, fold)
	if !n.Rewrite.IsConstant() {
		if whole, ok := fields.OfSub(t.Field, snapshot.SubKeyword); ok && t.Kind == fields.Text {
			t = whole
		}
		return c.scoredMatches(t, w, n.Rewrite, boost)
	}
	return c.named(t, c.wholeMatches(t, w, boost), func() string { return n.Pattern }), nil
}

// wholeMatches matches whole strings of any kind of target.
func (c *fieldCompiler) wholeMatches(t fields.Target, w *pattern.Wildcard, boost float64) scorer.Scorer {
	if w.MatchesAll() && !(t.ValuesOnly && t.Kind.Typed()) {
		return c.request.HasValue(t.Sort, boost)
	}
	t, ok := t.Keyword()
	if !ok {
		return nil
	}
	return c.stringMatches(t, w, boost)
}

// literals is a pattern that knows texts that every match contains, in any case.
type literals interface{ Literals() [][]byte }

// stringMatches matches the strings of a keyword. If the field has an index of grams, it tests only strings with the
// grams of the pattern; otherwise only strings of documents that have a word with a part of the pattern.
func (c *fieldCompiler) stringMatches(t fields.Target, m pattern.Matcher, boost float64) scorer.Scorer {
	if l, ok := m.(literals); ok && len(m.Prefix()) == 0 && t.Admit == nil {
		if g := t.Field.Grams(); g != nil {
			if keys := gramKeys(l.Literals()); len(keys) > 0 {
				return c.request.GramMatches(t.Field, g, keys, m, boost)
			}
		} else if run := scorer.WordRun(t.Field, l.Literals()); run != nil {
			return c.request.WordMatches(t.Field, run, m, boost)
		}
	}
	return c.request.PatternMatches(t.Values, t.Admit, m, boost)
}

func gramKeys(texts [][]byte) (keys []uint64) {
	for _, text := range texts {
		var x, y rune
		n := 0
		for _, r := range string(text) {
			r = pattern.FoldRune(r)
			if n++; n >= 3 {
				keys = append(keys, snapshot.GramKey(x, y, r))
			}
			x, y = y, r
		}
	}
	return keys
}
