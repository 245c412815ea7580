// This file spells what a client sent so that it can stand in a log.

package logs

// maxPrinted bounds what of a client's text is logged, in bytes: a target may have
// sixteen thousand, and a line is for reading.
const maxPrinted = 1024

const hexDigits = "0123456789abcdef"

// Printable spells bytes in printable ASCII: any other byte becomes \xNN and a
// backslash \\. Neither a line end, nor a terminal's control sequence, nor a character
// that reverses the text can come out of it. What is beyond 1,024 bytes is cut and
// shown as three dots.
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
