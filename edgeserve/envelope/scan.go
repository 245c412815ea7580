// This file steps over values of compact JSON text. Fragments were written by the
// generator and proved by checksum, so the scanner looks only at what it needs to find
// where a value ends; on text that is no JSON it stops within bounds and says so.

package envelope

// skipValue is the index after the value that begins at i, or -1.
func skipValue(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i)
	}
	start := i
	for i < len(b) && !isDelimiter(b[i]) {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

// isDelimiter reports whether c ends a number or a literal.
func isDelimiter(c byte) bool {
	return c == ',' || c == ']' || c == '}' || c == ':' || c == '"' || c == '[' || c == '{'
}

// skipString is the index after the string that begins at i, or -1.
func skipString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// skipNested is the index after the object or array that begins at i, or -1. It
// counts brackets of both kinds together: the text is JSON.
func skipNested(b []byte, i int) int {
	for depth := 0; i < len(b); i++ {
		switch b[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"':
			if i = skipString(b, i); i < 0 {
				return -1
			}
			i--
		}
	}
	return -1
}
