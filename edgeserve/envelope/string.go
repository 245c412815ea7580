// This file writes JSON strings and decodes the member names of fragments.

package envelope

import (
	"encoding/json"
	"unicode/utf8"
)

// appendString writes s as a JSON string. It escapes control bytes, HTML's special
// characters and JavaScript's two line separators. Invalid UTF-8 becomes U+FFFD.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			dst = appendASCII(dst, c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == '\u2028' || r == '\u2029' {
			dst = appendEscape(dst, r)
		} else {
			dst = utf8.AppendRune(dst, r)
		}
		i += n
	}
	return append(dst, '"')
}

// appendASCII writes one byte below 0x80.
func appendASCII(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	case '<', '>', '&', 0x7f:
		return appendEscape(dst, rune(c))
	}
	if c < ' ' {
		return appendEscape(dst, rune(c))
	}
	return append(dst, c)
}

// appendEscape writes a rune below 0x10000 as \uXXXX.
func appendEscape(dst []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}

// appendName appends the text of a quoted member name.
func appendName(dst, quoted []byte) []byte {
	for _, c := range quoted {
		if c == '\\' {
			return appendEscapedName(dst, quoted)
		}
	}
	return append(dst, quoted[1:len(quoted)-1]...)
}

// appendEscapedName is appendName for the rare name with an escape. An invalid JSON string
// counts as empty.
func appendEscapedName(dst, quoted []byte) []byte {
	var name string
	if json.Unmarshal(quoted, &name) != nil {
		name = ""
	}
	return append(dst, name...)
}
