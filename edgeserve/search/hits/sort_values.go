// This file writes the values that a document was sorted by.

package hits

import (
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/fields"
	"contentedge/edgeserve/search/sorts"
	"contentedge/edgeserve/snapshot"
)

// SortValues writes the sort values of documents. It is not safe for concurrent use.
type SortValues struct{ keys []*sorts.Key }

// NewSortValues returns the values of the keys of a body, which a search has compiled before.
func NewSortValues(r *snapshot.Reader, keys []query.SortKey) *SortValues {
	s := &SortValues{}
	for _, k := range keys {
		if key, err := sorts.Compile(fields.Resolver{Reader: r}, k); err == nil {
			s.keys = append(s.keys, key)
		}
	}
	return s
}

// Append writes the values of a document as a JSON array.
func (s *SortValues) Append(dst []byte, doc snapshot.DocID, score float32) []byte {
	dst = append(dst, '[')
	for i, k := range s.keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = k.Append(dst, doc, score)
	}
	return append(dst, ']')
}
