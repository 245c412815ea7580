// This file holds the transitions of Levenshtein automata, which are the same for all words: Schulz
// and Mihov, Fast string correction with Levenshtein automata.

package pattern

import "sync"

// band is the number of cells in a row whose distance can be at most MaxEdits.
const band = 2*MaxEdits + 1

// fuzzyState is a row of the distance table of a term and a word, near the table's diagonal. Cell k of
// row is the distance between the n code points read and the first n+k-MaxEdits code points of the word.
// Cell k of swapped is the distance if the next code point completes a swap. Distances above the edits
// are all edits+1. Cells beyond the word's end never fall below the last real cell, so they affect no
// result.
type fuzzyState struct{ row, swapped [band]uint8 }

// fuzzyTable has the transitions for a number of edits. No match goes through state 0.
type fuzzyTable struct {
	states []fuzzyState
	next   [][1 << band]uint16 // by state, then by a bit per cell: the word has the term's next code point there
}

// firstState is the state before the first code point.
const firstState = 1

// fuzzyTables has two tables for each number of edits: without and with swaps. Each table is computed
// at its first use. The largest table has 124 states and takes a fifth of a millisecond.
var fuzzyTables [MaxEdits + 1][2]func() *fuzzyTable

func init() {
	for edits := range fuzzyTables {
		for swaps := range fuzzyTables[edits] {
			fuzzyTables[edits][swaps] = sync.OnceValue(func() *fuzzyTable { return newFuzzyTable(uint8(edits), swaps == 1) })
		}
	}
}

func newFuzzyTable(edits uint8, swaps bool) *fuzzyTable {
	far := edits + 1
	none := [band]uint8{far, far, far, far, far}
	first := fuzzyState{row: none, swapped: none}
	for k := MaxEdits; k < band; k++ {
		first.row[k] = min(uint8(k-MaxEdits), far)
	}
	t := &fuzzyTable{states: []fuzzyState{{none, none}, first}, next: make([][1 << band]uint16, 1)}
	ids := map[fuzzyState]uint16{t.states[0]: 0, first: firstState}
	for s := firstState; s < len(t.states); s++ {
		var row [1 << band]uint16
		for equal := range row {
			to := t.states[s].step(equal, far, swaps)
			id, ok := ids[to]
			if !ok {
				id = uint16(len(t.states))
				ids[to] = id
				t.states = append(t.states, to)
			}
			row[equal] = id
		}
		t.next = append(t.next, row)
	}
	return t
}

// step reads a code point. equal has a bit per cell: the word has the code point there.
func (s *fuzzyState) step(equal int, far uint8, swaps bool) (to fuzzyState) {
	left := far
	for k := range band {
		d := min(left, far-1) + 1
		if k+1 < band {
			d = min(d, s.row[k+1]+1)
		}
		if equal>>k&1 == 1 {
			d = min(d, s.row[k])
		} else {
			d = min(d, s.row[k]+1)
		}
		if k > 0 && equal>>(k-1)&1 == 1 {
			d = min(d, s.swapped[k])
		}
		left, to.row[k], to.swapped[k] = d, d, far
		if swaps && k+1 < band && equal>>(k+1)&1 == 1 {
			to.swapped[k] = min(s.row[k]+1, far)
		}
	}
	return to
}
