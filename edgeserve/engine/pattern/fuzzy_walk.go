// This file finds the matches of a misspelt word in a sorted dictionary. It goes from each term that
// is none to the next one that may be a match, as a Levenshtein automaton does.

package pattern

import "unicode/utf8"

// FuzzyWalk compares ascending terms with a misspelt word. What a term shares with the one before it
// is compared once. It is not safe for concurrent use.
type FuzzyWalk struct {
	f    *Fuzzy
	read []fuzzyRead // of the first code points of the term before, while they may begin a match
	next []byte
}

// fuzzyRead is the state after a code point, which ends at a byte of the term.
type fuzzyRead struct {
	c     rune
	end   int
	state uint16
}

// Walk begins a walk.
func (f *Fuzzy) Walk() *FuzzyWalk {
	return &FuzzyWalk{f: f, read: append(make([]fuzzyRead, 0, usualRunes), fuzzyRead{state: firstState})}
}

// Distance returns the edit distance of term, whose first same bytes are those of the term before,
// or -1: it is no match. Unless dead is 0, no match begins with the first dead bytes of term. Unless
// next is nil, there is no match between term and next, which is above it; next is valid until the
// next call. At most one of them is set.
func (w *FuzzyWalk) Distance(term []byte, same int) (d, dead int, next []byte) {
	n := len(w.read) - 1
	for w.read[n].end > same || n > 0 && w.read[n].c == utf8.RuneError { // maybe an invalid byte, which a valid term goes on from
		n--
	}
	read := w.read[:n+1]
	for i, s := read[n].end, read[n].state; i < len(term); n++ {
		c, size := rune(term[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRune(term[i:])
		}
		i += size
		if s = w.f.step(s, n, c); s == 0 {
			w.read = read
			dead, next = w.skip(c, i, term)
			return -1, dead, next
		}
		read = append(read, fuzzyRead{c, i, s})
	}
	w.read = read
	return w.f.end(read[n].state, n), 0, nil
}

// skip returns what Distance does for a term where no match begins with the code points read and then
// c. c ends at byte end. Code points that nothing can follow are dropped.
func (w *FuzzyWalk) skip(c rune, end int, term []byte) (dead int, next []byte) {
	for {
		if c == utf8.RuneError {
			return 0, nil // it may be an invalid byte, which does not sort as this code point
		}
		n := len(w.read) - 1
		last := &w.read[n]
		if n >= w.f.fixed && w.f.table.next[last.state][0] != 0 {
			return end, nil // any code point may follow
		}
		if above := w.above(c); above >= 0 {
			w.next = utf8.AppendRune(append(w.next[:0], term[:last.end]...), above)
			return 0, w.next
		}
		if n == 0 {
			w.next = append(w.next[:0], 0xff) // above all texts
			return 0, w.next
		}
		c, end = last.c, last.end
		w.read = w.read[:n]
	}
}

// above is the least code point above c after which a match is possible, or -1. The word has it.
func (w *FuzzyWalk) above(c rune) rune {
	n, least := len(w.read)-1, rune(-1)
	for _, near := range w.f.near(n) {
		if near > c && (least < 0 || near < least) && w.f.step(w.read[n].state, n, near) != 0 {
			least = near
		}
	}
	return least
}
