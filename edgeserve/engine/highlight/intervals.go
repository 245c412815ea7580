// This file lists the words of intervals and of terms_set. Lucene does not look for phrases in these queries: their
// words are marked wherever they are.

package highlight

import (
	"contentedge/edgeserve/engine/compile"
	"contentedge/edgeserve/engine/fields"
)

// unknown adds the words of a query whose type the plain highlighter does not know.
func (w *leafWriter) unknown(t fields.Target, words []string) {
	if !t.Kind.Typed() && len(words) > 0 {
		w.add(leaf{kind: leafUnknown, words: words})
	}
}

// Intervals adds the words of an intervals query to each of its fields.
func (c *clauses) Intervals(l compile.Leaf, field string, found []compile.IntervalWord) {
	var targets []fields.Target
	seen := map[string]bool{}
	for _, f := range found {
		if seen[f.Field] {
			continue
		}
		seen[f.Field] = true
		targets = append(targets, c.resolver.Named(f.Field)...)
	}
	c.on(targets, l, func(w *leafWriter, t fields.Target) {
		if w.anyField && t.Field != targets[0].Field {
			return // all words are added once, with the first field
		}
		w.charge(2 * len(found))
		var words []string
		for _, f := range found {
			if f.Matcher == nil && (w.anyField || f.Field == t.Name()) {
				words = append(words, f.Text)
			}
		}
		w.unknown(t, words)
		for _, f := range found {
			// Lucene ignores patterns that a rule matches in another field.
			if f.Matcher != nil && (w.anyField || f.Field == t.Name() && f.Field == field) {
				w.charge(16 * len(f.Text))
				w.addAutomaton(t, f.Text, 1, automaton{accept: f.Matcher.Match, steps: 16, opaque: true})
			}
		}
	})
}
