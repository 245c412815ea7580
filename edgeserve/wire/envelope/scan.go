// This file skips values of compact JSON. Checksums protect fragments, so it validates only what
// finding the end needs. Invalid JSON gives -1, never a read out of bounds.

package envelope

import "bytes"

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

func isDelimiter(c byte) bool {
	return c == ',' || c == ']' || c == '}' || c == ':' || c == '"' || c == '[' || c == '{'
}

// skipString returns the index after the string at i, or -1. A quote after an odd number of backslashes is a part of
// the string.
func skipString(b []byte, i int) int {
	for i++; ; {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return -1
		}
		quote := i + n
		first := quote
		for first > i && b[first-1] == '\\' {
			first--
		}
		if i = quote + 1; (quote-first)%2 == 0 {
			return i
		}
	}
}

// skipNested skips an object or array. It counts all brackets as one kind: correct for valid JSON.
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
