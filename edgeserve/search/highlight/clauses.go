// This file lists the clauses of a query that can match words. Clauses that must not match are
// left out; how the others combine has no meaning, as in Lucene.

package highlight

import (
	"strings"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/pattern"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/fields"
)

// clause is a clause on some fields.
type clause struct {
	targets []fields.Target
	boost   float64
	hidden  bool // below a function_score, into which Lucene's search for phrases does not look
	leaves  func(w *leafWriter, t fields.Target, boost float64)
}

// clauses collects the clauses of a query.
type clauses struct {
	resolver fields.Resolver
	list     []clause
	all      []fields.Target // the targets of a query without fields, once they are known
	hidden   bool            // as of clauses
	charge   func(steps int) error
}

func (c *clauses) node(n query.Node, boost float64) {
	if c.charge(16) != nil {
		return
	}
	switch n := n.(type) {
	case *query.Bool:
		for _, list := range [...][]query.Node{n.Must, n.Filter, n.Should} {
			for _, sub := range list {
				c.node(sub, boost*n.Boost)
			}
		}
	case *query.ConstantScore:
		c.node(n.Filter, boost*n.Boost)
	case *query.DisMax:
		for _, sub := range n.Queries {
			c.node(sub, boost*n.Boost)
		}
	case *query.Boosting:
		c.node(n.Positive, boost*n.Boost)
	case *query.FunctionScore:
		around := c.hidden
		c.hidden = true
		c.node(n.Query, boost*n.Boost)
		c.hidden = around
	case *query.Span:
		c.span(n, boost*n.Boost)
	case *query.Intervals:
		c.intervals(n)
	case *query.TermsSet:
		c.unseen(n.Field, func(w *leafWriter, t fields.Target) { w.unknown(t, textsOf(n.Values)) })
	case *query.Term:
		c.on(n.Field, boost*n.Boost, func(w *leafWriter, t fields.Target, boost float64) {
			w.term(t, n.Value.Text, n.CaseInsensitive, boost)
		})
	case *query.Terms:
		c.on(n.Field, boost*n.Boost, func(w *leafWriter, t fields.Target, boost float64) { w.terms(t, n.Values, boost) })
	case *query.Prefix:
		c.on(n.Field, boost*n.Boost, func(w *leafWriter, t fields.Target, boost float64) {
			w.prefix(t, n.Value, n.CaseInsensitive, boost)
		})
	case *query.Wildcard:
		c.on(n.Field, boost*n.Boost, func(w *leafWriter, t fields.Target, boost float64) {
			w.wildcard(t, n.Pattern, n.CaseInsensitive != nil && *n.CaseInsensitive, boost)
		})
	case *query.Range:
		low, high := boundsOf(n)
		if low != nil || high != nil { // else it is exists
			c.on(n.Field, boost*n.Boost, func(w *leafWriter, t fields.Target, boost float64) { w.valueRange(t, low, high, boost) })
		}
	case *query.Fuzzy:
		c.on(n.Field, boost*n.Boost, func(w *leafWriter, t fields.Target, boost float64) {
			w.fuzzy(t, n.Value.Text, n.Fuzziness, n.Spelling, boost)
		})
	case *query.Regexp:
		syntax := pattern.Syntax(n.Flags)
		if n.CaseInsensitive {
			syntax |= pattern.AnyCase
		}
		c.regexp(n.Field, n.Pattern, syntax, boost*n.Boost)
	case *query.MatchBoolPrefix:
		o := wordOptions{n.Fuzziness, n.Spelling}
		c.on(n.Field, boost*n.Boost, func(w *leafWriter, t fields.Target, boost float64) { w.boolPrefix(t, n.Text.Text, o, boost) })
	case *query.Match:
		o := wordOptions{n.Fuzziness, n.Spelling}
		c.on(n.Field, boost*n.Boost, func(w *leafWriter, t fields.Target, boost float64) { w.words(t, n.Text.Text, o, boost) })
	case *query.MatchPhrase:
		c.on(n.Field, boost*n.Boost, func(w *leafWriter, t fields.Target, boost float64) { w.phrase(t, n.Text.Text, n.Slop, boost) })
	case *query.MatchPhrasePrefix:
		c.on(n.Field, boost*n.Boost, func(w *leafWriter, t fields.Target, boost float64) {
			w.phrasePrefix(t, n.Text.Text, n.Slop, n.MaxExpansions, boost)
		})
	case *query.MultiMatch:
		o := wordOptions{n.Fuzziness, n.Spelling}
		c.add(c.fields(n.Fields, false), boost*n.Boost, func(w *leafWriter, t fields.Target, boost float64) { w.typed(n.Kind, t, n.Text.Text, n.Slop, o, boost) })
	case *query.QueryString:
		c.queryString(n, boost*n.Boost)
	case *query.SimpleQueryString:
		s := stringClauses{clauses: c, targets: c.fields(n.Fields, false), simple: true, analyzed: n.AnalyzeWildcard}
		s.group(n.Expr, boost*n.Boost)
	}
}

func (c *clauses) on(field string, boost float64, leaves func(*leafWriter, fields.Target, float64)) {
	if t, ok := c.resolver.Resolve(field); ok {
		c.add([]fields.Target{t}, boost, leaves)
	}
}

