// This file holds the tables of integers by document that encoding a field needs. A field of few documents
// costs as much as its documents, however many items there are: content may have a path for each item.

package snapshot

import (
	"slices"
	"sync"
)

// docTable maps documents to ordinals or lengths while a field is encoded.
type docTable struct {
	of   []uint32 // by document; noOrdinal without one
	docs []DocID  // with an integer, as they came
}

// noOrdinal marks a document without a value while a column is encoded.
const noOrdinal = 1<<32 - 1

// tables holds tables without documents, for any number of items.
var tables = sync.Pool{New: func() any { return new(docTable) }}

func newDocTable(items int) *docTable {
	t := tables.Get().(*docTable)
	if n := items - len(t.of); n > 0 {
		t.of = append(t.of, slices.Repeat([]uint32{noOrdinal}, n)...)
	}
	return t
}

// free empties the table for the next field.
func (t *docTable) free() {
	for _, d := range t.docs {
		t.of[d] = noOrdinal
	}
	t.docs = t.docs[:0]
	tables.Put(t)
}

func (t *docTable) set(d DocID, v uint32) {
	if t.of[d] == noOrdinal {
		t.docs = append(t.docs, d)
	}
	t.of[d] = v
}

func (t *docTable) clone(items int) *docTable {
	c := newDocTable(items)
	for _, d := range t.docs {
		c.set(d, t.of[d])
	}
	return c
}

// encode returns the document map of the table, and empties the table.
func (t *docTable) encode(items int, missing uint32, byteWide bool) []byte {
	slices.Sort(t.docs)
	vals := make([]uint32, len(t.docs))
	for i, d := range t.docs {
		vals[i] = t.of[d]
	}
	b := appendDocMap(nil, items, t.docs, vals, missing, byteWide)
	t.free()
	return b
}
