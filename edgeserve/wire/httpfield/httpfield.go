// Package httpfield has the names of header fields, and reads and writes their parts: tokens, spaces,
// names without regard to case, lines. Reading works on the bytes as received and allocates nothing.
package httpfield

// TrimSpace removes spaces and tabs from both ends.
func TrimSpace(v []byte) []byte {
	for len(v) > 0 && (v[0] == ' ' || v[0] == '\t') {
		v = v[1:]
	}
	for len(v) > 0 && (v[len(v)-1] == ' ' || v[len(v)-1] == '\t') {
		v = v[:len(v)-1]
	}
	return v
}

// FoldEqual reports whether v is text in any case of its ASCII letters. Unicode case folding would
// take the Kelvin sign for a k.
func FoldEqual(v []byte, text string) bool {
	if len(v) != len(text) {
		return false
	}
	if string(v) == text {
		return true // most clients write names as names.go does
	}
	for i, c := range v {
		if c != text[i] && lower(c) != lower(text[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c |= 0x20
	}
	return c
}

// IsToken reports whether v is a token (RFC 9110 5.6.2), as a field name is.
func IsToken(v []byte) bool { return len(v) > 0 && TokenLength(v) == len(v) }

// TokenLength is the number of bytes at the beginning of v that may be in a token.
func TokenLength(v []byte) (n int) {
	for n < len(v) && inToken[v[n]] {
		n++
	}
	return n
}

var inToken = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' && c < 0x80
	}
	for _, c := range []byte("!#$%&'*+-.^_`|~") {
		t[c] = true
	}
	return t
}()
