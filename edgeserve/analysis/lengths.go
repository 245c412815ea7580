// This file packs field lengths into a byte as Lucene does. The loss of precision affects
// every score.

package analysis

import (
	"math"
	"math/bits"
)

// exactLengths is the number of lengths below the inexact codes. Four significant bits of
// an int32 take 231 of the 256 codes of a byte.
const exactLengths = 24

// EncodeLength packs a number of tokens. It is exact below 40. Above, it keeps four
// significant bits of the excess over 24. Codes ascend with the length.
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
