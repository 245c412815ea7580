// This file packs field lengths into a byte, as Lucene does, because the loss that
// comes with it shows in every score.

package analysis

import (
	"math"
	"math/bits"
)

// exactLengths is the number of lengths below the ones that lose bits. It is what
// the 231 codes for four significant bits of an int32 leave of a byte.
const exactLengths = 24

// EncodeLength packs a number of tokens: exact below 40, then four significant bits
// of what exceeds 24. A larger length never gets a smaller code.
func EncodeLength(n int) byte {
	n = min(max(n, 0), math.MaxInt32)
	if n < exactLengths {
		return byte(n)
	}
	x := uint(n - exactLengths)
	if x < 8 {
		return byte(exactLengths + x)
	}
	shift := bits.Len(x) - 4
	return byte(exactLengths + (shift+1)<<3 + int(x>>shift&7))
}

// DecodeLength returns the smallest length that has code b.
func DecodeLength(b byte) int {
	x := int(b) - exactLengths
	if x < 8 {
		return int(b)
	}
	return exactLengths + (x&7|8)<<(x>>3-1)
}
