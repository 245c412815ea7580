// This file lists the clauses of a query that can match words. Clauses that must not match are
// left out; how the others combine has no meaning, as in Lucene.

package highlight

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/snapshot"
)

// clause is a clause on some fields.
type clause struct {
	targets []fields.Target
	boost   float64
	hidden  bool // below a function_score, into which Lucene's search for phrases does not look

	excluded bool // below a bool that excludes what it requires: the unified highlighter sees no words in it, only patterns

	leaves func(w *leafWriter, t fields.Target, boost float64)
}

// clauses collects the clauses of a query.
type clauses struct {
	resolver fields.Resolver
	list     []clause
	all      []fields.Target // the targets of a query without fields, once they are known
	hidden   bool            // as of clauses, like excluded
	excluded bool
	rules    RuleReader
	err      error // of rules
	charge   func(steps int) error
}

func (c *clauses) fail(err error) { c.err = cmp.Or(c.err, err) }

func (c *clauses) node(n query.Node, boost float64) {
	if c.charge(16) != nil {
		return
	}
	switch n := n.(type) {
	case *query.Bool:
		around := c.excluded
		c.excluded = around || c.contradicts(n)
		for _, list := range [...][]query.Node{n.Must, n.Should, n.Filter} { // as Elasticsearch adds them
			for _, sub := range list {
				c.node(sub, boost*n.Boost)
			}
		}
		c.excluded = around
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
		c.span(n, boost) // Lucene's plain highlighter does not see the boost of spans
	case *query.Intervals:
		c.fail(c.intervals(n))
	case *query.TermsSet:
		c.unseen(c.resolver.Named(n.Field), func(w *leafWriter, t fields.Target) { w.unknown(t, textsOf(n.Values)) })
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
			w.wildcardQuery(t, n, boost)
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
		c.regexp(n, syntax, boost*n.Boost)
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
		s := stringClauses{clauses: c, options: &n.StringOptions, targets: c.fields(n.Fields, true), simple: true}
		s.group(n.Expr, boost*n.Boost)
	}
}

// contradicts tells that a bool excludes every document, or a query that it requires: Lucene rewrites it to one
// that matches nothing.
func (c *clauses) contradicts(n *query.Bool) bool {
	for _, not := range n.MustNot {
		if matchesAll(not) {
			return true
		}
		kind, steps := reflect.TypeOf(not), 0
		for _, list := range [...][]query.Node{n.Must, n.Filter} {
			for _, sub := range list {
				if c.charge(1) != nil {
					return true
				}
				if reflect.TypeOf(sub) != kind {
					continue
				}
				if steps == 0 {
					steps = stepsPerMember * membersOf(reflect.ValueOf(not))
				}
				if c.charge(steps) != nil || reflect.DeepEqual(sub, not) {
					return true
				}
			}
		}
	}
	return false
}

// stepsPerMember is the work of comparing a member of two queries.
const stepsPerMember = 2

// membersOf counts what two queries are compared by.
func membersOf(v reflect.Value) int {
	n := 1
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			n += membersOf(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			n += membersOf(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			n += membersOf(v.Index(i))
		}
	}
	return n
}

// matchesAll tells that Lucene rewrites a query to one that matches every document.
func matchesAll(n query.Node) bool {
	switch n := n.(type) {
	case *query.MatchAll:
		return n.Boost == 1
	case *query.DisMax:
		return n.Boost == 1 && len(n.Queries) == 1 && matchesAll(n.Queries[0])
	case *query.Bool:
		scoring := slices.Concat(n.Must, n.Should)
		return n.Boost == 1 && len(scoring) == 1 && len(n.Filter)+len(n.MustNot) == 0 && matchesAll(scoring[0])
	}
	return false
}

func (c *clauses) on(field string, boost float64, leaves func(*leafWriter, fields.Target, float64)) {
	if t, ok := c.resolver.Resolve(field); ok {
		c.add([]fields.Target{t}, boost, leaves)
	}
}

func (c *clauses) add(targets []fields.Target, boost float64, leaves func(*leafWriter, fields.Target, float64)) {
	c.list = append(c.list, clause{targets, boost, c.hidden, c.excluded, leaves})
}

// foldOf is how a wildcard compares letters: in the text of numbers, dates and booleans in any case.
func foldOf(n *query.Wildcard, t fields.Target) pattern.Fold {
	switch {
	case t.Kind.Typed() && (n.CaseInsensitive == nil || *n.CaseInsensitive):
		return pattern.FoldAll
	case n.CaseInsensitive != nil && *n.CaseInsensitive:
		return pattern.FoldASCII
	}
	return pattern.FoldNone
}

func (c *clauses) regexp(n *query.Regexp, syntax pattern.Syntax, boost float64) {
	compiled, steps, err := pattern.CompileRegexpSyntax(n.Pattern, syntax)
	if c.charge(steps) != nil || err != nil {
		return
	}
	c.add([]fields.Target{c.target(n.Field)}, boost, func(w *leafWriter, t fields.Target, boost float64) {
		w.regexp(t, n.Pattern, compiled, n.Rewrite, boost)
	})
}

// target is a field. Of one that no item has, patterns and spans mark the words of other fields, as in
// Elasticsearch.
func (c *clauses) target(name string) fields.Target {
	t, ok := c.resolver.Resolve(name)
	if !ok {
		f := &snapshot.Field{Path: name}
		t = fields.Target{Field: f, Values: &f.Values, Kind: fields.Text, Boost: 1}
	}
	return t
}

// fields resolves a `fields` option; empty means all fields.
func (c *clauses) fields(list []query.FieldBoost, multiply bool) []fields.Target {
	if len(list) > 0 {
		targets, _ := c.resolver.List(list, multiply)
		return inJavaOrder(targets)
	}
	if c.all == nil {
		c.all = c.resolver.AllFields()
	}
	return c.all
}

// inJavaOrder orders fields as Elasticsearch looks at them: of several boosts of a word the last counts.
func inJavaOrder(targets []fields.Target) []fields.Target {
	slices.SortFunc(targets, func(a, b fields.Target) int { return strings.Compare(a.Name(), b.Name()) })
	return fields.JavaOrder(targets, func(t *fields.Target) string { return t.Name() })
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
