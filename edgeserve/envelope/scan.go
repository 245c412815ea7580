// This file skips values of compact JSON. Checksums protect fragments, so the scanner
// validates only what it needs to find the end of a value. Invalid JSON gives -1 and no
// read out of bounds.

package envelope

// skipValue returns the index after the value at i, or -1.
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

// skipString returns the index after the string at i, or -1.
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

// skipNested returns the index after the object or array at i, or -1. It counts both kinds
// of brackets together, which is correct for valid JSON.
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
