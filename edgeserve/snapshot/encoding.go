// This file holds the one way bytes of a snapshot are read: a cursor whose first
// error sticks, so that a run of fields is decoded first and checked once.

package snapshot

import (
	"encoding/binary"
	"fmt"
)

// CorruptError says that a snapshot's bytes are not what a Writer writes.
type CorruptError struct {
	Section string // what was being read
	Detail  string
}

// Error names the section.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("snapshot is damaged: %s: %s", e.Section, e.Detail)
}

// dec is a cursor over a section.
type dec struct {
	b    []byte
	what string
	err  error
}

func (d *dec) fail(detail string) {
	if d.err == nil {
		d.err = &CorruptError{d.what, detail}
	}
	d.b = nil
}

// bytes returns the next n bytes without copying; they live as long as the snapshot.
func (d *dec) bytes(n int) []byte {
	if n < 0 || n > len(d.b) {
		d.fail("cut short")
		return nil
	}
	b := d.b[:n:n]
	d.b = d.b[n:]
	return b
}

func (d *dec) byte() byte {
	if b := d.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (d *dec) u64() uint64 {
	if b := d.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (d *dec) uv() uint64 {
	if len(d.b) > 0 && d.b[0] < 0x80 {
		v := d.b[0]
		d.b = d.b[1:]
		return uint64(v)
	}
	return d.longUv()
}

// longUv is uv apart from its usual case, which is then short enough to be inlined.
func (d *dec) longUv() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.fail("bad varint")
		return 0
	}
	d.b = d.b[n:]
	return v
}

// count reads a varint that must not exceed max.
func (d *dec) count(max int) int {
	v := d.uv()
	if v > uint64(max) {
		d.fail(fmt.Sprintf("count %d above %d", v, max))
		return 0
	}
	return int(v)
}

func (d *dec) str() string { return string(d.bytes(d.count(1 << 20))) }

func appendStr(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}
