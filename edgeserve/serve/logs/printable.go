// This file escapes untrusted text for logs.

package logs

import "fmt"

const maxPrinted = 1024 // of client text, in bytes; a request target may have 16,000

// Printable escapes bytes as printable ASCII: a backslash becomes \\ and any other byte \xNN. So
// there are no line ends, terminal escapes or bidirectional controls. Text beyond 1,024 bytes is
// cut and marked with three dots.
func Printable(b []byte) string {
	out := make([]byte, 0, min(len(b), maxPrinted)+3)
	for _, c := range b[:min(len(b), maxPrinted)] {
		switch {
		case c == '\\':
			out = append(out, `\\`...)
		case c >= 0x20 && c < 0x7f:
			out = append(out, c)
		default:
			out = fmt.Appendf(out, `\x%02x`, c)
		}
	}
	if len(b) > maxPrinted {
		out = append(out, "..."...)
	}
	return string(out)
}
