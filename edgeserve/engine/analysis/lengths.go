// This file packs field lengths into a byte, as Lucene does. Lost precision affects every score.

package analysis

import (
	"math"
	"math/bits"
)

// exactLengths is how many of 256 codes stay exact: 4 significant bits of an int32 take 231.
const exactLengths = 24

// EncodeLength packs a number of tokens: exact below 40, else four significant bits of the excess
// over 24. Codes ascend with the length.
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

// DecodeLength returns the smallest length with code b.
func DecodeLength(b byte) int {
	x := int(b) - exactLengths
	if x < 8 {
		return int(b)
	}
	return exactLengths + (x&7|8)<<(x>>3-1)
}
