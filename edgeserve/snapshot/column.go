// This file holds columns: for a path its distinct values in order, the documents of
// each, and each document's values as ordinals. One shape answers whole-value
// queries, ranges, sorts and aggregations.

package snapshot

import "encoding/binary"

// Column is the ordered values of one path. Values are named by ordinal.
type Column struct {
	Distinct int  // values
	Pairs    int  // (value, document) pairs
	DocCount int  // documents with a value
	Single   bool // no document has two values

	starts Packed // ordinal -> first pair; empty where every value has one document
	docs   Packed // pair -> document; within a value by ContentID
	min    DocMap // document -> least ordinal
	max    DocMap // document -> greatest ordinal, unless Single
}

// ColumnData is a column as a Writer takes it.
type ColumnData struct {
	Docs [][]DocID // by ordinal: the documents, each list ordered by ContentID
}

// columnSections encodes a column.
func columnSections(c *ColumnData, items int) (meta, starts, docs, least, greatest []byte) {
	d := uint64(len(c.Docs))
	lo, hi := make([]uint64, items), make([]uint64, items)
	for i := range lo {
		lo[i], hi[i] = d, d
	}
	var st, all []uint64
	single, unique := true, true
	docCount := 0
	for ord, list := range c.Docs {
		st = append(st, uint64(len(all)))
		unique = unique && len(list) == 1
		for _, doc := range list {
			all = append(all, uint64(doc))
			if lo[doc] == d {
				lo[doc] = uint64(ord)
				docCount++
			} else {
				single = false
			}
			hi[doc] = uint64(ord)
		}
	}
	st = append(st, uint64(len(all)))
	if unique {
		st = nil
	}
	flags := byte(0)
	if single {
		flags = 1
	} else {
		greatest = appendDocMap(nil, hi, d, false)
	}
	meta = append([]byte{flags}, binary.AppendUvarint(nil, d)...)
	meta = binary.AppendUvarint(meta, uint64(len(all)))
	meta = binary.AppendUvarint(meta, uint64(docCount))
	return meta, appendPacked(nil, st), appendPacked(nil, all), appendDocMap(nil, lo, d, false), greatest
}

// maxValues is how many distinct values a path may have: an ordinal has 32 bits.
const maxValues = 1<<32 - 2

// column reads from d the description that columnSections made, then the sections of
// a field. No file has more pairs than bits, but a damaged one may claim so: the
// integers of an array can have no bits at all.
func (r *Reader) column(d *dec, first kind, field uint32) *Column {
	items, limit := r.meta.Items, 8*len(r.data)
	c := &Column{Single: d.byte()&1 == 1}
	c.Distinct = d.count(min(limit, maxValues))
	c.Pairs = d.count(limit)
	c.DocCount = d.count(items)
	sd, dd, ld := r.dec(first, field), r.dec(first+1, field), r.dec(first+2, field)
	none := uint64(c.Distinct)
	c.starts, c.docs, c.min = sd.packed(), dd.packed(), ld.docMap(items, none)
	parts := []*dec{sd, dd, ld}
	if !c.Single {
		hd := r.dec(first+3, field)
		c.max = hd.docMap(items, none)
		parts = append(parts, hd)
	}
	for _, p := range parts {
		if p.err != nil && d.err == nil {
			d.err = p.err
		}
	}
	if d.err == nil && (c.docs.n != c.Pairs || c.starts.n != 0 && c.starts.n != c.Distinct+1 || c.starts.n == 0 && c.Pairs != c.Distinct) {
		d.fail("column tables of different lengths")
	}
	return c
}

// Start is the first pair of an ordinal; Start(Distinct) is Pairs.
func (c *Column) Start(ord int) int {
	if c.starts.n == 0 {
		return ord
	}
	return int(c.starts.At(ord))
}

// Doc is the document of a pair.
func (c *Column) Doc(pair int) DocID { return DocID(c.docs.At(pair)) }

// Count is the number of documents whose values include the ordinal.
func (c *Column) Count(ord int) int { return c.Start(ord+1) - c.Start(ord) }

// Least is the least ordinal of a document, or Distinct if it has no value.
func (c *Column) Least(d DocID) int { return int(c.min.At(d)) }

// Leasts puts the least ordinal of each document into ords, which is as long.
func (c *Column) Leasts(docs []DocID, ords []uint32) { c.min.atEach(docs, ords) }

// Greatest is the greatest ordinal of a document, or Distinct if it has no value.
func (c *Column) Greatest(d DocID) int {
	if c.Single {
		return int(c.min.At(d))
	}
	return int(c.max.At(d))
}

// Has tells whether a document has a value.
func (c *Column) Has(d DocID) bool { return c.Least(d) != c.Distinct }

// OrdOf returns the ordinal whose pairs include pair.
func (c *Column) OrdOf(pair int) int {
	if c.starts.n == 0 {
		return pair
	}
	i := c.starts.Search(uint64(pair) + 1)
	return i - 1
}

// EachDoc calls f for every document with a value, ascending, until f returns false.
func (c *Column) EachDoc(f func(d DocID, least int) bool) {
	c.min.Docs(func(d DocID, v uint64) bool { return f(d, int(v)) })
}
