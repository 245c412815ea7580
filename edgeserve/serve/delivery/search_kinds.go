// This file names kinds of searches for the metrics, by the query at the top.

package delivery

import (
	"slices"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
)

const (
	kindList = "list"      // of a list without a file
	kindAll  = "match_all" // also the kind of a search without a query
)

var searchKinds = append([]string{kindList}, body.Types()...)

func kindOf(n query.Node) string {
	switch {
	case n == nil:
		return kindAll
	case slices.Contains(searchKinds, n.Type()):
		return n.Type()
	}
	return "other"
}
