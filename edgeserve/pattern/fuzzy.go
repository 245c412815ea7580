// This file matches misspelt words: terms within two edits of a word.

package pattern

import (
	"slices"
	"unicode/utf8"
)

// MaxEdits is the greatest edit distance, as in Lucene. With three, most short words would match.
const MaxEdits = 2

// band is the number of cells in a row whose distance can be at most MaxEdits.
const band = 2*MaxEdits + 1

// tooFar is a distance above every limit, with room to add to it.
const tooFar = 100

// Fuzzy matches the terms within an edit distance of a word. An edit inserts, deletes or replaces a
// code point, or swaps two neighbours; no part is edited twice (optimal string alignment).
type Fuzzy struct {
	word   []rune
	padded []rune // the word between as many -1 as a row extends beyond it
	edits  int
	fixed  int // leading code points that must be equal
	swaps  bool
	prefix []byte
}

// CompileFuzzy compiles a word. It clamps edits to 0 and MaxEdits. prefixRunes leading code points
// must be equal; if they are the whole word, only the word matches.
func CompileFuzzy(word string, edits, prefixRunes int) *Fuzzy {
	if prefixRunes >= utf8.RuneCountInString(word) {
		edits = 0
	}
	return CompileNear(word, edits, prefixRunes)
}

// CompileNear is CompileFuzzy, but a whole word as the prefix also matches the words that begin
// with it, within the edits.
func CompileNear(word string, edits, prefixRunes int) *Fuzzy {
	f := &Fuzzy{word: []rune(word), swaps: true, edits: min(max(edits, 0), MaxEdits)}
	f.fixed = min(max(prefixRunes, 0), len(f.word))
	if f.edits == 0 {
		f.fixed = len(f.word)
	}
	f.prefix = []byte(string(f.word[:f.fixed]))
	f.padded = slices.Repeat([]rune{-1}, len(f.word)+band+MaxEdits)
	copy(f.padded[MaxEdits+1:], f.word)
	return f
}

// WithoutSwaps makes two swapped neighbours two edits instead of one.
func (f *Fuzzy) WithoutSwaps() *Fuzzy {
	f.swaps = false
	return f
}

// Edits returns the greatest distance of a match.
func (f *Fuzzy) Edits() int { return f.edits }

// MinRunes returns the least number of code points of a match.
func (f *Fuzzy) MinRunes() int { return max(len(f.word)-f.edits, f.fixed) }

// MaxRunes returns the greatest number of code points of a match.
func (f *Fuzzy) MaxRunes() int { return len(f.word) + f.edits }

// Prefix returns the common prefix of all matches.
func (f *Fuzzy) Prefix() []byte { return f.prefix }

// Match reports whether term is within the edit distance.
func (f *Fuzzy) Match(term []byte) bool {
	_, ok := f.Distance(term)
	return ok
}

// Distance returns the edit distance of term, valid only if ok: at most Edits.
func (f *Fuzzy) Distance(term []byte) (d int, ok bool) {
	row, last := f.firstRow(), rune(noRune)
	var before distanceRow
	n := 0
	for i := 0; i < len(term); n++ {
		c, size := rune(term[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRune(term[i:])
		}
		i += size
		next, least := f.step(&row, &before, n, last, c)
		if least > f.edits {
			return 0, false
		}
		before, row, last = row, next, c
	}
	return f.end(&row, n)
}

// distanceRow is a row of the distance table of a term, near its diagonal. Cell k is the distance
// between the code points read and the first read+k-MaxEdits of the word. One extra cell, always
// far, saves step a test. Cells beyond the word's end compare with the padding and never fall below
// the last real cell, so they affect no result.
type distanceRow [band + 1]uint8

// noRune equals no code point of a term or a padded word.
const noRune = -2

func (f *Fuzzy) firstRow() distanceRow { return distanceRow{tooFar, tooFar, 0, 1, 2, tooFar} }

// step reads code point c after n others, of which last is the last one. It returns their row and
// its least distance: no match begins with them if that is above the edits.
func (f *Fuzzy) step(row, before *distanceRow, n int, last, c rune) (next distanceRow, least int) {
	if n < f.fixed && f.word[n] != c || n >= f.MaxRunes() {
		return next, tooFar
	}
	if !f.swaps {
		last = noRune
	}
	near := f.padded[n : n+band+1]
	left, lowest := uint8(tooFar), uint8(tooFar)
	for k := range band {
		d := min(left, row[k+1]) + 1
		if near[k+1] == c {
			d = min(d, row[k])
		} else {
			d = min(d, row[k]+1)
		}
		if near[k] == c && near[k+1] == last {
			d = min(d, before[k]+1)
		}
		next[k] = d
		left, lowest = d, min(lowest, d)
	}
	next[band] = tooFar
	return next, int(lowest)
}

// end is the distance of a term of n code points with this row.
func (f *Fuzzy) end(row *distanceRow, n int) (d int, ok bool) {
	k := len(f.word) - n + MaxEdits
	if k < 0 || k >= band {
		return 0, false
	}
	d = int(row[k])
	return d, d <= f.edits && n >= f.fixed
}

// Similarity orders matches: 1 minus the distance per code point of the shorter word, 1 for the
// word itself. It may be negative for very short words.
func (f *Fuzzy) Similarity(d int, term []byte) float64 {
	if d == 0 {
		return 1
	}
	return 1 - float64(d)/float64(min(len(f.word), utf8.RuneCount(term)))
}
