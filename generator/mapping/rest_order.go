// This file has the order of lists by values of mixed kinds.

package mapping

import (
	"bytes"
	"cmp"

	"contentedge/edgeserve/engine/analysis"
)

var restOrder = [Kinds]int{Number: 0, Boolean: 1, String: 2}

// RestRank returns the position of a kind in the order of values in REST.
func RestRank(k Kind) int { return restOrder[k] }

// CompareInRest orders numbers of any length by value, then booleans, then strings by bytes.
func CompareInRest(aKind Kind, a []byte, bKind Kind, b []byte) int {
	if c := cmp.Compare(restOrder[aKind], restOrder[bKind]); c != 0 {
		return c
	}
	if aKind == Number {
		return analysis.CompareNumbers(string(a), string(b))
	}
	return bytes.Compare(a, b)
}
