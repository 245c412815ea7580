// This file lists the words of intervals and of terms_set: queries into which Lucene does not look
// for phrases, so their words are marked wherever they stand.

package highlight

import (
	"strings"
	"unicode/utf8"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/pattern"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/fields"
)

// unseen adds a clause into which Lucene's search for phrases does not look.
func (c *clauses) unseen(field string, leaves func(w *leafWriter, t fields.Target)) {
	around := c.hidden
	c.hidden = true
	c.on(field, 1, func(w *leafWriter, t fields.Target, _ float64) { leaves(w, t) })
	c.hidden = around
}

// unknown adds the words of a query that the plain highlighter does not know.
func (w *leafWriter) unknown(t fields.Target, words []string) {
	if !t.Kind.Typed() && len(words) > 0 {
		w.add(leaf{kind: leafUnknown, words: words})
	}
}

// ruleWords is what the rules of intervals look for in a field.
type ruleWords struct {
	words  []string
	automs []*query.IntervalRule
}

func (c *clauses) intervals(n *query.Intervals) {
	found := map[string]*ruleWords{}
	var names []string
	var walk func(r *query.IntervalRule, field string)
	walk = func(r *query.IntervalRule, field string) {
		if c.charge(16) != nil {
			return
		}
		for _, inner := range r.Rules {
			walk(inner, field)
		}
		if r.Filter != nil && !strings.HasPrefix(r.Filter.Kind, "not_") {
			walk(r.Filter.Rule, field)
		}
		other := r.UseField != "" && r.UseField != field
		if other {
			field = r.UseField
		}
		if found[field] == nil {
			found[field] = &ruleWords{}
			names = append(names, field)
		}
		f := found[field]
		switch text := analysis.Lower(r.Text); {
		case r.Kind == "match":
			words := analysis.Terms(r.Text)
			c.charge(16 * len(words))
			f.words = append(f.words, words[:min(len(words), maxWords)]...)
		case r.Kind == "fuzzy" && r.Fuzziness.Of(r.Text) == 0, r.Kind == "wildcard" && !strings.ContainsAny(text, `*?\`):
			f.words = append(f.words, text)
		case !other && len(r.Rules) == 0: // Lucene does not see those of another field
			f.automs = append(f.automs, r)
		}
	}
	walk(n.Rule, n.Field)
	for _, name := range names {
		c.unseen(name, func(w *leafWriter, t fields.Target) {
			w.unknown(t, found[name].words)
			for _, r := range found[name].automs {
				w.rule(t, r)
			}
		})
	}
}

// rule adds the words that a rule finds by their letters.
func (w *leafWriter) rule(t fields.Target, r *query.IntervalRule) {
	text := analysis.Lower(r.Text)
	var m pattern.Matcher
	steps := 4
	switch edits := r.Fuzziness.Of(r.Text); {
	case r.Kind == "prefix":
		m = pattern.BytePrefix(text)
	case r.Kind == "wildcard":
		w.charge(16 * len(text))
		m = pattern.CompileWildcard(text, pattern.FoldNone)
	case r.Kind != "fuzzy":
		return
	case r.PrefixLength >= utf8.RuneCountInString(text):
		m = pattern.LongerBy(text, edits)
	default:
		f := pattern.CompileFuzzy(text, edits, r.PrefixLength)
		if r.NoTranspositions {
			f = f.WithoutSwaps()
		}
		m, steps = f, 16
	}
	if strings.Trim(text, "*") == "" && r.Kind == "wildcard" {
		return // Lucene does not ask what matches all words
	}
	w.addAutomaton(t, r.Kind+"("+text+")", 1, automaton{accept: m.Match, steps: steps, opaque: true})
}
