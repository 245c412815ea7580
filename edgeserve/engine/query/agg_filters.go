// This file defines the aggregations whose buckets are what queries match.

package query

// Adjacency are the options of adjacency_matrix.
type Adjacency struct{ Separator string }
