// This file finds the name that a user may have meant.

package cli

import (
	"maps"
	"slices"
	"strings"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// nearest returns the name that differs least from a word; "" if none is near: more than a third of
// the word differs, and no name begins with the word.
func nearest(word string, names []string) (near string) {
	if len(word) > maxCompared {
		return ""
	}
	least := max(1, len(word)/3) + 1
	for _, name := range names {
		if d := distance(strings.ToLower(word), strings.ToLower(name)); d < least {
			near, least = name, d
		}
	}
	if near != "" || len(word) < 3 {
		return near
	}
	for _, name := range names {
		if strings.HasPrefix(name, word) {
			return name
		}
	}
	return ""
}

// maxCompared bounds the words for which a name is sought, in bytes: distance takes the product of the lengths.
const maxCompared = 64

// distance is the number of bytes to insert, remove, replace or swap with their neighbour.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
