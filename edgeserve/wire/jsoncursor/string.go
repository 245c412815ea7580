// This file decodes strings.

package jsoncursor

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Spells reports whether the JSON of a string represents want.
func Spells(quoted []byte, want string) bool {
	switch {
	case len(quoted) < len(want)+2 || quoted[0] != '"':
		return false
	case bytes.IndexByte(quoted, '\\') < 0:
		return string(quoted[1:len(quoted)-1]) == want
	}
	return string(Unquote(quoted)) == want
}

// StringAt returns the text of the string at an offset, nil for other values. It may point into the JSON.
func StringAt(text []byte, at int) []byte {
	if at >= len(text) || text[at] != '"' {
		return nil
	}
	return Unquote(text[at:StringEnd(text, at)])
}

// Unquote returns the text of a string with its quotes. It may point into quoted.
func Unquote(quoted []byte) []byte {
	switch {
	case len(quoted) < len(`""`):
		return nil
	case bytes.IndexByte(quoted, '\\') < 0:
		return quoted[1 : len(quoted)-1]
	}
	return AppendUnquoted(nil, quoted[1:])
}

// AppendUnquoted decodes the text of a string after its opening quote, up to the closing quote.
func AppendUnquoted(dst, s []byte) []byte {
	for {
		i := PlainLen(s)
		dst = append(dst, s[:i]...)
		if i >= len(s) || s[i] == '"' {
			return dst
		}
		var n int
		dst, n = AppendEscape(dst, s[i:])
		s = s[i+n:]
	}
}

// PlainLen returns the bytes before the first quote or backslash, eight at a time for long texts.
func PlainLen(s []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; len(s)-i >= 8; i += 8 {
		w := binary.LittleEndian.Uint64(s[i:])
		quote, slash := w^'"'*ones, w^'\\'*ones
		// The lowest set bit marks the first zero byte in either word.
		if zero := ((quote-ones)&^quote | (slash-ones)&^slash) & highs; zero != 0 {
			return i + bits.TrailingZeros64(zero)>>3
		}
	}
	for i < len(s) && s[i] != '"' && s[i] != '\\' {
		i++
	}
	return i
}

// AppendEscape decodes the escape at the beginning of s, and returns its length.
func AppendEscape(dst, s []byte) ([]byte, int) {
	if len(s) < 2 {
		return dst, len(s)
	}
	if i := strings.IndexByte("bfnrt", s[1]); i >= 0 {
		return append(dst, "\b\f\n\r\t"[i]), 2
	}
	if s[1] == 'u' {
		r, n := rune(hex4(s[2:])), 6
		if utf16.IsSurrogate(r) && len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
			if pair := utf16.DecodeRune(r, rune(hex4(s[8:]))); pair != utf8.RuneError {
				r, n = pair, 12
			}
		}
		return utf8.AppendRune(dst, r), min(n, len(s))
	}
	return append(dst, s[1]), 2
}

func hex4(s []byte) (v uint32) {
	for i := 0; i < 4 && i < len(s); i++ {
		c := s[i] | 0x20
		if c >= 'a' {
			c -= 'a' - '9' - 1
		}
		v = v<<4 | uint32(c-'0')&15
	}
	return v
}
