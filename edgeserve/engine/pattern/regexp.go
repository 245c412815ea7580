// This file matches regular expressions. Package regexp lacks Lucene's intersection, complement and
// number intervals, and gives `^` and `\d` a meaning that they lack in Lucene. A DFA costs one step per
// code point.

package pattern

import (
	"slices"
	"unicode/utf8"
)

// The limits. The first two are Lucene's defaults; maxWork stops other expensive compilations.
const (
	// MaxRegexpUnits is the greatest length in UTF-16 units.
	MaxRegexpUnits = 1000
	// MaxRegexpStates is the greatest number of DFA states, including intermediate DFAs.
	MaxRegexpStates = 10_000
	// maxWork limits a compilation's steps, about 10 ns each. Random search found at most 35 ms.
	maxWork = 2_500_000
	// stateWork per NFA state also limits memory, to 50,000 states: repetitions copy their operand.
	stateWork = 50
	// maxTable is the greatest number of cells of a table, each of two bytes. Only contrived expressions
	// need more.
	maxTable = 1 << 16
)

const dead = -1

// Regexp is a compiled regular expression, anchored at both ends.
type Regexp struct {
	alphabet alphabet
	start    int32
	accept   []bool
	table    []int16  // state*alphabet.size()+class, nil if too large
	rows     [][]edge // used if table is nil
	prefix   []byte
	only     bool // the prefix is the only match
	literals [][]byte
}

// CompileRegexp compiles the syntax of Lucene 8's RegExp, with all optional features except named
// automata. Errors are *Error. steps is the work, about ten nanoseconds each, also after an error.
func CompileRegexp(expr string) (r *Regexp, steps int, err error) {
	return CompileRegexpSyntax(expr, AllSyntax)
}

// CompileRegexpSyntax is CompileRegexp with some of the optional features.
func CompileRegexpSyntax(expr string, syntax Syntax) (r *Regexp, steps int, err error) {
	tree, err := parseRegexp(expr, syntax)
	if err != nil {
		return nil, len(expr), err
	}
	b := &nfaBuilder{alphabet: newAlphabet(tree), work: &budget{left: maxWork}}
	d := b.deterministic(tree)
	steps = len(expr) + maxWork - b.work.left
	if d == nil {
		return nil, steps, &Error{Message: "the regular expression is too complex", Position: -1}
	}
	r = newRegexp(b.alphabet, d)
	r.literals = tree.literals()
	return r, steps, nil
}

func newRegexp(a alphabet, d *dfa) *Regexp {
	if !d.trim() {
		return &Regexp{start: dead}
	}
	r := &Regexp{alphabet: a, accept: d.accept, rows: d.rows}
	r.prefix, r.only = d.prefix(a)
	if n := a.size(); n*len(d.rows) <= maxTable {
		r.table = d.table(n)
		r.rows = nil
	}
	return r
}

// Prefix returns the common prefix of all matches.
func (r *Regexp) Prefix() []byte { return r.prefix }

// Literals returns folded texts that all matches contain, up to case.
func (r *Regexp) Literals() [][]byte { return r.literals }

// Only returns the text that matches, if only one text matches.
func (r *Regexp) Only() (text []byte, ok bool) { return r.prefix, r.only }

// Match reports whether the whole of term matches.
func (r *Regexp) Match(term []byte) bool {
	w := RegexpWalk{r: r}
	ok, _ := w.Test(term, 0)
	return ok
}

// alphabet partitions the code points into classes that the expression treats alike, in order.
type alphabet struct {
	starts []rune // first code point of each class; starts[0] is 0
	ascii  [utf8.RuneSelf]uint16
}

func newAlphabet(tree *node) alphabet {
	a := alphabet{starts: tree.classStarts([]rune{0})}
	slices.Sort(a.starts)
	a.starts = slices.Compact(a.starts)
	if last := len(a.starts) - 1; a.starts[last] > utf8.MaxRune {
		a.starts = a.starts[:last]
	}
	for c := range a.ascii {
		a.ascii[c] = uint16(a.class(rune(c)))
	}
	return a
}

func (a *alphabet) size() int { return len(a.starts) }

func (a *alphabet) class(c rune) int {
	i, found := slices.BinarySearch(a.starts, c)
	if !found {
		i--
	}
	return i
}

func (a *alphabet) single(class int) (rune, bool) {
	c, end := a.starts[class], rune(utf8.MaxRune+1)
	if class+1 < len(a.starts) {
		end = a.starts[class+1]
	}
	return c, end == c+1
}
