// This file matches regular expressions. Go's own package cannot: Lucene's
// syntax has intersection, complement and number intervals, and takes `^` and
// `\d` literally. An expression becomes a deterministic automaton once, so that
// each of the many terms of a dictionary costs one table step per code point.

package pattern

import (
	"slices"
	"unicode/utf8"
)

// Limits of an expression. The first two are Lucene's defaults; maxWork bounds
// what an expression may cost here before those two notice.
const (
	// MaxRegexpUnits is the greatest length in UTF-16 units.
	MaxRegexpUnits = 1000
	// MaxRegexpStates is the greatest size of a deterministic automaton,
	// intermediate ones included.
	MaxRegexpStates = 10_000
	// maxWork bounds all steps of a compilation, about 10 ns each; the worst
	// expression found by a random search took 35 ms.
	maxWork = 2_500_000
	// stateWork is what a state of the unrolled expression counts. A counted
	// part is copied as often as it is counted, so this bounds memory: there
	// are never more than 50,000 states.
	stateWork = 50
	// maxTable is the number of cells up to which transitions are a plain
	// table. 64 Ki cells of two bytes hold all but contrived expressions.
	maxTable = 1 << 16
)

// dead is the state from which nothing matches.
const dead = -1

// Regexp is a compiled regular expression, anchored at both ends.
type Regexp struct {
	alphabet alphabet
	start    int32
	accept   []bool
	table    []int16  // state*alphabet.size()+class, nil when too large
	rows     [][]edge // used without table
	prefix   []byte
}

// CompileRegexp compiles an expression in the syntax of Lucene 8's RegExp with
// all optional parts but named automata. The error is always an *Error. The steps that
// it took, some ten nanoseconds each, are told either way.
func CompileRegexp(expr string) (r *Regexp, steps int, err error) {
	tree, err := parseRegexp(expr)
	if err != nil {
		return nil, len(expr), err
	}
	b := &builder{alphabet: newAlphabet(tree), work: &budget{left: maxWork}}
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

// Prefix returns the bytes that every matching term begins with.
func (r *Regexp) Prefix() []byte { return r.prefix }

// Match reports whether the whole of term matches.
func (r *Regexp) Match(term []byte) bool {
	ok, _ := r.MatchSkip(term)
	return ok
}

// MatchSkip is Match that also returns the length of the shortest prefix of
// term that no matching term begins with, or 0 when some matching term begins
// with all of term. A caller with a sorted dictionary may pass over all terms
// that begin with that prefix. When nothing at all matches it is 0 as well.
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

// alphabet divides the code points into classes that the expression does not
// tell apart, numbered in code point order.
type alphabet struct {
	starts []rune // first code point of each class; starts[0] is 0
	ascii  [utf8.RuneSelf]uint16
}

func newAlphabet(tree *node) alphabet {
	a := alphabet{starts: tree.cuts([]rune{0})}
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

// single returns the one code point of a class.
func (a *alphabet) single(class int) (rune, bool) {
	c, end := a.starts[class], rune(utf8.MaxRune+1)
	if class+1 < len(a.starts) {
		end = a.starts[class+1]
	}
	return c, end == c+1
}
