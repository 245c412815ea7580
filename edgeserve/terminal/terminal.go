// Package terminal writes texts of strangers where a person's terminal, or the log of a CI system, reads them. Such a text
// must not control the terminal, hide a part of itself, or begin a line of its own: CI systems obey lines of a certain form.
package terminal

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Text returns a text with all that is not printed escaped: control characters, line ends, what changes the
// direction of writing, and bytes that are not UTF-8. It also escapes the bracket of commands of Azure Pipelines and TeamCity.
func Text(s string) string {
	if !utf8.ValidString(s) || strings.ContainsFunc(s, controls) || strings.Contains(s, "##") {
		e := escaper{inLine: true}
		return string(e.append(nil, []byte(s), controls))
	}
	return s
}

// Error returns the text of an error. A path that the system refuses keeps to its line.
func Error(err error) string {
	text := err.Error()
	if refused, ok := errors.AsType[*fs.PathError](err); ok {
		text = strings.ReplaceAll(text, refused.Path, Text(refused.Path))
	}
	return text
}

// Source returns JSON, Go or TypeScript that means the same, and in which no string controls a terminal or has a command of
// Azure Pipelines or TeamCity. Programs read the text from standard output, and a CI system reads the same lines.
func Source(text []byte) []byte {
	e := escaper{inLine: true, source: true}
	return e.append(nil, text, controlsSource)
}

// controls reports whether a character is not for one line of a terminal.
func controls(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control) || r == '\u2028' || r == '\u2029'
}

// controlsSource reports whether a string of JSON may have the character, but a terminal should not get it.
func controlsSource(r rune) bool { return r > ' ' && controls(r) }

func controlsLine(r rune) bool { return r != '\n' && r != '\t' && controls(r) }

// Writer escapes what is written to it as Text does, except line ends and tabs, and the beginning of lines that are
// commands of GitHub's workflows. Parts of a command may come in several writes. It is for people: what programs read must
// not go through it.
type Writer struct {
	Out    io.Writer
	Source bool // the text is JSON: it stays the same value, as with Source

	mu    sync.Mutex
	line  escaper
	begun []byte // the first bytes of a character whose other bytes the next Write has
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
	escaped := controlsLine
	if w.line.source = w.Source; w.Source {
		escaped = controlsSource
	}
	out := w.line.append(nil, text[:whole], escaped)
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
