// This file matches the terms of a sorted dictionary one after the other.

package pattern

import "unicode/utf8"

// RegexpWalk tests terms. It reads once what a term shares with the one before it. It is not safe for
// concurrent use.
type RegexpWalk struct {
	r    *Regexp
	read []regexpState // of the first code points of the term before, in order; nil: it is forgotten
}

// regexpState is the state behind a code point, which ends at a byte of the term.
type regexpState struct{ state, end int32 }

// usualRunes is a length that most terms do not exceed.
const usualRunes = 32

// maxRead is the number of code points of a term that are remembered: long values are no reason to
// hold several times their memory.
const maxRead = 1 << 10

// Walk begins a walk.
func (r *Regexp) Walk() *RegexpWalk { return &RegexpWalk{r, make([]regexpState, 0, usualRunes)} }

// Test reports whether the whole of term matches. Its first same bytes are those of the term before.
// No match begins with its first deadPrefix bytes, which is 0 if term begins a match or nothing
// matches.
func (w *RegexpWalk) Test(term []byte, same int) (ok bool, deadPrefix int) {
	r, s, i := w.r, w.r.start, 0
	if s == dead {
		return false, 0
	}
	read := w.read
	for len(read) > 0 && int(read[len(read)-1].end) > same {
		read = read[:len(read)-1]
	}
	if n := len(read) - 1; n >= 0 {
		s, i = read[n].state, int(read[n].end)
	}
	table, classes := r.table, r.alphabet.size()
	for i < len(term) {
		class, invalid := 0, false
		if c := term[i]; c < utf8.RuneSelf {
			class = int(r.alphabet.ascii[c])
			i++
		} else {
			c, size := utf8.DecodeRune(term[i:])
			class, invalid = r.alphabet.class(c), size == 1
			i += size
		}
		if table != nil {
			s = int32(table[int(s)*classes+class])
		} else {
			s = follow(r.rows[s], class)
		}
		if s == dead {
			deadPrefix = i
			break
		}
		if read != nil && !invalid && len(read) < maxRead { // an invalid byte may be the beginning of a code point elsewhere
			read = append(read, regexpState{s, int32(i)})
		}
	}
	w.read = read
	return deadPrefix == 0 && r.accept[s], deadPrefix
}
