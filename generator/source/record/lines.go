// This file finds lines and columns of a text, and bytes that every format refuses.

package record

import (
	"bytes"
	"sort"
	"unicode/utf8"

	"contentedge/generator/source/documents"
)

// Lines finds the places of a text's offsets. It counts the lines once.
type Lines struct {
	text   []byte
	starts []int // of lines
	first  Place // of the text in its file

	known, col int // an offset and its column, so that a long line is counted once
}

// NewLines returns the lines of a text that begins at a place of its file.
func NewLines(text []byte, first Place) *Lines {
	starts := make([]int, 1, 1+bytes.Count(text, []byte{'\n'}))
	for at := 0; ; {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			return &Lines{text: text, starts: starts, first: first, col: 1}
		}
		at += n + 1
		starts = append(starts, at)
	}
}

// Place returns the place of an offset. Offsets that ascend are found fast.
func (l *Lines) Place(offset int) Place {
	offset = min(offset, len(l.text))
	i := sort.SearchInts(l.starts, offset+1) - 1
	if l.known < l.starts[i] || l.known > offset {
		l.known, l.col = l.starts[i], 1
	}
	l.col += utf8.RuneCount(l.text[l.known:offset])
	l.known = offset
	return l.first.Plus(Place{i + 1, l.col})
}

// Plus returns the place in the file of a place in a part that begins at p.
func (p Place) Plus(in Place) Place {
	if in.Line == 1 {
		return Place{p.Line, p.Col + in.Col - 1}
	}
	return Place{p.Line + in.Line - 1, in.Col}
}

// CheckText returns a fault for the first byte of a text that is not UTF-8, or nil.
func CheckText(text []byte, first Place) *Fault {
	if utf8.Valid(text) {
		return nil
	}
	at := 0
	for {
		r, n := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	message, hint := documents.NotUTF8(text[at])
	return &Fault{Place: NewLines(text, first).Place(at), Message: message, Hint: hint}
}

// CheckLineEnds returns a fault for the first CR of a text without a following LF, or nil. Most formats, and all
// places, do not take such a CR for a line end.
func CheckLineEnds(text []byte, first Place) *Fault {
	for at := 0; ; at++ {
		n := bytes.IndexByte(text[at:], '\r')
		if n < 0 {
			return nil
		}
		if at += n; !bytes.HasPrefix(text[at+1:], []byte{'\n'}) {
			return &Fault{Place: NewLines(text, first).Place(at), Message: "there is a carriage return without a line feed here", Hint: "save the file with LF or CR LF at the ends of lines"}
		}
	}
}
