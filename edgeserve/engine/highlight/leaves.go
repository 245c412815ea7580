// This file converts a leaf of a query to terms, phrases and automata, which Lucene's queries consist of. The
// highlighters compare words with them.

package highlight

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

type leafKind uint8

const (
	leafTerm leafKind = iota
	leafTerms
	leafPhrase
	leafPhrasePrefix
	leafAutomaton
	leafSpans
	leafUnknown // words of a query into which the plain highlighter looks only if it knows no other word
)

// leaf is a part of a query with which a highlighter compares words.
type leaf struct {
	kind       leafKind
	words      []string // of terms and phrases; the last one of a leafPhrasePrefix is a prefix
	slop       int
	expansions int
	boost      float64
	hidden     bool // Lucene's search for phrases does not look into the clause
	span       *spanLeaf
	automaton  automaton
}

// automaton accepts words.
type automaton struct {
	label  string
	accept func(word []byte) bool
	loose  func(word []byte) bool    // replaces accept in the unified highlighter, if that accepts more words
	weight func(word []byte) float64 // nil: 1
	single bool                      // accepts only one word, which Lucene treats as a term
	only   string                    // the word, if single
	absent bool                      // the unified highlighter rewrites it to the terms of its index, which is empty
	opaque bool                      // the plain highlighter ignores it
	whole  func(value string) bool   // accepts whole values; marks all words of a value if accept takes no word; may be nil
	top    int                       // the number of best words of a text that a span_multi finds; 0 means all words
	steps  int                       // the cost of a word in addition to its length
}

// leafWriter collects the leaves of clauses on fields.
type leafWriter struct {
	list     []leaf
	hidden   bool // of the leaves that follow
	excluded bool // add only leaves that compare the letters of words
	anyField bool // words of all fields count
	charge   func(steps int) error
}

func (w *leafWriter) add(l leaf) {
	switch {
	case !w.excluded, l.kind == leafAutomaton && !l.automaton.single:
	case l.kind == leafTerms && len(l.words) > 1:
		l.kind = leafAutomaton
	case l.kind == leafSpans:
		for _, s := range l.span.appendTests(nil) {
			w.add(leaf{kind: leafAutomaton, boost: l.boost, automaton: automaton{label: s.of.Kind, accept: s.accept, weight: s.weight, steps: 16}})
		}
		return
	default:
		return
	}
	if l.hidden = w.hidden; w.charge(16+4*len(l.words)) == nil {
		w.list = append(w.list, l)
	}
}

// letters reports whether a clause that compares letters marks words for a field. For a field of
// numbers, dates or booleans it only marks words in texts of other fields.
func (w *leafWriter) letters(t fields.Target) bool {
	return !t.Kind.Typed() || w.anyField && !t.ValuesOnly
}

func (w *leafWriter) addAutomaton(t fields.Target, text string, boost float64, a automaton) {
	if !w.letters(t) {
		return
	}
	a.label = t.Name() + ":" + text
	w.add(leaf{kind: leafAutomaton, words: []string{text}, boost: boost, automaton: a})
}

func (w *leafWriter) term(t fields.Target, text string, anyCase bool, boost float64) {
	if t.Kind == fields.Boolean {
		if text = booleanWords[text]; text == "" {
			return
		}
	}
	switch {
	case anyCase:
		w.pattern(t, pattern.Escape(text), pattern.FoldASCII, query.Rewrite{}, boost)
	case t.Kind.Typed() && t.Kind != fields.Boolean:
	default:
		w.add(leaf{kind: leafTerm, words: []string{text}, boost: boost})
	}
}

// pattern adds a wildcard.
func (w *leafWriter) pattern(t fields.Target, text string, fold pattern.Fold, rewrite query.Rewrite, boost float64) {
	w.charge(16 * len(text))
	letter := func(c rune) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
	if fold == pattern.FoldASCII && !strings.ContainsFunc(text, letter) {
		fold = pattern.FoldNone // without letters, the pattern may accept only one word
	}
	c := pattern.CompileWildcard(text, fold)
	within := func(word []byte) bool { return c.MatchWithin(word, w.charge) }
	only, single := c.Only()
	w.addAutomaton(t, text, boost, automaton{accept: within, steps: 4}.of(only, single, rewrite))
}

// of returns the automaton with the word that it accepts, if it accepts only one, and with the number of
// best words that r selects.
func (a automaton) of(only []byte, single bool, r query.Rewrite) automaton {
	a.top = r.Top
	if a.single = single && len(only) > 0; a.single {
		a.only, a.absent = string(only), !r.IsConstant() || r.Clauses
	}
	return a
}

func textsOf(values []query.Value) (texts []string) {
	for _, v := range values {
		texts = append(texts, v.Text)
	}
	return texts
}

