// This file lower-cases. It stands for Java's Character.toLowerCase(int), by which
// Lucene folds: one code point gives one code point, whatever stands around it.

package analysis

import (
	"sort"
	"unicode/utf8"
)

// Lower returns s with every code point in simple lower case. Bytes that are not
// UTF-8 stay.
func Lower(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf || direct[s[i]]&hasLower != 0 {
			return string(AppendLower(make([]byte, 0, len(s)), []byte(s)))
		}
	}
	return s
}

// AppendLower appends b to dst in simple lower case. Bytes that are not UTF-8 stay.
func AppendLower(dst, b []byte) []byte {
	for i := 0; i < len(b); {
		if c := b[i]; c < utf8.RuneSelf {
			dst = append(dst, lowerASCII(c))
			i++
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		if uint32(r) < planes && direct[r]&hasLower != 0 {
			dst = utf8.AppendRune(dst, lowerRune(r))
		} else {
			dst = append(dst, b[i:i+size]...)
		}
		i += size
	}
	return dst
}

func lowerASCII(c byte) byte {
	if c-'A' < 26 {
		return c | 0x20
	}
	return c
}

// lowerRune is the lower case of an r that has the hasLower bit.
func lowerRune(r rune) rune {
	i := sort.Search(len(lowerSpans), func(i int) bool { return lowerSpans[i].high >= r })
	return r + lowerSpans[i].delta
}
