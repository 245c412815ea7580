// This file packs field lengths into a byte, as Lucene does. Lost precision affects every score.

package analysis

import (
	"math"
	"math/bits"
)

// exactLengths is the number of codes for exact lengths. An int32 with 4 significant bits needs the
// other codes of a byte.
const exactLengths = 24

// EncodeLength packs a number of tokens. Numbers below 40 stay exact; of others, the difference to 24
// keeps four significant bits. Codes ascend with the length.
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
