// This file compares buckets of significant terms, whose order is free where their scores tie.

package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// significant returns buckets of significant terms in order of scores and keys, and tells whether
// the values are such buckets.
func significant(values []any) (sorted []any, ok bool) {
	for _, v := range values {
		bucket, ok := v.(object)
		if _, scored := bucket["score"].(json.Number); !ok || !scored || bucket["bg_count"] == nil {
			return nil, false
		}
	}
	sorted = slices.Clone(values)
	slices.SortFunc(sorted, func(a, b any) int {
		return cmp.Or(-cmp.Compare(scoreOf(a), scoreOf(b)), cmp.Compare(fmt.Sprint(a.(object)["key"]), fmt.Sprint(b.(object)["key"])))
	})
	return sorted, len(values) > 0
}

// scoreOf returns the score of a bucket, without the digits that a rounding may change.
func scoreOf(bucket any) float64 {
	score, _ := bucket.(object)["score"].(json.Number).Float64()
	if score == 0 || math.IsInf(score, 0) {
		return score
	}
	digits := math.Pow(10, 9-math.Ceil(math.Log10(math.Abs(score))))
	return math.Round(score*digits) / digits
}

// tied tells whether two buckets have the score of the last one, so that either may be on the list.
func tied(ours, theirs, last any) bool {
	return scoreOf(ours) == scoreOf(theirs) && scoreOf(theirs) == scoreOf(last)
}
