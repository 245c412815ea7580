// This file turns offsets into lines and columns, which only people need: it
// runs for what is reported, not for what is right.

package model

import (
	"bytes"
	"unicode/utf8"
)

// place returns the line and the column of an offset, both from 1. Columns
// count characters, as editors do; a byte that is no UTF-8 counts as one.
func place(text []byte, offset int) (line, col int) {
	before := text[:min(offset, len(text))]
	line = 1 + bytes.Count(before, []byte{'\n'})
	return line, 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}
