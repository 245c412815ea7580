// This file matches the terms of a sorted dictionary one after the other.

package pattern

import "unicode/utf8"

// RegexpWalk tests terms. It reads the bytes that a term shares with the term before only once. It is not
// safe for concurrent use.
type RegexpWalk struct {
	r    *Regexp
	read []regexpState // one for each leading code point of the previous term; nil if the term is forgotten
}

// regexpState is the state after a code point of a term. The code point ends at byte end.
type regexpState struct{ state, end int32 }

// usualRunes is a length that most terms do not exceed.
const usualRunes = 32

// maxRead is the number of code points of a term that a walk remembers. Without a limit, long values
// would need several times their own memory.
const maxRead = 1 << 10

// Walk begins a walk.
func (r *Regexp) Walk() *RegexpWalk { return &RegexpWalk{r, make([]regexpState, 0, usualRunes)} }

// Test reports whether the whole of term matches. The first same bytes of term equal the first bytes of the previous
// term. No match begins with the first deadPrefix bytes of term. deadPrefix is 0 if a match may begin with term, or if
// nothing matches.
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
		if read != nil && !invalid && len(read) < maxRead { // in another term, an invalid byte may begin a code point
			read = append(read, regexpState{s, int32(i)})
		}
	}
	w.read = read
	return deadPrefix == 0 && r.accept[s], deadPrefix
}
