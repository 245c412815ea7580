// This file holds the cursor that decodes sections, and the errors of opening and reading.

package snapshot

import (
	"encoding/binary"
	"fmt"
)

// CorruptError reports bytes that no Writer produces.
type CorruptError struct {
	Section string // the section in which the error was found
	Detail  string
}

// Error returns the message with the section's name.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("snapshot is damaged: %s: %s", e.Section, e.Detail)
}

// VersionError reports a snapshot of an unsupported format version.
type VersionError struct{ Version uint32 }

// Error says whether an older or a newer program wrote the snapshot, and names the remedy.
func (e *VersionError) Error() string {
	by, advice := "an older program", "build the release again"
	if e.Version > Version {
		by, advice = "a newer program", "use the program that built the release, or a newer one"
	}
	return fmt.Sprintf("the snapshot was written by %s: it has format version %d, this program reads version %d: %s", by, e.Version, Version, advice)
}

// Unwrap returns a CorruptError: a wrong bit in the header also looks like another version.
func (e *VersionError) Unwrap() error {
	return &CorruptError{"header", fmt.Sprintf("format version %d", e.Version)}
}

// decoder is a cursor over a section. It panics with a CorruptError: see Recover.
type decoder struct {
	b    []byte
	what string
}

func (d *decoder) fail(detail string) { panic(&CorruptError{d.what, detail}) }

// bytes returns the next n bytes without copying. They are valid as long as the snapshot.
func (d *decoder) bytes(n int) []byte {
	if n < 0 || n > len(d.b) {
		d.fail("cut short")
	}
	b := d.b[:n:n]
	d.b = d.b[n:]
	return b
}

func (d *decoder) byte() byte  { return d.bytes(1)[0] }
func (d *decoder) u64() uint64 { return binary.LittleEndian.Uint64(d.bytes(8)) }

func (d *decoder) uvarint() uint64 {
	if len(d.b) > 0 && d.b[0] < 0x80 {
		v := d.b[0]
		d.b = d.b[1:]
		return uint64(v)
	}
	return d.longUvarint()
}

// longUvarint is the slow path, kept apart so that uvarint stays small.
//
//go:noinline
func (d *decoder) longUvarint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.fail("bad varint")
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) count(max int) int {
	v := d.uvarint()
	if v > uint64(max) {
		d.fail(fmt.Sprintf("count %d above %d", v, max))
	}
	return int(v)
}

func (d *decoder) str() string { return string(d.bytes(d.count(1 << 20))) }

func appendStr(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}
