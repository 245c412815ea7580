// This file writes the order of matches.

package encode

import "contentedge/edgeserve/engine/query"

// ExactKey is a sort key that means an item path even where a sub-field has the name, which no body can say. other
// gets one for each SortKey that is Exact. It returns an element of a sort.
type ExactKey struct{ Key query.SortKey }

// Type implements query.Node.
func (*ExactKey) Type() string { return "exact_key" }

// Visit implements query.Part.
func (k *ExactKey) Visit(v *query.Visitor) { v.Field(k.Key.Field) }

// order writes sort and track_scores.
func (e *encoder) order(o object, order *query.Order) {
	flag(o, "track_scores", order.TrackScores)
	if len(order.Keys) == 0 {
		return
	}
	keys := make([]any, len(order.Keys))
	for i := range order.Keys {
		if k := &order.Keys[i]; k.Exact {
			keys[i] = e.unknown(&ExactKey{*k})
		} else {
			keys[i] = e.sortKey(k)
		}
	}
	o["sort"] = keys
}

// sortKey writes a key as an object, because its place of missing values and its type have no short form.
func (e *encoder) sortKey(k *query.SortKey) object {
	o := object{"order": direction(k.Asc)}
	e.optional(o, "missing", k.Missing)
	text(o, "mode", k.Mode)
	text(o, "unmapped_type", k.Unmapped)
	text(o, "numeric_type", k.NumericType)
	return object{k.Field: o}
}

func direction(asc bool) string {
	if asc {
		return "asc"
	}
	return "desc"
}
