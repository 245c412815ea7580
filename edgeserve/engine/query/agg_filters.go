// This file defines the options of adjacency_matrix.

package query

// Adjacency are the options of adjacency_matrix.
type Adjacency struct{ Separator string }
