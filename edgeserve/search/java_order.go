// This file orders terms as Java's collections do, where an order decides which of equal terms
// more_like_this takes.

package search

import (
	"cmp"
	"slices"
)

// javaOrder returns terms in the order of a java.util.HashMap into which they were put in order.
func javaOrder(terms []termCount) []termCount {
	size := uint32(16)
	for uint32(len(terms)) > size/4*3 {
		size *= 2
	}
	out := slices.Clone(terms)
	for i := range out {
		h := uint32(javaHash(out[i].term))
		out[i].bucket = (h ^ h>>16) & (size - 1)
	}
	slices.SortStableFunc(out, func(a, b termCount) int { return cmp.Compare(a.bucket, b.bucket) })
	return out
}
