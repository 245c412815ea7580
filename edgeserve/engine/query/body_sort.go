// This file parses the sort of a body.

package query

import (
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/problem"
	"slices"
	"strings"
)

var (
	unmappedTypes = strings.Fields("keyword long integer short byte double float half_float date date_nanos boolean ip")
)

// ByScore reports whether the only sort key is the score.
func (b *Body) ByScore() bool { return len(b.Sort) == 1 && b.Sort[0].Field == "_score" }

// DropScoreSort drops a sort by the best scores, which Elasticsearch takes for no sort.
func (b *Body) DropScoreSort() {
	if b.ByScore() && !b.Sort[0].Asc {
		b.Sort = nil
	}
}

// CheckUnmapped reports whether a field that no item has can be sorted as a type.
func CheckUnmapped(typ string) error {
	if slices.Contains(unmappedTypes, typ) {
		return nil
	}
	return &Error{Code: problem.BadSort, Parameter: "sort", Position: -1, Message: "no field can be sorted by as the unmapped_type " + string(envelope.NumericEscapes.AppendString(nil, strictjson.Clip(typ))) + "; known types: " + strings.Join(unmappedTypes, ", ")}
}
