// This file matches misspelt words: terms within two edits of a word.

package pattern

import (
	"slices"
	"unicode/utf8"
)

// MaxEdits is the greatest edit distance, as in Lucene. With three, most short words would match.
const MaxEdits = 2

// Fuzzy matches the terms within an edit distance of a word. An edit inserts, deletes or replaces a
// code point, or swaps two neighbours; no part is edited twice (optimal string alignment).
type Fuzzy struct {
	word    []rune
	padded  []rune // the word, with a -1 on both sides for each cell of a row beyond it
	letters uint64 // a bit for each code point of the word, by its last six bits
	edits   int
	fixed   int // leading code points that must be equal
	prefix  []byte
	table   *fuzzyTable
}

// CompileFuzzy compiles a word. It clamps edits to 0 and MaxEdits. prefixRunes leading code points
// must be equal; if they are the whole word, only the word matches.
func CompileFuzzy(word string, edits, prefixRunes int) *Fuzzy {
	if max(prefixRunes, 0) >= utf8.RuneCountInString(word) {
		edits = 0
	}
	return CompileNear(word, edits, prefixRunes)
}

// CompileNear is CompileFuzzy, but a whole word as the prefix also matches the words that begin
// with it, within the edits.
func CompileNear(word string, edits, prefixRunes int) *Fuzzy {
	f := &Fuzzy{word: []rune(word), edits: min(max(edits, 0), MaxEdits)}
	f.fixed = min(max(prefixRunes, 0), len(f.word))
	if f.edits == 0 {
		f.fixed = len(f.word)
	}
	f.prefix = []byte(string(f.word[:f.fixed]))
	f.padded = slices.Repeat([]rune{-1}, len(f.word)+band+MaxEdits)
	for i, c := range f.word {
		f.padded[MaxEdits+i] = c
		f.letters |= 1 << (uint32(c) & 63)
	}
	f.table = fuzzyTables[f.edits][1]()
	return f
}

// WithoutSwaps makes two swapped neighbours two edits instead of one.
func (f *Fuzzy) WithoutSwaps() *Fuzzy {
	f.table = fuzzyTables[f.edits][0]()
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
	s, n := uint16(firstState), 0
	for i := 0; i < len(term); n++ {
		c, size := rune(term[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRune(term[i:])
		}
		i += size
		if s = f.step(s, n, c); s == 0 {
			return 0, false
		}
	}
	d = f.end(s, n)
	return d, d >= 0
}

// step reads code point c after n others. No match begins with them if it returns state 0.
func (f *Fuzzy) step(s uint16, n int, c rune) uint16 {
	if n < f.fixed && f.word[n] != c {
		return 0
	}
	equal := 0
	if f.letters>>(uint32(c)&63)&1 == 1 {
		for k, near := range f.near(n) {
			if near == c {
				equal |= 1 << k
			}
		}
	}
	return f.table.next[s][equal]
}

// near are the code points of the word with which code point n of a term is compared, counted from 0.
func (f *Fuzzy) near(n int) []rune { return f.padded[n : n+band] }

// end is the distance of a term of n code points that ends in a state, or -1 if the term does not match.
func (f *Fuzzy) end(s uint16, n int) int {
	k := len(f.word) - n + MaxEdits
	if k < 0 || k >= band || n < f.fixed {
		return -1
	}
	if d := int(f.table.states[s].row[k]); d <= f.edits {
		return d
	}
	return -1
}

// Similarity orders matches: 1 minus the distance per code point of the shorter word, 1 for the
// word itself. It may be negative for very short words.
func (f *Fuzzy) Similarity(d int, term []byte) float64 {
	if d == 0 {
		return 1
	}
	return 1 - float64(d)/float64(min(len(f.word), utf8.RuneCount(term)))
}
