// This file encodes any text as the value of a header field.

package httpfield

import (
	"strings"
	"unicode/utf8"
)

// PrintableText encodes a text as printable ASCII. % and all other characters become the
// percent-encoded bytes of their UTF-8, for JavaScript's decodeURIComponent. A text cut at
// limit bytes ends in "...".
func PrintableText(text string, limit int) string {
	const more = "..."
	var b strings.Builder
	for _, r := range text { // a byte that is not UTF-8 becomes U+FFFD
		var room [3 * utf8.UTFMax]byte
		char := appendPrintable(room[:0], r)
		if b.Len()+len(char) > limit-len(more) {
			return b.String() + more
		}
		b.Write(char)
	}
	return b.String()
}

func appendPrintable(dst []byte, r rune) []byte {
	const digits = "0123456789ABCDEF"
	if ' ' <= r && r <= '~' && r != '%' {
		return append(dst, byte(r))
	}
	var room [utf8.UTFMax]byte
	for _, c := range room[:utf8.EncodeRune(room[:], r)] {
		dst = append(dst, '%', digits[c>>4], digits[c&15])
	}
	return dst
}
