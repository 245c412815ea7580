// This file lower-cases like Java's Character.toLowerCase(int), which Lucene uses: one code point
// becomes one code point, regardless of context.

package analysis

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// Lower returns s with every code point in simple lower case. Invalid bytes stay unchanged.
func Lower(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf || classTable[s[i]]&hasLower != 0 {
			return string(AppendLower(make([]byte, 0, len(s)), []byte(s)))
		}
	}
	return s
}

// AppendLower appends b to dst in simple lower case. Invalid bytes stay unchanged.
func AppendLower(dst, b []byte) []byte {
	for i := 0; i < len(b); {
		if c := b[i]; c < utf8.RuneSelf {
			dst = append(dst, lowerASCII(c))
			i++
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		if uint32(r) < planes && classTable[r]&hasLower != 0 {
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

func lowerRune(r rune) rune {
	i := sort.Search(len(lowerSpans), func(i int) bool { return lowerSpans[i].high >= r })
	return r + lowerSpans[i].delta
}

// LowerPattern lower-cases a pattern. A letter after a backslash stays as written, as in Elasticsearch.
func LowerPattern(pattern string) string {
	var out []byte
	for {
		i := strings.IndexByte(pattern, '\\')
		if i < 0 {
			return string(out) + Lower(pattern)
		}
		_, size := utf8.DecodeRuneInString(pattern[i+1:])
		out = append(append(out, Lower(pattern[:i])...), pattern[i:i+1+size]...)
		pattern = pattern[i+1+size:]
	}
}
