// This file collects the leaves of a query by the fields that they search.

package highlight

import (
	"contentedge/edgeserve/engine/compile"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

// clause is a leaf of a query on one of its fields. write adds the highlighters' leaves for it.
type clause struct {
	leaf  compile.Leaf
	write func(w *leafWriter)
}

// clauses collects the clauses of a query. It implements compile.Lister.
type clauses struct {
	work     *scorer.WorkLimit
	resolver fields.Resolver
	compiler *compile.Compiler
	list     []clause
	err      error // of the query inside a span_multi
}

func (c *clauses) add(l compile.Leaf, write func(w *leafWriter)) {
	c.list = append(c.list, clause{l, write})
}

// Word and the methods below implement compile.Lister.
func (c *clauses) Word(l compile.Leaf, text string) {
	c.add(l, func(w *leafWriter) { w.term(l.Target, text, false, l.Boost) })
}

func (c *clauses) AnyCase(l compile.Leaf, text string) {
	c.add(l, func(w *leafWriter) { w.term(l.Target, text, true, l.Boost) })
}

func (c *clauses) Values(l compile.Leaf, values []query.Value) {
	c.add(l, func(w *leafWriter) { w.terms(l.Target, values, l.Boost) })
}

func (c *clauses) Prefix(l compile.Leaf, text string, anyCase bool, r query.Rewrite) {
	c.add(l, func(w *leafWriter) { w.prefix(l.Target, text, anyCase, r, l.Boost) })
}

func (c *clauses) Pattern(l compile.Leaf, text string, r query.Rewrite) {
	c.add(l, func(w *leafWriter) { w.pattern(l.Target, text, pattern.FoldNone, r, l.Boost) })
}

func (c *clauses) Wildcard(l compile.Leaf, n *query.Wildcard) {
	c.add(l, func(w *leafWriter) { w.wildcard(l.Target, n, l.Boost) })
}

func (c *clauses) Regexp(l compile.Leaf, text string, compiled *pattern.Regexp, r query.Rewrite) {
	c.add(l, func(w *leafWriter) { w.regexp(l.Target, text, compiled, r, l.Boost) })
}

func (c *clauses) Fuzzy(l compile.Leaf, text string, edits int, o query.Spelling) {
	c.add(l, func(w *leafWriter) { w.fuzzy(l.Target, text, edits, o, l.Boost) })
}

func (c *clauses) Range(l compile.Leaf, low, high *scorer.Bound) {
	c.add(l, func(w *leafWriter) { w.valueRange(l.Target, low, high, l.Boost) })
}

func (c *clauses) Phrase(l compile.Leaf, words []string, slop int) {
	c.add(l, func(w *leafWriter) { w.add(leaf{kind: leafPhrase, words: words, slop: slop, boost: l.Boost}) })
}

func (c *clauses) PhrasePrefix(l compile.Leaf, words []string, slop, expansions int) {
	c.add(l, func(w *leafWriter) {
		w.add(leaf{kind: leafPhrasePrefix, words: words, slop: slop, expansions: expansions, boost: l.Boost})
	})
}

func (c *clauses) Covered(l compile.Leaf, values []query.Value) {
	c.add(l, func(w *leafWriter) { w.unknown(l.Target, textsOf(values)) })
}

// on adds a clause to several fields.
func (c *clauses) on(targets []fields.Target, l compile.Leaf, write func(w *leafWriter, t fields.Target)) {
	for _, t := range targets {
		l.Target = t
		c.add(l, func(w *leafWriter) { write(w, t) })
	}
}
