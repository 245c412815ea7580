// This file lists the clauses of query strings.

package highlight

import (
	"slices"
	"strings"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
)

// stringClauses collects the clauses of a query string.
type stringClauses struct {
	*clauses
	targets   []fields.Target
	written   bool // < and > begin a range
	all       bool // * matches every document
	simple    bool // groups have no boost
	slop      int
	fuzziness query.Fuzziness
	options   *query.StringOptions
}

func (c *clauses) queryString(n *query.QueryString, boost float64) {
	s := stringClauses{clauses: c, slop: n.PhraseSlop, fuzziness: n.Fuzziness, options: &n.StringOptions}
	switch {
	case n.Fields != nil:
		s.targets = c.fields(n.Fields, true)
	case n.DefaultField == "" || n.DefaultField == "*":
		s.targets, s.written, s.all = c.fields(nil, false), true, true
	default:
		s.targets, s.written = c.resolver.Named(n.DefaultField), true
	}
	s.group(n.Expr, boost)
}

func (s *stringClauses) group(g *lucene.Group, boost float64) {
	if g == nil {
		return
	}
	if !s.simple {
		boost *= g.Boost
	}
	around := s.excluded
	defer func() { s.excluded = around }()
	s.excluded = around || slices.ContainsFunc(g.Clauses, s.excludesAll)
	for _, cl := range g.Clauses {
		switch {
		case cl.Mod == lucene.ModNot:
		case cl.Group != nil:
			s.group(cl.Group, boost)
		case s.charge(16) == nil:
			s.leaf(cl.Leaf, boost)
		}
	}
}

// excludesAll tells that a clause excludes every document.
func (s *stringClauses) excludesAll(cl lucene.Clause) bool {
	l := cl.Leaf
	return cl.Mod == lucene.ModNot && l != nil && l.Kind == lucene.LeafWildcard && l.Text == "*" && l.Boost == 1 &&
		(l.Field == "*" || s.all && !l.HasField)
}

func (s *stringClauses) leaf(l *lucene.Leaf, boost float64) {
	targets, written := s.targets, s.written
	switch {
	case l.HasField && l.Field == query.ExistsField, l.Kind == lucene.LeafWildcard && l.Text == "*":
		return
	case l.HasField:
		targets, written = s.resolver.Named(l.Field), true
	}
	if l.Kind == lucene.LeafQuoted && s.options.QuoteSuffix != "" {
		targets = inJavaOrder(s.resolver.Suffixed(targets, s.options.QuoteSuffix))
	}
	if written && l.Kind == lucene.LeafText {
		l = l.OneSided()
	}
	leaves := s.leavesOf(l)
	s.add(targets, boost*l.Boost, func(w *leafWriter, t fields.Target, boost float64) {
		// Of several fields, Elasticsearch leaves out those without letters.
		if !t.Kind.Typed() || l.Kind == lucene.LeafText || l.Kind == lucene.LeafQuoted || l.Kind == lucene.LeafRange {
			leaves(w, t, boost)
		}
	})
}

func (s *stringClauses) leavesOf(l *lucene.Leaf) func(w *leafWriter, t fields.Target, boost float64) {
	folded := analysis.Lower(l.Text)
	text := func(t fields.Target) string {
		if t.Kind == fields.Text {
			return folded
		}
		return l.Text
	}
	switch l.Kind {
	case lucene.LeafText:
		return func(w *leafWriter, t fields.Target, boost float64) {
			w.typed(s.options.Kind, t, l.Text, s.slop, wordOptions{}, boost)
		}
	case lucene.LeafQuoted:
		slop := s.slop
		if l.Slop >= 0 {
			slop = l.Slop
		}
		return func(w *leafWriter, t fields.Target, boost float64) { w.phrase(t, l.Text, slop, boost) }
	case lucene.LeafPrefix:
		return func(w *leafWriter, t fields.Target, boost float64) {
			if words := w.analyze(t, l.Text); s.options.AnalyzeWildcard && t.Kind == fields.Text && len(words) > 0 {
				w.boolPrefix(t, strings.Join(words, " "), wordOptions{}, boost)
				return
			}
			w.prefix(t, text(t), false, boost)
		}
	case lucene.LeafWildcard:
		folded = analysis.LowerPattern(l.Text)
		return func(w *leafWriter, t fields.Target, boost float64) {
			w.wildcard(t, text(t), pattern.FoldNone, s.options.Rewrite, boost)
		}
	case lucene.LeafRegexp:
		compiled, steps, err := pattern.CompileRegexp(l.Text)
		if s.charge(steps) != nil || err != nil {
			break
		}
		return func(w *leafWriter, t fields.Target, boost float64) {
			w.regexp(t, l.Text, compiled, s.options.Rewrite, boost)
		}
	case lucene.LeafFuzzy:
		f := s.fuzziness
		if l.Fuzzy != "" {
			f, _ = query.ParseFuzziness(l.Fuzzy)
		}
		return func(w *leafWriter, t fields.Target, boost float64) { w.fuzzy(t, text(t), f, s.options.Spelling, boost) }
	case lucene.LeafRange:
		return func(w *leafWriter, t fields.Target, boost float64) {
			w.valueRange(t, leafBound(t, l.Low, l.LowOpen, l.IncLow), leafBound(t, l.High, l.HighOpen, l.IncHigh), boost)
		}
	}
	return func(*leafWriter, fields.Target, float64) {}
}

func leafBound(t fields.Target, text string, open, inclusive bool) *bound {
	if open {
		return nil
	}
	if t.Kind == fields.Text {
		text = analysis.Lower(text)
	}
	return &bound{text, inclusive}
}
