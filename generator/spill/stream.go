// This file holds streams: bytes that are written once and read any number of times. Their
// last bytes are in memory, the others in pieces of the file.

package spill

import (
	"encoding/binary"
	"errors"
	"io"
)

// pieceSize is how many bytes a stream buffers in memory and reads at a time: enough for
// rare system calls, few enough for hundreds of streams.
const pieceSize = 64 << 10

type piece struct {
	at int64
	n  int
}

// Stream is a sequence of bytes. One goroutine writes it; several may read it afterwards.
// Errors of the file stick.
type Stream struct {
	file   *File
	pieces []piece
	buf    []byte // the bytes after the pieces
	n      int64  // bytes of the pieces
	err    error
}

// NewStream returns an empty stream.
func (f *File) NewStream() *Stream { return &Stream{file: f} }

// Len is the number of bytes written.
func (s *Stream) Len() int64 { return s.n + int64(len(s.buf)) }

// Write appends bytes.
func (s *Stream) Write(b []byte) (int, error) {
	s.buf = append(s.buf, b...)
	if len(s.buf) >= pieceSize {
		s.put()
	}
	return len(b), s.err
}

// Uvarint appends a number.
func (s *Stream) Uvarint(v uint64) {
	s.buf = binary.AppendUvarint(s.buf, v)
	if len(s.buf) >= pieceSize {
		s.put()
	}
}

// Bytes appends the length of b and its bytes.
func (s *Stream) Bytes(b []byte) {
	s.Uvarint(uint64(len(b)))
	_, _ = s.Write(b) // the error sticks
}

func (s *Stream) put() {
	if s.err != nil || len(s.buf) == 0 {
		s.buf = s.buf[:0]
		return
	}
	p := piece{s.file.Reserve(len(s.buf)), len(s.buf)}
	if _, err := s.file.WriteAt(s.buf, p.at); err != nil {
		s.err = err
	}
	s.pieces = append(s.pieces, p)
	s.n += int64(p.n)
	s.buf = s.buf[:0]
}

// Flush writes the buffer to the file and frees its memory.
func (s *Stream) Flush() error {
	s.put()
	s.buf = nil
	return s.err
}

// WriteTo writes all of the stream to w.
func (s *Stream) WriteTo(w io.Writer) (int64, error) {
	r := s.Reader()
	var done int64
	for r.more() {
		n, err := w.Write(r.buf)
		if done += int64(n); err != nil {
			return done, err
		}
		r.buf = nil
	}
	return done, r.err
}

// Reader reads a stream in one goroutine. Errors stick: reads are then empty and Err returns it.
type Reader struct {
	s    *Stream
	next int    // piece
	mem  []byte // memory of the reader
	buf  []byte // bytes that were read from the file, but not by the caller
	err  error
}

// Reader returns a reader at the beginning of the stream.
func (s *Stream) Reader() *Reader { return &Reader{s: s, err: s.err} }

// errShort is a stream with fewer bytes than its reader expects.
var errShort = errors.New("a temporary file ends early")

// Err is the error of reading, if there was one.
func (r *Reader) Err() error { return r.err }

// More reports whether there are bytes left.
func (r *Reader) More() bool { return len(r.buf) > 0 || r.more() }

// more fills buf if it is empty, and reports whether there are bytes.
func (r *Reader) more() bool { return r.fill(1) && len(r.buf) > 0 }

// fill reads until buf has n bytes or the stream ends. It returns false after an error.
func (r *Reader) fill(n int) bool {
	for len(r.buf) < n && r.next <= len(r.s.pieces) && r.err == nil {
		if r.next == len(r.s.pieces) {
			r.take(len(r.s.buf), func(b []byte) error { copy(b, r.s.buf); return nil })
		} else {
			p := r.s.pieces[r.next]
			r.take(p.n, func(b []byte) error { _, err := r.s.file.ReadAt(b, p.at); return err })
		}
		r.next++
	}
	return r.err == nil
}

// take appends n further bytes to buf.
func (r *Reader) take(n int, read func([]byte) error) {
	have := len(r.buf)
	if cap(r.mem) < have+n {
		mem := make([]byte, have+n)
		copy(mem, r.buf)
		r.mem = mem
	} else {
		r.mem = r.mem[:have+n]
		copy(r.mem, r.buf)
	}
	if r.err = read(r.mem[have:]); r.err != nil {
		r.mem, r.buf = nil, nil
		return
	}
	r.buf = r.mem
}

// Uvarint reads a number.
func (r *Reader) Uvarint() uint64 {
	if len(r.buf) < binary.MaxVarintLen64 {
		r.fill(binary.MaxVarintLen64)
	}
	v, n := binary.Uvarint(r.buf)
	if n <= 0 {
		r.fail(errShort)
		return 0
	}
	r.buf = r.buf[n:]
	return v
}

// Next reads n bytes, which are valid until the next call.
func (r *Reader) Next(n int) []byte {
	if len(r.buf) < n {
		r.fill(n)
	}
	if len(r.buf) < n {
		r.fail(errShort)
		return nil
	}
	b := r.buf[:n]
	r.buf = r.buf[n:]
	return b
}

// Bytes reads what Stream.Bytes wrote; it is valid until the next call.
func (r *Reader) Bytes() []byte { return r.Next(int(r.Uvarint())) }

func (r *Reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.buf = nil
}
