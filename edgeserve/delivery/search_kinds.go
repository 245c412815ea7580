// This file names the kinds of searches for the metrics: the type of the query at the top.

package delivery

import (
	"slices"

	"contentedge/edgeserve/query"
)

const (
	// kindList is the kind of search of a list without a file.
	kindList = "list"
	// kindAll is also the kind of a search without a query.
	kindAll = "match_all"
)

// searchKinds are the kinds that are counted apart.
var searchKinds = append([]string{kindList}, query.Types()...)

// kindOf names the query at the top of a search.
func kindOf(n query.Node) string {
	switch {
	case n == nil:
		return kindAll
	case slices.Contains(searchKinds, n.Type()):
		return n.Type()
	}
	return "other"
}
