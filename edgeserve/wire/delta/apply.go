// This file applies a patch. It reads the old file at offsets and writes the new one in order, so that neither is in
// memory.

package delta

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"contentedge/edgeserve/wire/compression"
)

// chunk is how much of a file is in memory, in bytes: a multiple of 8.
const chunk = 64 << 10

// Apply writes the new file of size bytes. It neither writes more nor verifies what it wrote: the caller knows
// the digest. An error of a patch wraps ErrPatch.
func Apply(out io.Writer, old io.ReaderAt, oldSize int64, patch io.Reader, size int64) error {
	if oldSize > maxSize || size > maxSize {
		return fmt.Errorf("%w: files have at most %d bytes", ErrPatch, int64(maxSize))
	}
	var head [len(magic)]byte
	if _, err := io.ReadFull(patch, head[:]); err != nil {
		return damaged(err)
	}
	if string(head[:]) != magic {
		return fmt.Errorf("%w: it does not begin with %q", ErrPatch, magic)
	}
	in, err := compression.NewZstdReader(patch)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	a := &applier{in: bufio.NewReaderSize(in, chunk), out: out, old: old, oldSize: oldSize, left: size,
		buf: make([]byte, chunk+1), difference: make([]byte, chunk)}
	for a.left > 0 {
		if err := a.instruction(); err != nil {
			return err
		}
	}
	if _, err := a.in.ReadByte(); err != io.EOF {
		return fmt.Errorf("%w: it continues after the end of the file", ErrPatch)
	}
	return nil
}

type applier struct {
	in      *bufio.Reader
	out     io.Writer
	old     io.ReaderAt
	oldSize int64
	left    int64 // bytes of the new file
	at      int64 // where the copy before ended, in bits

	buf, difference []byte
}

// damaged converts an error of reading the patch. io.EOF would look like a regular end.
func damaged(err error) error { return fmt.Errorf("%w: %w", ErrPatch, noEnd(err)) }

func noEnd(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (a *applier) instruction() error {
	literals, err := binary.ReadUvarint(a.in)
	if err != nil {
		return damaged(err)
	}
	if err := a.literals(literals); err != nil {
		return err
	}
	length, err := binary.ReadUvarint(a.in)
	if err != nil {
		return damaged(err)
	}
	if length == 0 && literals > 0 {
		return nil
	}
	if length/2 < minCopy {
		return fmt.Errorf("%w: a copy of %d bytes", ErrPatch, length/2)
	}
	move, err := binary.ReadVarint(a.in)
	if err != nil {
		return damaged(err)
	}
	const maxBit = 8 * 2 * maxSize
	if a.at += move; move < -maxBit || move > maxBit || a.at < 0 || a.at > maxBit {
		return fmt.Errorf("%w: a copy from outside of the old file", ErrPatch)
	}
	return a.copy(length/2, length%2 == 1)
}

// take counts n bytes of the new file.
func (a *applier) take(n uint64) error {
	if n > uint64(a.left) {
		return fmt.Errorf("%w: it has more than the bytes of the file", ErrPatch)
	}
	a.left -= int64(n)
	return nil
}

func (a *applier) literals(n uint64) error {
	if err := a.take(n); err != nil {
		return err
	}
	for n > 0 {
		part := a.buf[:min(n, chunk)]
		if _, err := io.ReadFull(a.in, part); err != nil {
			return damaged(err)
		}
		if _, err := a.out.Write(part); err != nil {
			return err
		}
		n -= uint64(len(part))
	}
	return nil
}

func (a *applier) copy(n uint64, differs bool) error {
	if err := a.take(n); err != nil {
		return err
	}
	var carry uint64
	for n > 0 {
		part, err := a.read(int(min(n, chunk)))
		if err != nil {
			return err
		}
		if differs {
			difference := a.difference[:len(part)]
			if _, err := io.ReadFull(a.in, difference); err != nil {
				return damaged(err)
			}
			carry = add(part, difference, carry)
		}
		if _, err := a.out.Write(part); err != nil {
			return err
		}
		n -= uint64(len(part))
	}
	return nil
}

// read reads n bytes of the old file from the bit a.at on.
func (a *applier) read(n int) ([]byte, error) {
	from, shift := a.at/8, uint(a.at%8)
	buf := a.buf[:n+1]
	got := 0
	if from < a.oldSize {
		var err error
		if got, err = a.old.ReadAt(buf[:min(int64(n+1), a.oldSize-from)], from); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
	}
	clear(buf[got:])
	a.at += 8 * int64(n)
	if shift > 0 {
		for i := range n {
			buf[i] = buf[i]>>shift | buf[i+1]<<(8-shift)
		}
	}
	return buf[:n], nil
}
