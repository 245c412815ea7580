// This file says which parts of a text no end of a term divides. A pattern on whole values, such as
// *docker*, then needs only the documents of such terms.

package analysis

import (
	"strings"
	"sync"
	"unicode"
)

// InWord reports whether r and its case variants occur only in words. Between two such characters, the only terms that
// end are at least as long as CutTerm, and a term has each such character in lower case, which is one of its case
// variants.
func InWord(r rune) bool {
	for c := r; ; {
		if k := classOf(c); k != letter && k != digit || !sameLetter(c, lowerOf(c)) {
			return false
		}
		if c = unicode.SimpleFold(c); c == r {
			return true
		}
	}
}

// CutTerm is the least length in bytes of a term whose word may continue: the next character may need two UTF-16 units
// where the limit leaves one.
const CutTerm = maxUnits - 1

// IsLowerOfAnother reports whether r is the lower case of a character that is not a case variant of r, as i of İ.
func IsLowerOfAnother(r rune) bool { return lowerOfOthers()[r] }

var lowerOfOthers = sync.OnceValue(func() map[rune]bool {
	others := map[rune]bool{}
	for _, s := range lowerSpans {
		for r := s.low; r <= s.high; r += s.step {
			if !sameLetter(r, r+s.delta) {
				others[r+s.delta] = true
			}
		}
	}
	return others
})

func lowerOf(r rune) rune {
	if uint32(r) < planes && classTable[r]&hasLower != 0 {
		return lowerRune(r)
	}
	return r
}

func sameLetter(a, b rune) bool { return a == b || strings.EqualFold(string(a), string(b)) }
