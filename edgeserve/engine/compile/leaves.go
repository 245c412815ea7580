// This file lists what the leaves of a query look for, for highlights. Leaves are compiled as for a search, but hand
// their words to a Lister instead of looking them up. Clauses that must not match are left out. How the other clauses
// combine has no effect, as in Lucene.

package compile

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/scorer"
)

// Leaf is the place where a leaf of a query looks, and the leaf's weight.
type Leaf struct {
	Target   fields.Target
	Boost    float64
	Hidden   bool // inside a query that Lucene skips when it looks for phrases
	Excluded bool // inside a bool that contradicts itself, of which the unified highlighter marks only patterns
}

// Lister receives what each leaf looks for. It has a method for each kind of leaf.
type Lister interface {
	Word(l Leaf, text string) // on a keyword, text is the whole string
	AnyCase(l Leaf, text string)
	Values(l Leaf, values []query.Value)
	Prefix(l Leaf, text string, anyCase bool, r query.Rewrite)
	Pattern(l Leaf, text string, r query.Rewrite) // a pattern of a query string
	Wildcard(l Leaf, n *query.Wildcard)
	Regexp(l Leaf, text string, compiled *pattern.Regexp, r query.Rewrite)
	Fuzzy(l Leaf, text string, edits int, o query.Spelling)
	Range(l Leaf, low, high *scorer.Bound)
	Phrase(l Leaf, words []string, slop int)
	PhrasePrefix(l Leaf, words []string, slop, expansions int)
	Covered(l Leaf, values []query.Value)                 // of a terms_set
	Intervals(l Leaf, field string, words []IntervalWord) // l has no target
	Span(l Leaf, n *query.Span)                           // l has no target
}

// listing is the state of a walk that lists leaves.
type listing struct {
	to               Lister
	hidden, excluded bool
}

// leaf returns the Leaf of a target at the current place of the walk.
func (l *listing) leaf(t fields.Target, boost float64) Leaf {
	return Leaf{Target: t, Boost: boost, Hidden: l.hidden, Excluded: l.excluded}
}

// copyOf copies a bound to the heap. So the bounds of searches without highlights stay on the stack.
func copyOf(b *scorer.Bound) *scorer.Bound {
	if b == nil {
		return nil
	}
	return new(*b)
}

// Leaves calls the method of a Lister for each leaf of a rewritten query.
func (c *Compiler) Leaves(n query.Node, to Lister) error {
	around := c.field.listing
	c.field.listing = &listing{to: to}
	defer func() { c.field.listing = around }()
	return c.list(n, 1)
}

// listSteps is the cost of visiting a query.
const listSteps = 16

func (c *Compiler) list(n query.Node, boost float64) error {
	if err := c.work.Charge(listSteps); err != nil {
		return err
	}
	l := c.field.listing
	switch n := n.(type) {
	case *query.Bool:
		around := l.excluded
		defer func() { l.excluded = around }()
		l.excluded = around || c.contradicts(n)
		return c.listAll(boost*n.Boost, n.Must, n.Should, n.Filter) // in Elasticsearch's order
	case *query.ConstantScore:
		return c.list(n.Filter, boost*n.Boost)
	case *query.DisMax:
		return c.listAll(boost*n.Boost, n.Queries)
	case *query.Boosting:
		return c.list(n.Positive, boost*n.Boost)
	case *query.FunctionScore:
		around := l.hidden
		defer func() { l.hidden = around }()
		l.hidden = true
		return c.list(n.Query, boost*n.Boost)
	case *query.Span:
		l.to.Span(l.leaf(fields.Target{}, boost), n) // Lucene's plain highlighter does not see the boost of spans
	case *query.Intervals:
		words, err := c.IntervalWords(n)
		if err != nil {
			return err
		}
		hidden := l.leaf(fields.Target{}, 1)
		hidden.Hidden = true
		l.to.Intervals(hidden, n.Field, words)
	case *query.TermsSet:
		for _, t := range c.resolver.Named(n.Field) {
			hidden := l.leaf(t, 1)
			hidden.Hidden = true
			l.to.Covered(hidden, n.Values)
		}
	case nil, *query.MatchAll, *query.MatchNone, *query.Exists, *query.IDs, *query.MoreLikeThis, *query.DistanceFeature: // no words
	default:
		_, err := c.clause(n, boost)
		return err
	}
	return nil
}

func (c *Compiler) listAll(boost float64, lists ...[]query.Node) error {
	for _, n := range slices.Concat(lists...) {
		if err := c.list(n, boost); err != nil {
			return err
		}
	}
	return nil
}

// list lists the leaves of a query string.
func (q *stringCompiler) list(g *lucene.Group, boost float64) error {
	if !q.simpleSyntax {
		boost *= g.Boost
	}
	l := q.c.field.listing
	around := l.excluded
	defer func() { l.excluded = around }()
	l.excluded = around || slices.ContainsFunc(g.Clauses, q.excludesAll)
	for _, cl := range g.Clauses {
		var err error
		switch {
		case cl.Mod == lucene.ModNot:
		case cl.Group != nil:
			err = q.list(cl.Group, boost)
		default:
			_, _, err = q.leaf(cl.Leaf, boost)
		}
		if err = cmp.Or(err, q.c.work.Charge(listSteps)); err != nil {
			return err
		}
	}
	return nil
}

// excludesAll reports whether a clause of a query string excludes every document.
func (q *stringCompiler) excludesAll(cl lucene.Clause) bool {
	l := cl.Leaf
	return cl.Mod == lucene.ModNot && l != nil && l.Kind == lucene.LeafWildcard && l.Text == "*" && l.Boost == 1 &&
		(l.Field == "*" || q.all && !l.HasField)
}

// inOrder returns fields in the order in which Elasticsearch visits them, if leaves are being listed: when a word has
// several boosts, the last one counts.
func (c *Compiler) inOrder(ts []fields.Target) []fields.Target {
	if c.field.listing == nil {
		return ts
	}
	slices.SortFunc(ts, func(a, b fields.Target) int { return strings.Compare(a.Name(), b.Name()) })
	return fields.JavaOrder(ts, func(t *fields.Target) string { return t.Name() })
}

// contradicts reports whether a bool excludes every document, or excludes a query that it requires. Lucene rewrites
// such a bool to a query that matches nothing.
func (c *Compiler) contradicts(n *query.Bool) bool {
	for _, not := range n.MustNot {
		if matchesAll(not) {
			return true
		}
		kind, steps := reflect.TypeOf(not), 0
		for _, list := range [...][]query.Node{n.Must, n.Filter} {
			for _, sub := range list {
				if c.work.Charge(1) != nil {
					return true
				}
				if reflect.TypeOf(sub) != kind {
					continue
				}
				if steps == 0 {
					steps = stepsPerMember * membersOf(reflect.ValueOf(not))
				}
				if c.work.Charge(steps) != nil || reflect.DeepEqual(sub, not) {
					return true
				}
			}
		}
	}
	return false
}

// stepsPerMember is the cost of comparing a member of two queries.
const stepsPerMember = 2

// membersOf counts the members of a query that a comparison reads.
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

// matchesAll reports whether Lucene rewrites a query to one that matches every document.
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
