// This file finds the matches of a misspelt word in a sorted dictionary. It goes from each term that
// is none to the next one that may be a match, as a Levenshtein automaton does.

package pattern

import (
	"slices"
	"unicode/utf8"
)

// FuzzyWalk compares ascending terms with a misspelt word. What a term shares with the one before it
// is compared once. It is not safe for concurrent use.
type FuzzyWalk struct {
	f    *Fuzzy
	term []byte
	read []walkRow // of the first code points of term, while they may begin a match
	next []byte
}

// walkRow is the row after a code point, which ends at a byte of the term.
type walkRow struct {
	distanceRow
	least int // distance of the row
	c     rune
	end   int
	other distanceRow // the next row after a code point that the word does not have near by
	known bool        // other is set
}

// Walk begins a walk.
func (f *Fuzzy) Walk() *FuzzyWalk {
	return &FuzzyWalk{f: f, read: append(make([]walkRow, 0, 32), walkRow{distanceRow: f.firstRow(), c: noRune})}
}

// Distance returns the edit distance of term, valid only if ok. Unless next is nil, there is no
// match between term and next, which is above it. next is valid until the next call.
func (w *FuzzyWalk) Distance(term []byte) (d int, ok bool, next []byte) {
	same := 0
	for same < len(term) && same < len(w.term) && term[same] == w.term[same] {
		same++
	}
	n := len(w.read)
	for w.read[n-1].end > same {
		n--
	}
	w.read, w.term = w.read[:n], append(w.term[:same], term[same:]...)
	for i := w.read[n-1].end; i < len(term); {
		c, size := rune(term[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRune(term[i:])
		}
		i += size
		row, least := w.step(c)
		if least > w.f.edits {
			return 0, false, w.after(c, term[:i])
		}
		w.read = append(w.read, walkRow{distanceRow: row, least: least, c: c, end: i})
	}
	d, ok = w.f.end(&w.read[len(w.read)-1].distanceRow, len(w.read)-1)
	return d, ok, nil
}

// step is the row of one more code point, and its least distance.
func (w *FuzzyWalk) step(c rune) (distanceRow, int) {
	n := len(w.read) - 1
	last := &w.read[n]
	if !w.free() || slices.Contains(w.near(), c) {
		return w.f.step(&last.distanceRow, &w.read[max(n-1, 0)].distanceRow, n, last.c, c)
	}
	if !last.known && last.least < w.f.edits {
		last.other, _ = w.f.step(&last.distanceRow, &last.distanceRow, n, noRune, c)
		last.known = true
	}
	return last.other, last.least + 1
}

// near are the code points of the word that the next one of the term is compared with.
func (w *FuzzyWalk) near() []rune { return w.f.padded[len(w.read)-1 : len(w.read)+band] }

// free reports whether the next code point may differ from the word's.
func (w *FuzzyWalk) free() bool { return len(w.read) > w.f.fixed && len(w.read) <= w.f.MaxRunes() }

// after is the least text above all that begin with dead, which may begin a match. c is the last
// code point of dead; the ones before it are those read, which it drops as they come to an end.
func (w *FuzzyWalk) after(c rune, dead []byte) []byte {
	if c == utf8.RuneError {
		return nil // it may be an invalid byte, which does not sort as this code point
	}
	for {
		if above := w.above(c); above >= 0 {
			w.next = append(w.next[:0], dead[:w.read[len(w.read)-1].end]...)
			w.next = utf8.AppendRune(w.next, above)
			return w.next
		}
		n := len(w.read) - 1
		if n == 0 {
			w.next = append(w.next[:0], 0xff) // above all texts
			return w.next
		}
		if c = w.read[n].c; c == utf8.RuneError {
			return nil
		}
		w.read = w.read[:n]
	}
}

// above is the least code point above c after which a match is possible, or -1.
func (w *FuzzyWalk) above(c rune) rune {
	if len(w.read) > w.f.MaxRunes() {
		return -1
	}
	if w.free() && w.read[len(w.read)-1].least < w.f.edits { // any code point
		switch {
		case c+1 == surrogates:
			return surrogates + 0x800
		case c < utf8.MaxRune:
			return c + 1
		}
		return -1
	}
	least := rune(-1)
	for _, near := range w.near() {
		if near > c && (least < 0 || near < least) {
			if _, d := w.step(near); d <= w.f.edits {
				least = near
			}
		}
	}
	return least
}

// surrogates are the 0x800 code points from here on, which no text has.
const surrogates = 0xd800
