// This file defines top_hits, whose options are members of a body.

package query

// AggTopHits returns the first hits of each bucket. Its Options are a Body.
const AggTopHits AggKind = "top_hits"