func (w *leafWriter) terms(t fields.Target, values []query.Value, boost float64) {
	if t.Kind.Typed() {
		return
	}
	set := textsOf(values)
	slices.Sort(set)
	set = slices.Compact(set)
	l := leaf{kind: leafTerms, words: set, boost: boost}
	l.automaton.label = t.Name() + ":(" + strings.Join(set[:min(len(set), 8)], " ") + ")"
	l.automaton.accept = func(word []byte) bool { // Lucene's automaton of a set fails beyond ASCII
		_, ok := slices.BinarySearch(set, string(word))
		return ok && !slices.ContainsFunc(word, func(c byte) bool { return c >= utf8.RuneSelf })
	}
	l.automaton.steps = 8
	w.add(l)
}

// prefix adds words that begin with a text. Lucene never treats them as a single word, whatever their
// rewrite is.
func (w *leafWriter) prefix(t fields.Target, text string, anyCase bool, r query.Rewrite, boost float64) {
	before := len(w.list)
	if anyCase {
		w.pattern(t, pattern.Escape(text)+"*", pattern.FoldASCII, query.Rewrite{}, boost)
	} else {
		w.addAutomaton(t, text+"*", boost, automaton{accept: func(word []byte) bool { return strings.HasPrefix(string(word), text) }})
	}
	for i := range w.list[before:] {
		w.list[before+i].automaton.top = r.Top
	}
}

// wildcard compares words of text in lower case, except letters after a backslash. On a path of text, the query
// compares whole values, too. Case then does not count unless the query says otherwise.
func (w *leafWriter) wildcard(t fields.Target, n *query.Wildcard, boost float64) {
	if t.Kind != fields.Text {
		w.pattern(t, n.Pattern, foldOf(n, t), n.Rewrite, boost)
		return
	}
	before := len(w.list)
	w.pattern(t, analysis.LowerPattern(n.Pattern), foldOf(n, t), n.Rewrite, boost)
	fold := pattern.FoldAll
	if n.CaseInsensitive != nil && !*n.CaseInsensitive {
		fold = pattern.FoldNone
	}
	m := pattern.CompileWildcard(n.Pattern, fold)
	for i := range w.list[before:] {
		w.list[before+i].automaton.whole = func(value string) bool { return m.MatchWithin([]byte(value), w.charge) }
	}
}

// foldOf returns how a wildcard compares letters. In the text of numbers, dates and booleans, case does
// not count by default.
func foldOf(n *query.Wildcard, t fields.Target) pattern.Fold {
	switch {
	case t.Kind.Typed() && (n.CaseInsensitive == nil || *n.CaseInsensitive):
		return pattern.FoldAll
	case n.CaseInsensitive != nil && *n.CaseInsensitive:
		return pattern.FoldASCII
	}
	return pattern.FoldNone
}

func (w *leafWriter) regexp(t fields.Target, text string, r *pattern.Regexp, rewrite query.Rewrite, boost float64) {
	only, single := r.Only()
	w.addAutomaton(t, "/"+text+"/", boost, automaton{accept: r.Match, steps: 4}.of(only, single, rewrite))
}

func (w *leafWriter) fuzzy(t fields.Target, text string, edits int, o query.Spelling, boost float64) {
	if !w.letters(t) {
		return
	}
	m := pattern.CompileFuzzy(text, edits, o.PrefixLength)
	if o.NoTranspositions {
		m = m.WithoutSwaps()
	}
	var loose func(word []byte) bool
	if o.PrefixLength >= utf8.RuneCountInString(text) && edits > 0 {
		loose = func(word []byte) bool {
			rest, ok := bytes.CutPrefix(word, []byte(text))
			return ok && utf8.RuneCount(rest) <= edits
		}
	}
	top := o.Rewrite.Top
	if o.Rewrite.Kind == query.RewriteDefault {
		top = o.MaxExpansions
	}
	w.addAutomaton(t, text+"~", boost, automaton{accept: m.Match, loose: loose, steps: 16, top: top, weight: func(word []byte) float64 {
		d, _ := m.Distance(word)
		return m.Similarity(d, word)
	}})
}

func (w *leafWriter) valueRange(t fields.Target, low, high *scorer.Bound, boost float64) {
	if t.Kind == fields.Boolean {
		low, high = ofBoolean(low), ofBoolean(high)
		if t.Kind = fields.Keyword; notBoolean(low) || notBoolean(high) {
			return
		}
	}
	if t.Kind.Typed() {
		return
	}
	w.addAutomaton(t, "[]", boost, automaton{accept: func(word []byte) bool {
		return (low == nil || string(word) > low.Text || low.Inc && string(word) == low.Text) &&
			(high == nil || string(word) < high.Text || high.Inc && string(word) == high.Text)
	}})
}

// booleanWords are the words of booleans in Elasticsearch. A highlight may compare texts of other fields
// with them.
var booleanWords = map[string]string{"true": "T", "false": "F"}

func ofBoolean(b *scorer.Bound) *scorer.Bound {
	if b == nil {
		return nil
	}
	return &scorer.Bound{Text: booleanWords[b.Text], Inc: b.Inc}
}

// notBoolean reports whether a bound on booleans is not a boolean.
func notBoolean(b *scorer.Bound) bool { return b != nil && b.Text == "" }
