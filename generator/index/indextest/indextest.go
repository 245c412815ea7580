// Package indextest holds documents in memory, for tests and benchmarks that write snapshots.
package indextest

import "contentedge/generator/mapping"

// Docs is an index.Source in memory. Each element is the fragment of a document.
type Docs [][]byte

// Len returns the number of documents.
func (ds Docs) Len() int { return len(ds) }

// Append appends the fragment of a document.
func (ds Docs) Append(dst []byte, doc int) ([]byte, error) {
	return append(dst, ds[doc]...), nil
}

// Fields returns the fields of the documents.
func (ds Docs) Fields() []mapping.Field {
	s := mapping.NewSurvey()
	for _, d := range ds {
		s.Item(d)
	}
	return mapping.Result(s)
}