func (c *clauses) add(targets []fields.Target, boost float64, leaves func(*leafWriter, fields.Target, float64)) {
	c.list = append(c.list, clause{targets, boost, c.hidden, leaves})
}

func (c *clauses) regexp(field, text string, syntax pattern.Syntax, boost float64) {
	compiled, steps, err := pattern.CompileRegexpSyntax(text, syntax)
	if c.charge(steps) != nil || err != nil {
		return
	}
	c.on(field, boost, func(w *leafWriter, t fields.Target, boost float64) { w.regexp(t, text, compiled, boost) })
}

// fields resolves a `fields` option; empty means all fields.
func (c *clauses) fields(list []query.FieldBoost, multiply bool) []fields.Target {
	if len(list) > 0 {
		targets, _ := c.resolver.List(list, multiply)
		return targets
	}
	if c.all == nil {
		c.all = c.resolver.AllFields()
	}
	return c.all
}

// bound is a bound of a range of words.
type bound struct {
	text      string
	inclusive bool
}

func boundsOf(n *query.Range) (low, high *bound) {
	one := func(open, closed *query.Value) *bound {
		switch {
		case closed != nil:
			return &bound{closed.Text, true}
		case open != nil:
			return &bound{open.Text, false}
		}
		return nil
	}
	return one(n.Gt, n.Gte), one(n.Lt, n.Lte)
}

// stringClauses collects the clauses of a query string.
type stringClauses struct {
	*clauses
	targets   []fields.Target
	written   bool // < and > begin a range
	simple    bool // groups have no boost
	slop      int
	fuzziness query.Fuzziness
	kind      query.FieldsType
	analyzed  bool // the words of a prefix count
}

func (c *clauses) queryString(n *query.QueryString, boost float64) {
	s := stringClauses{clauses: c, slop: n.PhraseSlop, fuzziness: n.Fuzziness, kind: n.Kind, analyzed: n.AnalyzeWildcard}
	switch {
	case n.Fields != nil:
		s.targets = c.fields(n.Fields, true)
	case n.DefaultField == "" || n.DefaultField == "*":
		s.targets, s.written = c.fields(nil, false), true
	default:
		s.targets, s.written = c.resolver.Named(n.DefaultField), true
	}
	s.group(n.Expr, boost)
}

func (s *stringClauses) group(g *query.Group, boost float64) {
	if g == nil {
		return
	}
	if !s.simple {
		boost *= g.Boost
	}
	for _, cl := range g.Clauses {
		switch {
		case cl.Mod == query.ModNot:
		case cl.Group != nil:
			s.group(cl.Group, boost)
		case s.charge(16) == nil:
			s.leaf(cl.Leaf, boost)
		}
	}
}

func (s *stringClauses) leaf(l *query.Leaf, boost float64) {
	targets, written := s.targets, s.written
	switch {
	case l.HasField && l.Field == query.ExistsField, l.Kind == query.LeafWildcard && l.Text == "*":
		return
	case l.HasField:
		targets, written = s.resolver.Named(l.Field), true
	}
	if written && l.Kind == query.LeafText {
		l = l.OneSided()
	}
	s.add(targets, boost*l.Boost, s.leavesOf(l))
}

func (s *stringClauses) leavesOf(l *query.Leaf) func(w *leafWriter, t fields.Target, boost float64) {
	folded := analysis.Lower(l.Text)
	text := func(t fields.Target) string {
		if t.Kind == fields.Text {
			return folded
		}
		return l.Text
	}
	switch l.Kind {
	case query.LeafText:
		return func(w *leafWriter, t fields.Target, boost float64) {
			w.typed(s.kind, t, l.Text, s.slop, wordOptions{}, boost)
		}
	case query.LeafQuoted:
		slop := s.slop
		if l.Slop >= 0 {
			slop = l.Slop
		}
		return func(w *leafWriter, t fields.Target, boost float64) { w.phrase(t, l.Text, slop, boost) }
	case query.LeafPrefix:
		return func(w *leafWriter, t fields.Target, boost float64) {
			if words := w.analyze(t, l.Text); s.analyzed && t.Kind == fields.Text && len(words) > 0 {
				w.boolPrefix(t, strings.Join(words, " "), wordOptions{}, boost)
				return
			}
			w.prefix(t, text(t), false, boost)
		}
	case query.LeafWildcard:
		return func(w *leafWriter, t fields.Target, boost float64) { w.wildcard(t, text(t), false, boost) }
	case query.LeafRegexp:
		compiled, steps, err := pattern.CompileRegexp(l.Text)
		if s.charge(steps) != nil || err != nil {
			break
		}
		return func(w *leafWriter, t fields.Target, boost float64) { w.regexp(t, l.Text, compiled, boost) }
	case query.LeafFuzzy:
		f := s.fuzziness
		if l.Fuzzy != "" {
			f, _ = query.ParseFuzziness(l.Fuzzy)
		}
		return func(w *leafWriter, t fields.Target, boost float64) { w.fuzzy(t, text(t), f, query.Spelling{}, boost) }
	case query.LeafRange:
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
