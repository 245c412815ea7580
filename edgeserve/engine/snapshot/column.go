// This file holds columns, for whole-value queries, ranges, sorts and aggregations: the values of a
// path in order, the documents of each value, and the values of each document as ordinals.

package snapshot

import "encoding/binary"

// Column is the ordered values of one path. An ordinal identifies a value.
type Column struct {
	Distinct int  // distinct values
	Pairs    int  // (value, document) pairs
	DocCount int  // documents with a value
	Single   bool // no document has two values

	starts Packed // ordinal -> first pair; empty if every value has one document
	docs   Packed // pair -> document; within a value by ContentID
	min    DocMap // document -> least ordinal
	max    DocMap // document -> greatest ordinal, unless Single
}

// ColumnData is the input of a column.
type ColumnData struct {
	Docs [][]DocID // documents of each ordinal, ordered by ContentID
}

type columnWriter struct {
	items           int
	starts, docs    []uint32  // pairs are fewer than 2^32: memory holds them
	least, greatest *docTable // greatest only if a document has several values
}

func newColumnWriter(items int) *columnWriter {
	return &columnWriter{items: items, least: newDocTable(items)}
}

func encodeColumn(c *ColumnData, items int) *columnWriter {
	w := newColumnWriter(items)
	for _, docs := range c.Docs {
		w.add(docs)
	}
	return w
}

func (w *columnWriter) add(docs []DocID) {
	ord := uint32(len(w.starts))
	w.starts = append(w.starts, uint32(len(w.docs)))
	w.docs = append(w.docs, docs...)
	for _, d := range docs {
		if w.least.of[d] == noOrdinal {
			w.least.set(d, ord)
		} else if w.greatest == nil {
			w.greatest = w.least.clone(w.items)
		}
		if w.greatest != nil {
			w.greatest.set(d, ord)
		}
	}
}

// sections encodes the column. greatest is nil if no document has two values.
func (w *columnWriter) sections() (meta, starts, docs, least, greatest []byte) {
	distinct, count := len(w.starts), len(w.least.docs)
	flags := byte(1)
	if w.greatest != nil {
		flags = 0
		greatest = w.greatest.encode(w.items, uint32(distinct), false)
	}
	meta = append([]byte{flags}, binary.AppendUvarint(nil, uint64(distinct))...)
	meta = binary.AppendUvarint(meta, uint64(len(w.docs)))
	meta = binary.AppendUvarint(meta, uint64(count))
	first := append(w.starts, uint32(len(w.docs)))
	if len(w.docs) == distinct { // each value has one document
		first = nil
	}
	return meta, appendPacked(nil, first), appendPacked(nil, w.docs), w.least.encode(w.items, uint32(distinct), false), greatest
}

// free gives back the tables of a column that is not encoded.
func (w *columnWriter) free() {
	w.least.free()
	if w.greatest != nil {
		w.greatest.free()
	}
	w.least, w.greatest = nil, nil
}

// Start returns the first pair of an ordinal. Start(Distinct) is Pairs.
func (c *Column) Start(ord int) int {
	if c.starts.n == 0 {
		return ord
	}
	return int(c.starts.At(ord))
}

// Doc returns the document of a pair.
func (c *Column) Doc(pair int) DocID { return DocID(c.docs.At(pair)) }

// Count returns the number of documents with the ordinal.
func (c *Column) Count(ord int) int { return c.Start(ord+1) - c.Start(ord) }

// Least returns the least ordinal of a document, or Distinct if it has no value.
func (c *Column) Least(d DocID) int { return int(c.min.At(d)) }

// LeastOf stores the least ordinal of each document in ords, which is as long as docs.
func (c *Column) LeastOf(docs []DocID, ords []uint32) { c.min.atEach(docs, ords) }

// GreatestOf stores the greatest ordinal of each document in ords, which is as long as docs.
func (c *Column) GreatestOf(docs []DocID, ords []uint32) {
	if c.Single {
		c.min.atEach(docs, ords)
		return
	}
	c.max.atEach(docs, ords)
}

// Greatest returns the greatest ordinal of a document, or Distinct if it has no value.
func (c *Column) Greatest(d DocID) int {
	if c.Single {
		return int(c.min.At(d))
	}
	return int(c.max.At(d))
}

// Has reports whether a document has a value.
func (c *Column) Has(d DocID) bool { return c.Least(d) != c.Distinct }

// OrdOf returns the ordinal of a pair.
func (c *Column) OrdOf(pair int) int {
	if c.starts.n == 0 {
		return pair
	}
	return c.starts.Search(uint64(pair)+1) - 1
}

// EachDoc calls f for every document with a value, ascending, until f returns false.
func (c *Column) EachDoc(f func(d DocID, least int) bool) {
	c.min.Docs(func(d DocID, v uint64) bool { return f(d, int(v)) })
}

// NumberData holds ascending distinct numbers and the documents of each. Ints or Floats is set.
type NumberData struct {
	Ints   []int64
	Floats []float64
	Column ColumnData
}

func (n *NumberData) len() int { return len(n.Ints) + len(n.Floats) }
