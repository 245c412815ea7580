// This file writes a filter's text as a token: a reversible spelling that is safe as a
// part of a file name everywhere, also where case does not count, and that a host can
// compute with nothing but character tables. A hash would need a crypto library in
// every host and could not be turned back.

package address

import (
	"strings"
	"unicode/utf8"
)

// maxToken keeps a path component below 255 bytes and a key of four filters below
// 1,024. Longer texts have no files; their lists are searched for.
const maxToken = 200

const lowerHex = "0123456789abcdef"

// Token spells s in the bytes a-z 0-9 - _ and the dot: a-z and 0-9 as they are, a
// space as -, A-Z as _ and the lower-case letter, every run of other bytes as a dot,
// their hexadecimal digits and _. It reports false where no file may exist: s is
// empty, not UTF-8, holds a control byte or U+FFFD (what lenient decoders make of bad
// bytes), or its token is longer than 200 bytes.
func Token(s string) (string, bool) {
	var buf [maxToken + 8]byte
	b, ok := appendToken(buf[:0], s)
	return string(b), ok
}

// appendToken is Token for a name under construction. Without ok, dst comes back as it was.
func appendToken(dst []byte, s string) ([]byte, bool) {
	if len(s) > maxToken || !tokenText(s) {
		return dst, false
	}
	b, run := dst, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		other := isOther(c)
		if run && !other {
			b = append(b, '_')
		}
		if other && !run {
			b = append(b, '.')
		}
		run = other
		b = appendTokenByte(b, c)
	}
	if run {
		b = append(b, '_')
	}
	if len(b)-len(dst) > maxToken {
		return dst, false
	}
	return b, true
}

// appendTokenByte writes one byte of the text; the caller frames runs of other bytes.
func appendTokenByte(b []byte, c byte) []byte {
	switch {
	case c == ' ':
		return append(b, '-')
	case 'A' <= c && c <= 'Z':
		return append(b, '_', c+('a'-'A'))
	case isOther(c):
		return append(b, lowerHex[c>>4], lowerHex[c&15])
	}
	return append(b, c)
}

// isOther reports whether a token writes c in hexadecimal.
func isOther(c byte) bool {
	return c != ' ' && !('a' <= c && c <= 'z') && !('0' <= c && c <= '9') && !('A' <= c && c <= 'Z')
}

// tokenText reports whether a file may be named after s, its length aside.
func tokenText(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] == 0x7f {
			return false
		}
	}
	return s != "" && utf8.ValidString(s) && !strings.Contains(s, "\uFFFD")
}

// ParseToken is the text of a token, and false for everything that Token does not
// write: each text has one token, so that each list has one file name.
func ParseToken(token string) (string, bool) {
	if len(token) > maxToken {
		return "", false
	}
	var buf [maxToken]byte
	b := buf[:0]
	for i := 0; i < len(token); {
		var n int
		b, n = parseTokenPart(b, token[i:])
		if n == 0 {
			return "", false
		}
		i += n
	}
	s := string(b)
	return s, tokenText(s)
}

// parseTokenPart appends what the beginning of token spells and tells how many bytes
// that took; 0 means that no token begins so.
func parseTokenPart(b []byte, token string) ([]byte, int) {
	switch c := token[0]; {
	case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
		return append(b, c), 1
	case c == '-':
		return append(b, ' '), 1
	case c == '_' && len(token) > 1 && 'a' <= token[1] && token[1] <= 'z':
		return append(b, token[1]-('a'-'A')), 2
	case c == '.':
		return parseTokenRun(b, token)
	}
	return b, 0
}

// parseTokenRun reads a dot, at least one pair of lower-case digits that spells another
// byte, and _. Two runs in a row would be one, so a dot may not follow.
func parseTokenRun(b []byte, token string) ([]byte, int) {
	end := strings.IndexByte(token, '_')
	if end < 3 || end%2 == 0 || strings.HasPrefix(token[end+1:], ".") {
		return b, 0
	}
	for i := 1; i < end; i += 2 {
		hi, lo := strings.IndexByte(lowerHex, token[i]), strings.IndexByte(lowerHex, token[i+1])
		if hi < 0 || lo < 0 || !isOther(byte(hi<<4|lo)) {
			return b, 0
		}
		b = append(b, byte(hi<<4|lo))
	}
	return b, end + 1
}
