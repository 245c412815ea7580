// This file compares buckets of significant terms and options of phrase suggestions, whose order is free
// where their scores tie.

package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// scored returns such values in order of scores and names, and tells whether the values are such.
func scored(values []any) (sorted []any, ok bool) {
	for _, v := range values {
		o, _ := v.(object)
		_, number := o["score"].(json.Number)
		if option := o["text"] != nil && o["freq"] == nil; !number || !option && o["bg_count"] == nil {
			return nil, false
		}
	}
	sorted = slices.Clone(values)
	slices.SortFunc(sorted, func(a, b any) int {
		return cmp.Or(-cmp.Compare(scoreOf(a), scoreOf(b)), cmp.Compare(nameOf(a), nameOf(b)))
	})
	return sorted, len(values) > 0
}

// nameOf is the key of a bucket or the text of an option.
func nameOf(v any) string { return fmt.Sprint(v.(object)["key"], v.(object)["text"]) }

// scoreOf returns the score of a value, without the digits that a rounding may change.
func scoreOf(v any) float64 {
	score, _ := v.(object)["score"].(json.Number).Float64()
	if score == 0 || math.IsInf(score, 0) {
		return score
	}
	digits := math.Pow(10, 9-math.Ceil(math.Log10(math.Abs(score))))
	return math.Round(score*digits) / digits
}

// tied tells whether two values have the score of the last one, so that either may be on the list.
func tied(ours, theirs, last any) bool {
	return scoreOf(ours) == scoreOf(theirs) && scoreOf(theirs) == scoreOf(last)
}
