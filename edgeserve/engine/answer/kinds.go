// This file names kinds of searches, by the query at the top. Metrics count by them.

package answer

import (
	"slices"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
)

const (
	kindList = "list"      // of a list without a file
	kindAll  = "match_all" // also the kind of a search without a query
)

// SearchKinds are the kinds of searches.
var SearchKinds = append([]string{kindList}, body.Types()...)

func kindOf(n query.Node) string {
	switch {
	case n == nil:
		return kindAll
	case slices.Contains(SearchKinds, n.Type()):
		return n.Type()
	}
	return "other"
}
