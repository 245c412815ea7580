// This file finds the matches of a misspelt word in a sorted dictionary. From a term that does not match
// it skips to the next term that may match, as a Levenshtein automaton does.

package pattern

import "unicode/utf8"

// FuzzyWalk compares ascending terms with a misspelt word. It compares the bytes that a term shares with
// the term before only once. It is not safe for concurrent use.
type FuzzyWalk struct {
	f    *Fuzzy
	read []fuzzyRead // one for each leading code point of the previous term, while a match may begin with them
	next []byte
}

// fuzzyRead is the state after a code point of a term. The code point ends at byte end.
type fuzzyRead struct {
	c     rune
	end   int
	state uint16
}

// Walk begins a walk.
func (f *Fuzzy) Walk() *FuzzyWalk {
	return &FuzzyWalk{f: f, read: append(make([]fuzzyRead, 0, usualRunes), fuzzyRead{state: firstState})}
}

// Distance returns the edit distance of term, or -1 if term does not match. The first same bytes of term equal the
// first bytes of the previous term. dead and next help to skip terms; at most one of them is set. If dead is not 0, no
// match begins with the first dead bytes of term. If next is not nil, no match is between term and next, which is above
// term. next is valid until the next call.
func (w *FuzzyWalk) Distance(term []byte, same int) (d, dead int, next []byte) {
	n := len(w.read) - 1
	for w.read[n].end > same || n > 0 && w.read[n].c == utf8.RuneError { // perhaps an invalid byte, with which a valid code point of this term begins
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

// skip returns dead and next of Distance for a term whose code points read cannot be followed by c in a
// match. c ends at byte end. skip drops code points read that nothing can follow in a match.
func (w *FuzzyWalk) skip(c rune, end int, term []byte) (dead int, next []byte) {
	for {
		if c == utf8.RuneError {
			return 0, nil // perhaps an invalid byte, which does not sort as this code point
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

// above is the least code point of the word that is above c and with which a match is possible in place
// of c, or -1.
func (w *FuzzyWalk) above(c rune) rune {
	n, least := len(w.read)-1, rune(-1)
	for _, near := range w.f.near(n) {
		if near > c && (least < 0 || near < least) && w.f.step(w.read[n].state, n, near) != 0 {
			least = near
		}
	}
	return least
}
