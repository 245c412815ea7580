// This file reads NDJSON files part by part, so that they need not fit in memory.

package model

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"sync"

	"contentedge/generator/source"
)

// partSize is in bytes: few enough to keep all workers busy to the end (BenchmarkLoad).
const partSize = 1 << 20

// maxLine allows an item of the largest size and as much white space.
const maxLine = 2 * MaxItemSize

type fileFault struct {
	line          int
	message, hint string
}

func (f *fileFault) Error() string { return f.message }

var (
	errUTF16 = &fileFault{1, "the file is UTF-16, not UTF-8", "save the file as UTF-8"}
	// Somebody lost what was in it.
	errEmpty = &fileFault{1, "the file is empty", "write an item into it, or remove it"}
)

func longLine(line int, text []byte) error {
	hint := "in this kind of file each item stands on one line"
	if bytes.IndexByte(text, '\r') >= 0 && bytes.IndexByte(text, '\n') < 0 {
		hint = oldLineEnds
	}
	return &fileFault{line, fmt.Sprintf("this line has more than %d bytes; an item may have %d", maxLine, MaxItemSize), hint}
}

// decode takes a byte order mark off a text, and refuses those of UTF-16.
func decode(text []byte) ([]byte, error) {
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return nil, errUTF16
	}
	return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), nil
}

type lineParts struct {
	r     *source.Reader
	rest  []byte // of the last read: the beginning of a line
	lines int    // in the parts before
	begun bool
	ended bool
}

// cutAt gives the end of a line to cut at, 0 if no line ends behind from. It picks a line of the
// second half by its bytes, so an edit moves only the cuts beside it, and most parts of an edited
// file stay known.
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

// next reads the next part into buf, which may grow. It is empty at the end of the file.
func (l *lineParts) next(buf []byte) ([]byte, error) {
	buf = append(buf[:0], l.rest...)
	l.rest = l.rest[:0]
	for !l.ended {
		from := len(buf)
		buf = append(buf, make([]byte, partSize)...)
		n, err := io.ReadFull(l.r, buf[from:])
		buf = buf[:from+n]
		l.ended = errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !l.ended {
			return buf, err
		}
		if end := cutAt(buf, from); end > 0 && !l.ended {
			l.rest = append(l.rest, buf[end:]...)
			buf = buf[:end]
			break
		}
		if len(buf) > maxLine && !l.ended {
			return buf, longLine(l.lines+1, buf)
		}
	}
	l.lines += bytes.Count(buf, []byte{'\n'})
	if l.begun {
		return buf, nil
	}
	l.begun = true
	text, err := decode(buf)
	return text, err
}

func (l *loader) ndjson(i int) error {
	r, err := l.files[i].Open()
	if err != nil {
		return l.refuse(i, err)
	}
	defer r.Close()
	var mu sync.Mutex // guards the parts' reading and their number
	parts, number, allBlank := lineParts{r: r}, 0, true
	base := int64(0) // of the next part
	err = l.parallel(func(p *parser) (bool, error) {
		mu.Lock()
		text, err := parts.next(p.input)
		p.input = text
		n, at := number, base
		number, base = number+1, base+int64(len(text))
		allBlank = allBlank && blank(text)
		mu.Unlock()
		if err != nil || len(text) == 0 {
			return false, err
		}
		if l.opts.Kept == nil {
			return true, l.part(p, i, n, at, text)
		}
		return true, l.keptPart(p, i, n, at, text)
	})
	if err == nil && allBlank {
		err = errEmpty
	}
	if err != nil {
		return l.refuse(i, err)
	}
	return nil
}
