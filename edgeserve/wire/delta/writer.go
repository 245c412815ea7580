// This file writes the instructions of a patch. Neighbours of a kind become one.

package delta

import (
	"encoding/binary"
	"io"

	"contentedge/edgeserve/wire/compression"
)

// writer writes instructions: first literals, then a copy. Its first error stays.
type writer struct {
	zip io.WriteCloser
	err error

	literal []byte
	length  int // of the copy
	from    int // its bit
	differs bool
	diff    []byte
	borrow  uint64 // of the difference so far

	at  int // where the copy before ended, in bits
	buf []byte
}

// limited writes at most left bytes.
type limited struct {
	io.Writer
	left int64
}

func (l *limited) Write(b []byte) (int, error) {
	if l.left -= int64(len(b)); l.left < 0 {
		return 0, ErrLarge
	}
	return l.Writer.Write(b)
}

func newWriter(out io.Writer, limit int64) (*writer, error) {
	l := &limited{out, limit}
	if _, err := io.WriteString(l, magic); err != nil {
		return nil, err
	}
	return &writer{zip: compression.NewZstdWriter(l)}, nil
}

func (w *writer) literals(b []byte) {
	if w.length > 0 || len(w.literal) >= chunk {
		w.flush()
	}
	w.literal = append(w.literal, b...)
}

// copy copies bytes from a bit of the old file. differ, if not nil, appends their difference.
func (w *writer) copy(b []byte, from int, differ func(dst []byte, borrow uint64) ([]byte, uint64)) {
	differs := differ != nil
	goesOn := w.length > 0 && from == w.from+8*w.length && differs == w.differs && (!differs || w.length%8 == 0 && w.length < chunk)
	if w.length > 0 && !goesOn {
		w.flush()
	}
	if w.length == 0 {
		w.from, w.differs, w.borrow = from, differs, 0
	}
	w.length += len(b)
	if differs {
		w.diff, w.borrow = differ(w.diff, w.borrow)
	}
}

func (w *writer) flush() {
	if len(w.literal) == 0 && w.length == 0 {
		return
	}
	b := binary.AppendUvarint(w.buf[:0], uint64(len(w.literal)))
	b = append(b, w.literal...)
	length := uint64(2 * w.length)
	if w.differs {
		length++
	}
	b = binary.AppendUvarint(b, length)
	if w.length > 0 {
		b = binary.AppendVarint(b, int64(w.from-w.at))
		w.at = w.from + 8*w.length
	}
	b = append(b, w.diff...)
	if w.err == nil {
		_, w.err = w.zip.Write(b)
	}
	w.buf, w.literal, w.diff, w.length, w.differs = b, w.literal[:0], w.diff[:0], 0, false
}

func (w *writer) end() error {
	w.flush()
	if err := w.zip.Close(); w.err == nil {
		w.err = err
	}
	return w.err
}
