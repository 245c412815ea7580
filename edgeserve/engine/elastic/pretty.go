// This file indents responses for people, as Elasticsearch does.

package elastic

import "contentedge/edgeserve/wire/jsoncursor"

// prettySpace limits the white space of indentation to a number of bytes for each byte of a response: deep nesting
// could add hundreds. Beyond the limit the rest is written without white space.
const prettySpace = 4

// appendIndented appends a JSON value that has no white space, indented, and a line break.
func appendIndented(dst, value []byte) []byte {
	left := prettySpace * len(value)
	depth := 0
	space := func(n int) bool {
		left -= n
		return left >= 0
	}
	line := func() {
		if space(1 + 2*depth) {
			dst = append(dst, '\n')
			for range depth {
				dst = append(dst, "  "...)
			}
		}
	}
	for i := 0; i < len(value); i++ {
		switch b := value[i]; b {
		case '"':
			end := jsoncursor.StringEnd(value, i)
			dst = append(dst, value[i:end]...)
			i = end - 1
		case '{', '[':
			dst = append(dst, b)
			if next := i + 1; next < len(value) && value[next] == b+2 { // the bracket closes at once
				if space(1) {
					dst = append(dst, ' ')
				}
				dst = append(dst, b+2)
				i++
				continue
			}
			depth++
			line()
		case '}', ']':
			depth--
			line()
			dst = append(dst, b)
		case ',':
			dst = append(dst, b)
			line()
		case ':':
			if space(2) {
				dst = append(dst, " : "...)
			} else {
				dst = append(dst, b)
			}
		default:
			dst = append(dst, b)
		}
	}
	return append(dst, '\n')
}
