// This file orders names as Java's collections do, where users can see the order. The order decides which
// of equal terms more_like_this takes, and which of several boosts of a word counts in a highlight. The
// names of matched queries have this order, too.

package fields

import (
	"cmp"
	"slices"
	"unicode/utf16"
)

// JavaHash is String.hashCode of Java.
func JavaHash(s string) (h int32) {
	for _, unit := range utf16.Encode([]rune(s)) {
		h = 31*h + int32(unit)
	}
	return h
}

// JavaOrder returns a list in the order of a java.util.HashMap into which its names were put in order.
func JavaOrder[T any](list []T, name func(*T) string) []T {
	size := uint32(16)
	for uint32(len(list)) > size/4*3 {
		size *= 2
	}
	type placed struct {
		bucket uint32
		at     int
	}
	order := make([]placed, len(list))
	for i := range list {
		h := uint32(JavaHash(name(&list[i])))
		order[i] = placed{(h ^ h>>16) & (size - 1), i}
	}
	slices.SortFunc(order, func(a, b placed) int { return cmp.Or(cmp.Compare(a.bucket, b.bucket), a.at-b.at) })
	out := make([]T, len(list))
	for i, p := range order {
		out[i] = list[p.at]
	}
	return out
}
