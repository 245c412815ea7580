// This file gives the bytes of an export to the XML decoder. It bounds what one token may hold, as
// the decoder keeps a token in memory, and finds characters that XML does not allow.

package wordpress

import (
	"bufio"
	"fmt"
	"unicode/utf8"

	"contentedge/edgeserve/bytesize"
	"contentedge/generator/imports/export"
	"contentedge/generator/source/documents"
)

// maxToken bounds a tag or a text in bytes: a text is a value of an item.
const maxToken = documents.MaxSize

// input is what the XML decoder reads, byte by byte.
type input struct {
	file    *export.File
	r       *bufio.Reader
	repair  bool // drop characters that XML does not allow
	line    int  // of the byte that was read last, from 1
	token   int  // bytes of the token that is being read
	dropped int  // characters, by repair

	encoded [utf8.UTFMax]byte
	pending []byte // the rest of a character, in encoded
}

func newInput(f *export.File, repair bool) *input {
	return &input{file: f, r: bufio.NewReaderSize(f, 64<<10), repair: repair, line: 1}
}

// fault returns a fault at the line that is being read.
func (in *input) fault(message, hint string) error { return in.faultAt(in.line, message, hint) }

func (in *input) faultAt(line int, message, hint string) error {
	return in.file.Fault(line, 1, message, hint)
}

// Read exists for the decoder's type; the decoder calls only ReadByte.
func (in *input) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	c, err := in.ReadByte()
	if err != nil {
		return 0, err
	}
	p[0] = c
	return 1, nil
}

// ReadByte returns the next byte of the text.
func (in *input) ReadByte() (byte, error) {
	if len(in.pending) > 0 {
		c := in.pending[0]
		in.pending = in.pending[1:]
		return c, nil
	}
	for {
		r, size, err := in.r.ReadRune()
		if err != nil {
			return 0, err
		}
		if in.token += size; in.token > maxToken {
			return 0, in.fault("a text or a tag has more than "+bytesize.Format(maxToken), "the file may be damaged: a quote or the end of a CDATA section is missing before this line")
		}
		if r == '\n' {
			in.line++
		}
		switch {
		case !allowed(r, size) && !in.repair:
			return 0, in.notAllowed(r, size)
		case !allowed(r, size):
			in.dropped++
		case r < utf8.RuneSelf:
			return byte(r), nil
		default:
			n := utf8.EncodeRune(in.encoded[:], r)
			in.pending = in.encoded[1:n]
			return in.encoded[0], nil
		}
	}
}

func (in *input) notAllowed(r rune, size int) error {
	what := fmt.Sprintf("the control character U+%04X", r)
	if r == utf8.RuneError && size == 1 {
		what = "a byte that is not UTF-8"
	}
	return in.fault(what+" is in the file, which XML does not allow", "--repair drops such characters")
}

// allowed reports whether XML 1.0 allows a character.
func allowed(r rune, size int) bool {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return true
	case r < ' ', r == 0xFFFE, r == 0xFFFF:
		return false
	}
	return r != utf8.RuneError || size > 1
}
