// This file writes the values that a document was sorted by.

package hits

import (
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/problem"
)

// maxSortBytes limits the sort values of a page. Values of numbers and names are far shorter.
const maxSortBytes = 8 << 20

var errSortTooLong = &query.Error{Code: problem.TooCostly, Parameter: "sort", Position: -1,
	Message: "the sort values of the hits are longer than 8 MiB: ask for fewer hits, or sort by shorter values"}

// SortValues writes the sort values of documents. It is not safe for concurrent use.
type SortValues struct{ keys []*SortKey }

// NewSortValues returns the values of the keys of a body, which a search has compiled before.
func NewSortValues(r *snapshot.Reader, keys []query.SortKey) *SortValues {
	s := &SortValues{}
	for _, k := range keys {
		if key, err := CompileSort(fields.Resolver{Reader: r}, k); err == nil {
			s.keys = append(s.keys, key)
		}
	}
	return s
}

// Append writes the values of a document as a JSON array.
func (s *SortValues) Append(dst []byte, doc snapshot.DocID, score float32) []byte {
	dst, _ = s.appendWithin(dst, doc, score, nil) // without a limit nothing fails
	return dst
}

// appendWithin is Append within a work limit: values may be long.
func (s *SortValues) appendWithin(dst []byte, doc snapshot.DocID, score float32, work *scorer.WorkLimit) ([]byte, error) {
	dst = append(dst, '[')
	for i, k := range s.keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		before := dst
		dst = k.Append(dst, doc, score)
		if err := wrote(before, dst, work); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

// wrote charges what was written, and takes memory for what has no room in the memory before.
func wrote(before, after []byte, work *scorer.WorkLimit) error {
	if err := work.Hold(cap(after) - cap(before)); err != nil {
		return err
	}
	return work.Charge((len(after) - len(before)) / copiedPerStep)
}
