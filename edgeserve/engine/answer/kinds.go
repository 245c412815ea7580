// This file names the kinds of searches that metrics count: lists, and the types of the outermost query.

package answer

import (
	"slices"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
)

const (
	kindList = "list"      // a list without a file
	kindAll  = "match_all" // also the kind of a search without a query
)

// SearchKinds are the kinds of searches, in addition to "other".
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
