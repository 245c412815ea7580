// This file translates the queries of highlights: a wildcard on a path of text finds items by whole
// values, but marks words.

package compare

import "encoding/json"

// marks returns the highlight of a body with the query that marks, unless it has one of its own.
func (t *translator) marks(members object) any {
	h, ok := members["highlight"].(object)
	if !ok {
		return members["highlight"]
	}
	marking := translator{fields: t.fields, words: true}
	if _, ok := h["highlight_query"]; !ok && members["query"] != nil {
		text, err := json.Marshal(members["query"])
		if err != nil {
			return h
		}
		var query any
		if decode(text, &query) == nil {
			h["highlight_query"] = query
		}
	}
	marking.walk(h)
	return h
}
