// This file writes the names of the queries that match a hit.

package hits

import "contentedge/edgeserve/wire/envelope"

// MatchedQueries returns a part that writes the names of the queries that match a hit, if there are
// any. of returns them by place on the page.
func MatchedQueries(of func(place int) []string) Part {
	return func(dst []byte, place int) ([]byte, error) {
		names := of(place)
		if len(names) == 0 {
			return dst, nil
		}
		dst = append(dst, `,"matched_queries":`...)
		for i, name := range names {
			dst = append(dst, "[,"[min(i, 1)])
			dst = envelope.JavaEscapes.AppendString(dst, name)
		}
		return append(dst, ']'), nil
	}
}
