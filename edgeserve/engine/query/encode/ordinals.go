// This file names aggregations by their places.

package encode

import (
	"fmt"

	"contentedge/edgeserve/engine/query"
)

// Ordinals returns a copy of a list of aggregations with names that say their places. The members of an object that
// Body returns have no order, and encoding/json sorts them by their names. But a bucket_sort before a bucket_selector
// keeps other buckets than one behind it: so who sends members to a cluster names aggregations by Ordinals first, and
// finds their results by OrdinalName. No name of a client reaches the cluster then, whatever it looks like.
func Ordinals(list []query.Agg) []query.Agg { return query.RenameAggs(list, OrdinalName) }

// OrdinalName is the name that Ordinals gives the aggregation at index i of its list.
func OrdinalName(i int) string { return fmt.Sprintf("agg%03d", i) }
