// This file escapes untrusted text for logs.

package logs

// maxPrinted limits logged client text, in bytes; a request target may have 16,000.
const maxPrinted = 1024

const hexDigits = "0123456789abcdef"

// Printable escapes bytes as printable ASCII: a backslash becomes \\ and any other byte
// \xNN. The result cannot contain line ends, terminal escapes or bidirectional
// controls. Text beyond 1,024 bytes is cut and marked with three dots.
func Printable(b []byte) string {
	cut := len(b) > maxPrinted
	if cut {
		b = b[:maxPrinted]
	}
	out := make([]byte, 0, len(b)+3)
	for _, c := range b {
		switch {
		case c == '\\':
			out = append(out, `\\`...)
		case c >= 0x20 && c < 0x7f:
			out = append(out, c)
		default:
			out = append(out, '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	if cut {
		out = append(out, "..."...)
	}
	return string(out)
}
