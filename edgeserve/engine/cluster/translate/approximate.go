// This file says which searches are approximate on an index of several shards.

package translate

import "contentedge/edgeserve/engine/query"

// Approximate returns why the response to a body is approximate on an index of so many shards, a reason a family of
// queries and aggregations; nil if it is exact. With one shard every response is.
func Approximate(body *query.Body, shards int) (reasons []string) {
	return nil
}
