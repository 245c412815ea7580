// This file matches misspelt words: terms within two edits of a word.

package pattern

import (
	"slices"
	"unicode/utf8"
)

// MaxEdits is the greatest distance, Lucene's: with three edits most short
// words of a language would match each other.
const MaxEdits = 2

// band is the number of cells of a row that can hold MaxEdits or less.
const band = 2*MaxEdits + 1

// far is a distance beyond every limit, with room to add to it.
const far = 100

// Fuzzy matches the terms within some edits of a word. An edit inserts, deletes
// or replaces a code point, or swaps two neighbours, and no part of the word is
// edited twice (optimal string alignment).
type Fuzzy struct {
	word   []rune
	padded []rune // word between as many -1 as a row reaches out of it
	edits  int
	fixed  int // leading code points that must be equal
	prefix []byte
}

// CompileFuzzy compiles a word. Edits are held between 0 and MaxEdits. The
// first prefixRunes code points must be equal; if they are the whole word, only
// the word itself matches.
func CompileFuzzy(word string, edits, prefixRunes int) *Fuzzy {
	f := &Fuzzy{word: []rune(word), edits: min(max(edits, 0), MaxEdits)}
	f.fixed = min(max(prefixRunes, 0), len(f.word))
	if f.fixed == len(f.word) {
		f.edits = 0
	}
	if f.edits == 0 {
		f.fixed = len(f.word)
	}
	f.prefix = []byte(string(f.word[:f.fixed]))
	f.padded = slices.Repeat([]rune{-1}, len(f.word)+band+MaxEdits)
	copy(f.padded[MaxEdits+1:], f.word)
	return f
}

// Edits is the greatest distance of a matching term.
func (f *Fuzzy) Edits() int { return f.edits }

// MinRunes is the length in code points of the shortest possible match.
func (f *Fuzzy) MinRunes() int { return max(len(f.word)-f.edits, f.fixed) }

// MaxRunes is the length in code points of the longest possible match.
func (f *Fuzzy) MaxRunes() int { return len(f.word) + f.edits }

// Prefix returns the bytes that every matching term begins with.
func (f *Fuzzy) Prefix() []byte { return f.prefix }

// Match reports whether term is within the edits.
func (f *Fuzzy) Match(term []byte) bool {
	_, ok := f.Distance(term)
	return ok
}

// Distance returns how many edits term is away. Without ok that is more than
// allowed and d means nothing.
func (f *Fuzzy) Distance(term []byte) (d int, ok bool) {
	d, ok, _ = f.DistanceSkip(term)
	return d, ok
}

// DistanceSkip is Distance that also returns the length of the shortest prefix
// of term that no matching term begins with, or 0 when some matching term
// begins with all of term. A caller with a sorted dictionary may pass over all
// terms that begin with that prefix.
func (f *Fuzzy) DistanceSkip(term []byte) (d int, ok bool, deadPrefix int) {
	w := walk{f: f, row: [band + 1]uint8{far, far, 0, 1, 2, far}, last: -2}
	for i := 0; i < len(term); {
		c, n := rune(term[i]), 1
		if c >= utf8.RuneSelf {
			c, n = utf8.DecodeRune(term[i:])
		}
		i += n
		if !w.step(c) {
			return 0, false, i
		}
	}
	d = w.distance()
	return d, d <= f.edits && w.read >= f.fixed, 0
}

// walk is the place of a term in the table of distances, of which only the last
// two rows are kept, and of a row only the cells near the diagonal: cell k is
// the distance between what was read and the first read+k-MaxEdits code points
// of the word. One cell more, always far, spares step a test. Cells beyond the
// end of the word compare with padding; they are never less than the last real
// one, so they change neither a distance nor when a prefix is dead.
type walk struct {
	f           *Fuzzy
	row, before [band + 1]uint8
	read        int
	last        rune
}

// step reads a code point and reports whether a match is still possible.
func (w *walk) step(c rune) bool {
	if w.read < w.f.fixed && w.f.word[w.read] != c || w.read >= w.f.MaxRunes() {
		return false
	}
	near := w.f.padded[w.read : w.read+band+1]
	var next [band + 1]uint8
	left, least := uint8(far), uint8(far)
	for k := range band {
		d := min(left, w.row[k+1]) + 1
		if near[k+1] == c {
			d = min(d, w.row[k])
		} else {
			d = min(d, w.row[k]+1)
		}
		if near[k] == c && near[k+1] == w.last {
			d = min(d, w.before[k]+1)
		}
		next[k] = d
		left, least = d, min(least, d)
	}
	next[band] = far
	w.before, w.row = w.row, next
	w.last = c
	w.read++
	return int(least) <= w.f.edits
}

// distance is that of all that was read from the whole word.
func (w *walk) distance() int {
	k := len(w.f.word) - w.read + MaxEdits
	if k < 0 || k >= band {
		return far
	}
	return int(w.row[k])
}

// Similarity orders matching terms, the best first: 1 for the word itself, else
// 1 less the distance per code point of the shorter of the two. It is negative
// for a term that shares nothing with a very short word.
func (f *Fuzzy) Similarity(d int, term []byte) float64 {
	if d == 0 {
		return 1
	}
	return 1 - float64(d)/float64(min(len(f.word), utf8.RuneCount(term)))
}

// Boost is the part a matching term has in a score: its similarity, at least 0.
func (f *Fuzzy) Boost(d int, term []byte) float64 {
	return max(0, f.Similarity(d, term))
}
