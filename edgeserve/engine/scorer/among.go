// This file tests which of a few documents a Scorer matches.

package scorer

import (
	"cmp"
	"slices"
)

// Among reports for each of docs whether s matches it.
func (r *Request) Among(s Scorer, docs []docID) []bool {
	matches := make([]bool, len(docs))
	if s == nil {
		return matches
	}
	order := make([]int, len(docs)) // Scorers do not go back
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(docs[a], docs[b]) })
	steps := seekSteps + cursors(s)
	for _, i := range order {
		if r.Work.Charge(steps) != nil {
			break
		}
		matches[i] = at(s, docs[i])
	}
	return matches
}
