// This file defines the order of matches: sort keys and their options.

package query

import (
	"slices"
	"strings"

	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/problem"
)

// Order is the order of matches.
type Order struct {
	Keys        []SortKey // nil means by score if a clause scores, else the default order
	TrackScores bool      // hits have scores even if Keys do not ask for them
}

// ByScore reports whether the only sort key is the score.
func (o *Order) ByScore() bool { return len(o.Keys) == 1 && o.Keys[0].Field == "_score" }

// DropScore drops a sort only by descending score: Elasticsearch treats it as no sort.
func (o *Order) DropScore() {
	if o.ByScore() && !o.Keys[0].Asc {
		o.Keys = nil
	}
}

// SortKey is one sort key. "_score" sorts by score, descending unless Asc is set.
type SortKey struct {
	Field string
	Asc   bool
	Exact bool // Field is always an item path, never a sub-field; false in parsed bodies

	Mode        string // how several values become one: min max sum avg median; "" is min if ascending, else max
	Missing     *Value // the place of items without a value: "_first", or the place of this value; nil means last
	Unmapped    string // the type of a field that no item has, "" if not given
	NumericType string // the type as which numbers are sorted: long double date date_nanos; "" is the type of the field
}

// HasOptions reports whether a mode, a place of missing values or a numeric type is set.
func (k *SortKey) HasOptions() bool { return k.Mode != "" || k.Missing != nil || k.NumericType != "" }

// unmappedTypes are the types by which a sort can order a field that no item has.
var unmappedTypes = strings.Fields("keyword long integer short byte double float half_float date date_nanos boolean ip")

// CheckUnmapped returns an error unless a sort takes typ as the type of a field that no item has.
func CheckUnmapped(typ string) error {
	if slices.Contains(unmappedTypes, typ) {
		return nil
	}
	return &Error{Code: problem.BadSort, Parameter: "sort", Position: -1, Message: "no field can be sorted by as the unmapped_type " + string(envelope.NumericEscapes.AppendString(nil, strictjson.Clip(typ))) + "; known types: " + strings.Join(unmappedTypes, ", ")}
}
