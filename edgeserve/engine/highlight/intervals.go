// This file lists the words of intervals and of terms_set: queries into which Lucene does not look
// for phrases, so their words are marked wherever they stand.

package highlight

import (
	"contentedge/edgeserve/engine/compile"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
)

// RuleReader returns what the rules of intervals look for, as they are rewritten.
type RuleReader func(n *query.Intervals) ([]compile.IntervalWord, error)

// unseen adds a clause into which Lucene's search for phrases does not look.
func (c *clauses) unseen(targets []fields.Target, leaves func(w *leafWriter, t fields.Target)) {
	around := c.hidden
	c.hidden = true
	c.add(targets, 1, func(w *leafWriter, t fields.Target, _ float64) { leaves(w, t) })
	c.hidden = around
}

// unknown adds the words of a query that the plain highlighter does not know.
func (w *leafWriter) unknown(t fields.Target, words []string) {
	if !t.Kind.Typed() && len(words) > 0 {
		w.add(leaf{kind: leafUnknown, words: words})
	}
}

func (c *clauses) intervals(n *query.Intervals) error {
	found, err := c.rules(n)
	if err != nil {
		return err
	}
	var targets []fields.Target
	seen := map[string]bool{}
	for _, f := range found {
		if seen[f.Field] {
			continue
		}
		seen[f.Field] = true
		targets = append(targets, c.resolver.Named(f.Field)...)
	}
	c.unseen(targets, func(w *leafWriter, t fields.Target) {
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
			// Lucene does not see the letters that a rule looks for in another field.
			if f.Matcher != nil && (w.anyField || f.Field == t.Name() && f.Field == n.Field) {
				w.charge(16 * len(f.Text))
				w.addAutomaton(t, f.Text, 1, automaton{accept: f.Matcher.Match, steps: 16, opaque: true})
			}
		}
	})
	return nil
}
