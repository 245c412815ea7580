// This file encodes filter text as a token. Tokens are reversible and safe in file names, even where
// file names ignore case. Web servers can compute them with character tables; a hash would need a
// crypto library there.

package address

import (
	"strings"
	"unicode/utf8"
)

const lowerHex = "0123456789abcdef"

// Token encodes s in the bytes a-z 0-9 - _ and the dot. a-z and digits stay; a space becomes -. A
// letter A-Z becomes _ and the lower-case letter. A run of other bytes becomes a dot, their hexadecimal
// digits and _. Token returns false if no file may exist: s is empty or not UTF-8, contains a control
// byte or U+FFFD (lenient decoders replace bad bytes with it), or its token exceeds 200 bytes.
func Token(s string) (string, bool) {
	var buf [MaxToken + 8]byte
	b, ok := appendToken(buf[:0], s)
	return string(b), ok
}

// appendToken appends the token of s. If s has no token, it returns false and dst unchanged.
func appendToken(dst []byte, s string) ([]byte, bool) {
	if len(s) > MaxToken || !tokenText(s) {
		return dst, false
	}
	b, run := dst, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		other := needsHex(c)
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
	if len(b)-len(dst) > MaxToken {
		return dst, false
	}
	return b, true
}

func appendTokenByte(b []byte, c byte) []byte {
	switch {
	case c == ' ':
		return append(b, '-')
	case 'A' <= c && c <= 'Z':
		return append(b, '_', c+('a'-'A'))
	case needsHex(c):
		return append(b, lowerHex[c>>4], lowerHex[c&15])
	}
	return append(b, c)
}

func needsHex(c byte) bool {
	return c != ' ' && !('a' <= c && c <= 'z') && !('0' <= c && c <= '9') && !('A' <= c && c <= 'Z')
}

// tokenText reports whether the bytes of s permit a token. It does not check the length.
func tokenText(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] == 0x7f {
			return false
		}
	}
	return s != "" && utf8.ValidString(s) && !strings.Contains(s, "\uFFFD")
}

// ParseToken decodes only tokens that Token writes. So each text has one token, and each list one file
// name.
func ParseToken(token string) (string, bool) {
	if len(token) > MaxToken {
		return "", false
	}
	var buf [MaxToken]byte
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

// parseTokenPart decodes the first element of token and returns its length, 0 if invalid.
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

// parseTokenRun decodes a run: a dot, two lower-case hexadecimal digits for each byte, and _. No dot may
// follow, because Token writes adjacent runs as one run.
func parseTokenRun(b []byte, token string) ([]byte, int) {
	end := strings.IndexByte(token, '_')
	if end < 3 || end%2 == 0 || strings.HasPrefix(token[end+1:], ".") {
		return b, 0
	}
	for i := 1; i < end; i += 2 {
		hi, lo := strings.IndexByte(lowerHex, token[i]), strings.IndexByte(lowerHex, token[i+1])
		if hi < 0 || lo < 0 || !needsHex(byte(hi<<4|lo)) {
			return b, 0
		}
		b = append(b, byte(hi<<4|lo))
	}
	return b, end + 1
}
