// This file reads files as text: whole, or line by line.

package export

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"contentedge/edgeserve/bytesize"
	"contentedge/generator/jsontree"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/jsonscan"
)

// MaxLine bounds a line in bytes: a document of the largest size and as much of what is not taken.
const MaxLine = 2 * documents.MaxSize

// All reads the whole file, which may have limit bytes, without a byte order mark.
func (f *File) All(limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > limit {
		return nil, f.Fault(0, 0, "this file has more than "+bytesize.Format(limit), "")
	}
	return f.utf8(text)
}

func (f *File) utf8(text []byte) ([]byte, error) {
	text, err := documents.Decode(text)
	if fault, ok := errors.AsType[*documents.FileFault](err); ok {
		return nil, f.Fault(0, 0, fault.Message, fault.Hint)
	}
	return text, err
}

// Lines calls do with each line that is not blank, by its number from 1. The text is valid during the
// call.
func (f *File) Lines(do func(number int, text []byte) error) error {
	r := bufio.NewReaderSize(f, 64<<10)
	var line []byte
	for number := 1; ; number++ {
		line = line[:0]
		var err error
		for more := true; more; {
			var part []byte
			part, err = r.ReadSlice('\n')
			line = append(line, part...)
			if more = errors.Is(err, bufio.ErrBufferFull); len(line) > MaxLine {
				return f.Fault(number, 1, fmt.Sprintf("this line has more than %s", bytesize.Format(MaxLine)), "")
			}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		text := line
		if number == 1 {
			var wrong error
			if text, wrong = f.utf8(text); wrong != nil {
				return wrong
			}
		}
		if text = bytes.TrimRight(text, " \t\r\n"); !documents.Blank(text) {
			if err := do(number, text); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
	}
}

// Explain returns a Fault with the place of an error of package jsontree in a text that begins on a
// line of the file; any other error as it is.
func (f *File) Explain(text []byte, line int, err error) error {
	wrong, ok := errors.AsType[*jsontree.Error](err)
	if !ok {
		return err
	}
	l, col := jsonscan.Place(text, wrong.Offset)
	return f.Fault(line+l-1, col, wrong.Message, wrong.Hint)
}
