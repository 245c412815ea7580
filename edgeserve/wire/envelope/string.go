// This file writes JSON strings.

package envelope

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Escapes selects the escapes of a JSON string. Clients compare bytes: each kind must keep its own.
type Escapes struct {
	ascii [utf8.RuneSelf]string // the escape of each character; "" if it needs none
	lines bool                  // U+2028 and U+2029 are escaped: JavaScript once ended lines there
}

var (
	// HTMLEscapes are for errors: no byte can be read as markup.
	HTMLEscapes = newEscapes("\n\r\t", `\u%04x`, "<>&\x7f", true)
	// JavaEscapes are for aggregations, as Elasticsearch writes them.
	JavaEscapes = newEscapes("\b\f\n\r\t", `\u%04X`, "", false)
	// NumericEscapes are for values that an error message repeats.
	NumericEscapes = newEscapes("", `\u%04x`, "", false)
)

// newEscapes escapes the control characters in short with a letter, as \n. It escapes other control
// characters, and the characters in more, with format.
func newEscapes(short, format, more string, lines bool) *Escapes {
	e := &Escapes{lines: lines}
	for c := range ' ' {
		e.ascii[c] = fmt.Sprintf(format, c)
	}
	for _, c := range more {
		e.ascii[c] = fmt.Sprintf(format, c)
	}
	for _, c := range short + `"\` {
		quoted := strconv.Quote(string(c)) // Go has the same letters
		e.ascii[c] = quoted[1 : len(quoted)-1]
	}
	return e
}

// AppendString writes s as a JSON string. Each invalid byte becomes U+FFFD.
func (e *Escapes) AppendString(dst []byte, s string) []byte {
	plain := plainLen(e, s)
	return append(e.appendRest(append(append(dst, '"'), s[:plain]...), s[plain:]), '"')
}

// AppendBytes writes text as AppendString does.
func (e *Escapes) AppendBytes(dst, text []byte) []byte {
	plain := plainLen(e, text)
	dst = append(append(dst, '"'), text[:plain]...)
	if plain < len(text) {
		dst = e.appendRest(dst, string(text[plain:]))
	}
	return append(dst, '"')
}

// plainLen is the length of the beginning of s that needs no escapes: in most strings the whole
// length.
func plainLen[S string | []byte](e *Escapes, s S) (plain int) {
	for plain < len(s) && s[plain] < utf8.RuneSelf && e.ascii[s[plain]] == "" {
		plain++
	}
	return plain
}

func (e *Escapes) appendRest(dst []byte, s string) []byte {
	for _, r := range s {
		switch {
		case r >= utf8.RuneSelf && e.lines && (r == '\u2028' || r == '\u2029'):
			dst = fmt.Appendf(dst, `\u%04x`, r)
		case r >= utf8.RuneSelf || e.ascii[r] == "":
			dst = utf8.AppendRune(dst, r)
		default:
			dst = append(dst, e.ascii[r]...)
		}
	}
	return dst
}
