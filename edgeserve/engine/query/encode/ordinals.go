// This file names aggregations by their places.

package encode

import (
	"fmt"

	"contentedge/edgeserve/engine/query"
)

// Ordinals returns a copy of a list of aggregations with names that say their places. The members of an object that
// Body returns have no order, and encoding/json sorts them by their names. But a bucket_sort before a bucket_selector
// keeps other buckets than a bucket_sort after it. So a caller that sends members to a cluster first names aggregations
// by Ordinals, and finds their results by Ordinal. Then no name of a client reaches the cluster, such as a name of a
// member of buckets.
func Ordinals(list []query.Agg) []query.Agg {
	return query.RenameAggs(list, func(i int) string { return fmt.Sprintf(ordinalPrefix+"%03d", i) })
}

// ordinalPrefix precedes three digits: a body has less than a thousand aggregations.
const ordinalPrefix = "agg"

// Ordinal returns the index in its list of the aggregation that Ordinals gives a name. ok is false for other names.
func Ordinal(name []byte) (i int, ok bool) {
	if len(name) != len(ordinalPrefix)+3 || string(name[:len(ordinalPrefix)]) != ordinalPrefix {
		return 0, false
	}
	for _, digit := range name[len(ordinalPrefix):] {
		if digit < '0' || digit > '9' {
			return 0, false
		}
		i = 10*i + int(digit-'0')
	}
	return i, true
}
