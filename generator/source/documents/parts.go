// This file reads a file's text: whole, or in parts.

package documents

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"contentedge/edgeserve/wire/jsoncursor"
)

// PartSize is the size of parts in bytes: few enough to keep all workers busy to the end (BenchmarkLoad).
const PartSize = 1 << 20

// maxLine allows an item of the largest size and as much white space.
const maxLine = 2 * MaxSize

// FileFault is an error of a file as a whole, or of one that cannot be read further.
type FileFault struct {
	Line          int
	Message, Hint string
}

// Error returns the message.
func (f *FileFault) Error() string { return f.Message }

var (
	errUTF16 = &FileFault{1, "the file is UTF-16, not UTF-8", "save the file as UTF-8"}
	// ErrEmpty refuses a file without a document, as its content may have been lost.
	ErrEmpty = &FileFault{1, "the file is empty", "write an item into it, or remove it"}
)

func longLine(line int, text []byte) error {
	hint := "in this kind of file each item is on one line"
	if bytes.IndexByte(text, '\r') >= 0 && bytes.IndexByte(text, '\n') < 0 {
		hint = oldLineEnds
	}
	return &FileFault{line, fmt.Sprintf("this line has more than %d bytes; an item may have %d", maxLine, MaxSize), hint}
}

// Decode takes a byte order mark off the beginning of a file, and refuses UTF-16.
func Decode(text []byte) ([]byte, error) {
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return nil, errUTF16
	}
	return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), nil
}

// Blank reports whether a text is white space.
func Blank(text []byte) bool { return jsoncursor.SkipSpace(text, 0) == len(text) }

// Parts cuts a file of lines into parts of whole lines, so that it need not fit in memory.
type Parts struct {
	r     io.Reader
	rest  []byte // of the last read: the beginning of a line
	lines int    // in the parts before
	begun bool
	ended bool
}

// NewParts returns the parts of a file.
func NewParts(r io.Reader) *Parts { return &Parts{r: r} }

// cutAt returns the end of a line to cut at, or 0 if no line ends after from. It picks a line of the second half by its
// bytes. So an edit moves only the nearest cuts, and most parts of an edited file stay known.
func cutAt(text []byte, from int) (cut int) {
	end := bytes.LastIndexByte(text[from:], '\n')
	if end < 0 {
		return 0
	}
	cut = from + end + 1
	least := uint32(math.MaxUint32)
	for at := from + end/2; at < from+end; {
		n := bytes.IndexByte(text[at:], '\n') + 1
		if sum := crc32.Checksum(text[at:at+n], castagnoli); sum < least && at > from+end/2 {
			least, cut = sum, at+n
		}
		at += n
	}
	return cut
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Next reads the next part into buf, which may grow. It is empty at the end of the file.
func (p *Parts) Next(buf []byte) ([]byte, error) {
	buf = append(buf[:0], p.rest...)
	p.rest = p.rest[:0]
	for !p.ended {
		from := len(buf)
		buf = append(buf, make([]byte, PartSize)...)
		n, err := io.ReadFull(p.r, buf[from:])
		buf = buf[:from+n]
		p.ended = errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !p.ended {
			return buf, err
		}
		if end := cutAt(buf, from); end > 0 && !p.ended {
			p.rest = append(p.rest, buf[end:]...)
			buf = buf[:end]
			break
		}
		if len(buf) > maxLine && !p.ended {
			return buf, longLine(p.lines+1, buf)
		}
	}
	p.lines += bytes.Count(buf, []byte{'\n'})
	if p.begun {
		return buf, nil
	}
	p.begun = true
	text, err := Decode(buf)
	return text, err
}
