// Package jsoncursor walks over the bytes of JSON that was checked before, by offsets: it finds the ends of values,
// visits members and elements, and decodes strings. Damaged JSON never makes it panic, hang or read out of bounds: an
// incomplete value ends at the end of the text, and so do the values around it. Every end can bound a slice of the text.
package jsoncursor

import "bytes"

// Children calls do for each member of the object, or for each element of the array, at an offset. It returns the end of
// the object or array. do gets the quoted name of a member (nil for an element) and the offset of the value. It returns
// the end of the value; the end of the text ends Children. Scalars have no children.
func Children(text []byte, at int, do func(name []byte, at int) int) int {
	if at >= len(text) || text[at] != '{' && text[at] != '[' {
		return ScalarEnd(text, at)
	}
	last := text[at] + 2 // the closing bracket: } is two after {, and ] two after [
	at = SkipSpace(text, at+1)
	for at < len(text) && text[at] != last {
		var name []byte
		if last == '}' {
			end := nameEnd(text, at)
			name, at = text[at:end], SkipSpace(text, SkipSpace(text, end)+1)
		}
		if at >= len(text) {
			break
		}
		if at = SkipSpace(text, do(name, at)); at >= len(text) || text[at] == last {
			break
		}
		if text[at] != ',' {
			return len(text)
		}
		at = SkipSpace(text, at+1)
	}
	return min(at+1, len(text))
}

// nameEnd returns the end of the name at an offset, or of the text if no name with a colon is there.
func nameEnd(text []byte, at int) int {
	if text[at] != '"' {
		return len(text)
	}
	end := StringEnd(text, at)
	if colon := SkipSpace(text, end); colon >= len(text) || text[colon] != ':' {
		return len(text)
	}
	return end
}

// ValueEnd returns the end of the value at an offset. It counts all brackets as one kind, which is correct for valid
// JSON.
func ValueEnd(text []byte, at int) int {
	switch {
	case at >= len(text):
		return len(text)
	case text[at] == '"':
		return StringEnd(text, at)
	case text[at] != '{' && text[at] != '[':
		return ScalarEnd(text, at)
	}
	for depth := 0; at < len(text); at++ {
		switch text[at] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
		case '"':
			at = StringEnd(text, at) - 1
		}
	}
	return len(text)
}

// ScalarEnd returns the end of the string, number or word at an offset.
func ScalarEnd(text []byte, at int) int {
	if at < len(text) && text[at] == '"' {
		return StringEnd(text, at)
	}
	start := at
	for at < len(text) && !delimiters[text[at]] {
		at++
	}
	if at == start {
		return len(text) // no value is there
	}
	return at
}

var delimiters = [256]bool{' ': true, '\t': true, '\n': true, '\r': true, ',': true, ':': true, '"': true, '[': true, ']': true, '{': true, '}': true}

// StringEnd returns the end of the string at an offset. A quote after an odd number of backslashes is a part of the
// string.
func StringEnd(text []byte, at int) int {
	for at++; at < len(text); {
		n := bytes.IndexByte(text[at:], '"')
		if n < 0 {
			break
		}
		quote := at + n
		first := quote
		for first > at && text[first-1] == '\\' {
			first--
		}
		if at = quote + 1; (quote-first)%2 == 0 {
			return at
		}
	}
	return len(text)
}

// SkipSpace returns the offset of what follows white space.
func SkipSpace(text []byte, at int) int {
	for at < len(text) && text[at] <= ' ' && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t') {
		at++
	}
	return at
}
