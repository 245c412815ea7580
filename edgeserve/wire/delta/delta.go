// Package delta makes and applies patches. A patch has the bytes of a new file as copies of an old one and
// the bytes between them. Nodes that have the old snapshot of an environment fetch a patch, not the new one.
//
// # The format
//
//	+-------------------------------------------+
//	| magic "cdgedlt1"                          |  8 bytes
//	+-------------------------------------------+
//	| instructions, as one zstd frame           |
//	+-------------------------------------------+
//
// <uv> is an unsigned varint, <sv> a signed one as encoding/binary has them. These are the parts of an instruction:
//
//	literals <uv>, as many bytes
//	copy <uv>          0, or twice the number of bytes to copy, plus 1 if they differ
//	move <sv>          if copy is not 0: where the copy begins in the old file, in bits from the end of the previous copy
//	difference         if they differ: as many bytes as the copy has
//
// A copy begins at any bit of the old file, low bits first, and has at least 32 bytes. The file is followed by zeros
// without end. The copied bytes and the difference are little-endian numbers of equal length; their sum, without the
// carry beyond its end, goes into the new file.
//
// Most of a snapshot is unchanged, so it is a few copies. Its packed arrays hold numbers of documents and offsets of
// any width. One more item moves a whole array by the bits of a number, and one more document before it adds one to
// each. Then the differences are small numbers that repeat, of which zstd leaves next to nothing.
//
// The last instruction ends with the new file. Neither its length nor a digest is in the patch: both come from the
// manifest of the release.
package delta

import (
	"encoding/binary"
	"errors"
)

const magic = "cdgedlt1"

// minCopy bounds the instructions of a patch, and with them the reads of the old file, in bytes of a copy.
const minCopy = 32

// maxSize bounds both files, in bytes: positions in bits stay far from the limits of an integer.
const maxSize = 1 << 50

var (
	// ErrPatch: the patch is damaged, or belongs to other files.
	ErrPatch = errors.New("this is not a patch of the file")
	// ErrLarge: the patch has more bytes than it may have.
	ErrLarge = errors.New("the patch is too large")
)

// add adds numbers of equal length: the sum replaces a. carry goes from each word to the next; only the last words may
// have a length that is not a multiple of 8 bytes.
func add(a, b []byte, carry uint64) uint64 {
	for len(a) >= 8 {
		sum := binary.LittleEndian.Uint64(a) + carry
		c := b2u(sum < carry)
		d := binary.LittleEndian.Uint64(b)
		sum += d
		carry = c + b2u(sum < d)
		binary.LittleEndian.PutUint64(a, sum)
		a, b = a[8:], b[8:]
	}
	if len(a) > 0 {
		var x, y [8]byte
		copy(x[:], a)
		copy(y[:], b)
		add(x[:], y[:], carry)
		copy(a, x[:])
	}
	return carry
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
