// This file tests JSON strings.

package envelope_test

import (
	"testing"

	"contentedge/edgeserve/wire/envelope"
)

func TestStringsAndBytesAreWrittenAlike(t *testing.T) {
	for text, want := range map[string]string{
		"":                 `""`,
		"plain":            `"plain"`,
		"a\"b\\c\n":        `"a\"b\\c\n"`,
		"\x01 tail":        `"\u0001 tail"`,
		"größer\u2028":     "\"größer\u2028\"",
		"cut \xc3":         "\"cut \ufffd\"",
		"plain, then \xff": "\"plain, then \ufffd\"",
	} {
		s := envelope.JavaEscapes.AppendString([]byte("x"), text)
		b := envelope.JavaEscapes.AppendBytes([]byte("x"), []byte(text))
		if string(s) != "x"+want || string(b) != "x"+want {
			t.Errorf("%q: %s and %s, want %s", text, s, b, want)
		}
	}
}
