// Package terminal writes texts of strangers where a person's terminal, or the log of a CI system, reads them. Such a text
// must not control the terminal, hide a part of itself, or begin a line of its own: CI systems obey lines of a certain form.
package terminal

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Text returns a text with all that is not printed escaped: control characters, line ends, what changes the
// direction of writing, and bytes that are not UTF-8.
func Text(s string) string {
	if !utf8.ValidString(s) || strings.ContainsFunc(s, controls) {
		return string(appendText(nil, []byte(s), controls))
	}
	return s
}

// controls reports whether a character is not for one line of a terminal.
func controls(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control) || r == '\u2028' || r == '\u2029'
}

func controlsLine(r rune) bool { return r != '\n' && r != '\t' && controls(r) }

func appendText(dst, s []byte, escaped func(rune) bool) []byte {
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		switch {
		case r == utf8.RuneError && n == 1:
			dst = fmt.Appendf(dst, `\x%02x`, s[0])
		case escaped(r):
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = append(dst, s[:n]...)
		}
		s = s[n:]
	}
	return dst
}

// Writer escapes what is written to it as Text does, except line ends and tabs, and the beginning of lines that are
// commands of GitHub's workflows. It is for people: what programs read must not go through it.
type Writer struct {
	Out io.Writer

	mu     sync.Mutex
	inLine bool
	begun  []byte // the first bytes of a character whose other bytes the next Write has
}

// Raw returns what a Writer writes to, for documents that programs read, or w if it is not a Writer.
func Raw(w io.Writer) io.Writer {
	if escaping, ok := w.(*Writer); ok {
		return escaping.Out
	}
	return w
}

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (n int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := append(w.begun, p...)
	whole := wholeCharacters(text)
	w.begun = bytes.Clone(text[whole:])
	var out []byte
	for line := range bytes.Lines(text[:whole]) {
		if !w.inLine && bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("::")) {
			line = bytes.Replace(line, []byte("::"), []byte(`\u003a:`), 1)
		}
		out = appendText(out, line, controlsLine)
		w.inLine = line[len(line)-1] != '\n'
	}
	if _, err := w.Out.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// wholeCharacters returns the length of a text without a character that has only begun.
func wholeCharacters(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return len(text) - n
			}
			break
		}
	}
	return len(text)
}
