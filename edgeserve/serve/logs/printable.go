// This file escapes untrusted text for logs.

package logs

import "slices"

const maxPrinted = 1024 // of client text, in bytes; a request target may have 16,000

// Printable escapes bytes as printable ASCII: a backslash becomes \\ and any other byte \xNN. So the result has no line
// ends, terminal escapes or bidirectional controls. Text after 1,024 bytes is cut and marked with three dots.
func Printable(b []byte) string { return string(appendEscaped(nil, b, maxPrinted)) }

// plain reports whether a byte stands for itself.
func plain(c byte) bool { return c >= 0x20 && c < 0x7f && c != '\\' }

const hexDigits = "0123456789abcdef"

// appendEscaped is Printable for a text that is cut at limit bytes.
func appendEscaped(dst, b []byte, limit int) []byte {
	cut := len(b) > limit
	b = b[:min(len(b), limit)]
	dst = slices.Grow(dst, len(b)+3)
	for _, c := range b {
		switch {
		case plain(c):
			dst = append(dst, c)
		case c == '\\':
			dst = append(dst, `\\`...)
		default:
			dst = append(dst, '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	if cut {
		dst = append(dst, "..."...)
	}
	return dst
}

// appendHex escapes bytes for a text in quotes that has no other escapes: quotes and backslashes are \xNN too. It cuts
// the escaped text after limit bytes.
func appendHex(dst, b []byte, limit int) []byte {
	for _, c := range b {
		switch {
		case plain(c) && c != '"' && limit >= 1:
			dst = append(dst, c)
			limit--
		case (!plain(c) || c == '"') && limit >= 4:
			dst = append(dst, '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
			limit -= 4
		default:
			return append(dst, "..."...)
		}
	}
	return dst
}
