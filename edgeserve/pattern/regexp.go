// This file matches regular expressions. Package regexp does not fit: Lucene's syntax has
// intersection, complement and number intervals, and takes `^` and `\d` literally. An
// expression is compiled to a DFA, so each term of a dictionary costs one table step per
// code point.

package pattern

import (
	"slices"
	"unicode/utf8"
)

// The limits of an expression. The first two are Lucene's defaults. maxWork stops expensive
// compilations that stay below both.
const (
	// MaxRegexpUnits is the greatest length in UTF-16 units.
	MaxRegexpUnits = 1000
	// MaxRegexpStates is the greatest number of DFA states, including intermediate DFAs.
	MaxRegexpStates = 10_000
	// maxWork limits the steps of a compilation, about 10 ns each. The worst expression of
	// a random search took 35 ms.
	maxWork = 2_500_000
	// stateWork is the work charged for an NFA state. Counted repetitions copy their
	// operand, so this also limits memory: an NFA has at most 50,000 states.
	stateWork = 50
	// maxTable is the greatest number of cells in a transition table. 64 Ki cells of two
	// bytes hold all but contrived expressions.
	maxTable = 1 << 16
)

// dead is the state without matches.
const dead = -1

// Regexp is a compiled regular expression, anchored at both ends.
type Regexp struct {
	alphabet alphabet
	start    int32
	accept   []bool
	table    []int16  // state*alphabet.size()+class, nil if too large
	rows     [][]edge // used if table is nil
	prefix   []byte
}

// CompileRegexp compiles an expression in the syntax of Lucene 8's RegExp, with all
// optional features except named automata. The error is always an *Error. steps is the work
// of the compilation, about ten nanoseconds each, also after an error.
func CompileRegexp(expr string) (r *Regexp, steps int, err error) {
	tree, err := parseRegexp(expr)
	if err != nil {
		return nil, len(expr), err
	}
	b := &nfaBuilder{alphabet: newAlphabet(tree), work: &budget{left: maxWork}}
	d := b.deterministic(tree)
	steps = len(expr) + maxWork - b.work.left
	if d == nil {
		return nil, steps, &Error{Message: "the regular expression is too complex", Position: -1}
	}
	return newRegexp(b.alphabet, d), steps, nil
}

func newRegexp(a alphabet, d *dfa) *Regexp {
	if !d.trim() {
		return &Regexp{start: dead}
	}
	r := &Regexp{alphabet: a, accept: d.accept, rows: d.rows, prefix: d.prefix(a)}
	if n := a.size(); n*len(d.rows) <= maxTable {
		r.table = d.table(n)
		r.rows = nil
	}
	return r
}

// Prefix returns the common prefix of all matches.
func (r *Regexp) Prefix() []byte { return r.prefix }

// Match reports whether the whole of term matches.
func (r *Regexp) Match(term []byte) bool {
	ok, _ := r.MatchSkip(term)
	return ok
}

// MatchSkip is like Match and also returns a dead prefix of term: its shortest prefix that
// no match begins with, as a length in bytes. It is 0 if a match begins with all of term,
// or if nothing matches at all. Callers with a sorted dictionary may skip all terms with a
// dead prefix.
func (r *Regexp) MatchSkip(term []byte) (ok bool, deadPrefix int) {
	s := r.start
	if s == dead {
		return false, 0
	}
	for i := 0; i < len(term); {
		var class, n int
		if c := term[i]; c < utf8.RuneSelf {
			class, n = int(r.alphabet.ascii[c]), 1
		} else {
			var c rune
			c, n = utf8.DecodeRune(term[i:])
			class = r.alphabet.class(c)
		}
		i += n
		if s = r.next(s, class); s == dead {
			return false, i
		}
	}
	return r.accept[s], 0
}

func (r *Regexp) next(s int32, class int) int32 {
	if r.table != nil {
		return int32(r.table[int(s)*r.alphabet.size()+class])
	}
	return follow(r.rows[s], class)
}

// alphabet partitions the code points into classes that the expression treats alike.
// Classes are numbered in code point order.
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

// single returns the code point of a class with only one.
func (a *alphabet) single(class int) (rune, bool) {
	c, end := a.starts[class], rune(utf8.MaxRune+1)
	if class+1 < len(a.starts) {
		end = a.starts[class+1]
	}
	return c, end == c+1
}
