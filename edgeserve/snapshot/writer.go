// This file holds the Writer: it takes fragments in document order and fields in
// byte order, and streams the file in one pass.

package snapshot

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

// Meta describes a snapshot as a whole.
type Meta struct {
	Env      string
	Sort     string // the default order: field and direction
	Asc      bool
	Analysis int // version of the analysis the terms come from
	Items    int
}

// FieldData is a field as a Writer takes it.
type FieldData struct {
	Path string
	Type Type

	Docs   int      // text: documents with at least one token
	Tokens int      // text: tokens of all documents
	Norms  []uint64 // text: encoded length a document, 0 for none
	Factor [256]float32
	Terms  func(add func(term []byte, list []Posting)) // text: calls add in byte order

	Strings []StringValue // values of a text field, ascending
	Grams   []Gram        // of Strings, ascending; nil: not indexed by grams
	Ints    []int64       // values of a date, long or boolean field
	Floats  []float64     // values of a float field
	Column  ColumnData
	Sort    *ColumnData // nil where Column gives the REST order
}

// entry is a row of the table of contents.
type entry struct {
	kind   kind
	field  uint32
	off, n uint64
	crc    uint32
}

// Writer writes a snapshot. Errors of the underlying writer stick and come out of Close.
type Writer struct {
	w      io.Writer
	meta   Meta
	off    uint64
	err    error
	toc    []entry
	starts []uint64
	crc    uint32 // of the open section
	open   uint64 // its offset
	fields []byte
	paths  int
	last   string
}

// NewWriter writes the header. All fragments come next, then all fields, then Close.
func NewWriter(w io.Writer, m Meta) *Writer {
	wr := &Writer{w: w, meta: m}
	h := append([]byte(magic), 0, 0, 0, 0, 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(h[8:], Version)
	binary.LittleEndian.PutUint32(h[12:], orderMark)
	wr.write(h)
	b := appendStr(appendStr(nil, m.Env), m.Sort)
	asc := byte(0)
	if m.Asc {
		asc = 1
	}
	b = append(b, asc)
	b = binary.AppendUvarint(b, uint64(m.Analysis))
	wr.section(kindMeta, NoField, binary.AppendUvarint(b, uint64(m.Items)))
	wr.begin()
	return wr
}

func (w *Writer) write(b []byte) {
	if w.err == nil {
		_, w.err = w.w.Write(b)
	}
	w.crc = crc32.Update(w.crc, crcTable, b)
	w.off += uint64(len(b))
}

func (w *Writer) begin() { w.crc, w.open = 0, w.off }

func (w *Writer) end(k kind, field uint32) {
	e := entry{kind: k, field: field, off: w.open, n: w.off - w.open}
	if pad := (align - w.off%align) % align; pad > 0 {
		w.write(make([]byte, pad))
	}
	e.crc = w.crc
	w.toc = append(w.toc, e)
}

func (w *Writer) section(k kind, field uint32, b []byte) {
	w.begin()
	w.write(b)
	w.end(k, field)
}

func (w *Writer) refuse(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf("snapshot writer: "+format, args...)
	}
}

// Fragment appends the next document.
func (w *Writer) Fragment(b []byte) {
	if w.fields != nil {
		w.refuse("a fragment after the fields began")
		return
	}
	if len(w.starts) > 0 {
		w.write([]byte{','})
	}
	w.starts = append(w.starts, w.off-w.open)
	w.write(b)
}

// endFragments closes the fragments when the first field, or Close, arrives.
func (w *Writer) endFragments() {
	if w.fields != nil {
		return
	}
	if len(w.starts) != w.meta.Items {
		w.refuse("%d fragments for %d items", len(w.starts), w.meta.Items)
	}
	w.starts = append(w.starts, w.off-w.open+1)
	w.end(kindFragments, NoField)
	w.section(kindStarts, NoField, appendPacked(nil, w.starts))
	w.fields = []byte{}
}

// EncodedField is a field ready to be written. Fields can be encoded in parallel.
type EncodedField struct {
	path  string
	entry []byte // of the Fields section
	parts []part
	err   error
}

type part struct {
	kind kind
	b    []byte
}

func (e *EncodedField) add(k kind, b []byte) { e.parts = append(e.parts, part{k, b}) }

// EncodeField encodes a field of a snapshot of so many items.
func EncodeField(f *FieldData, items int) *EncodedField {
	e := &EncodedField{path: f.Path, err: f.refuse(items)}
	if e.err != nil {
		return e
	}
	flags := byte(0)
	if f.Sort != nil {
		flags |= flagSort
	}
	e.entry = append(appendStr(nil, f.Path), byte(f.Type), flags)
	e.entry = binary.AppendUvarint(e.entry, uint64(f.Docs))
	e.entry = binary.AppendUvarint(e.entry, uint64(f.Tokens))
	if f.Type == Text {
		e.text(f, items)
	}
	e.values(f)
	e.column(kindColumn, &f.Column, items)
	if f.Sort != nil {
		e.column(kindSort, f.Sort, items)
	}
	return e
}

// Field appends a field; paths must ascend.
func (w *Writer) Field(e *EncodedField) {
	w.endFragments()
	if w.paths > 0 && e.path <= w.last {
		w.refuse("field %q after %q", e.path, w.last)
	}
	if w.err == nil {
		w.err = e.err
	}
	for _, p := range e.parts {
		w.section(p.kind, uint32(w.paths), p.b)
	}
	w.fields = append(w.fields, e.entry...)
	w.last = e.path
	w.paths++
}

func (e *EncodedField) text(f *FieldData, items int) {
	var tw termWriter
	var lw listWriter
	var single []byte
	factor := func(d DocID) float32 { return f.Factor[byte(f.Norms[d])] }
	f.Terms(func(term []byte, list []Posting) {
		if tw.n > 0 && string(term) <= string(tw.prev) || !inOrder(list, items) {
			e.err = fmt.Errorf("snapshot writer: term %q of field %s out of order", term, f.Path)
			return
		}
		if len(list) == 1 && len(list[0].Positions) <= maxInline {
			single = appendSingle(single[:0], list[0].Doc, list[0].Positions)
			tw.add(term, 1, single, nil, nil)
			return
		}
		post, pos := lw.encode(list, factor)
		tw.add(term, len(list), nil, post, pos)
	})
	e.add(kindTerms, tw.data)
	e.add(kindTermIndex, tw.indexBytes())
	e.add(kindPostings, tw.postings)
	e.add(kindPositions, tw.positions)
	e.add(kindNorms, appendDocMap(nil, f.Norms, 0, true))
}

func (e *EncodedField) values(f *FieldData) {
	switch f.Type {
	case Text:
		index, data := appendStrings(f.Strings)
		e.add(kindValueIndex, index)
		e.add(kindValues, data)
		if f.Grams != nil {
			e.add(kindGrams, appendGrams(f.Grams))
		}
	case Float:
		e.add(kindNumbers, appendFloats(f.Floats))
	default:
		e.add(kindNumbers, appendInts(f.Ints))
	}
}

func (e *EncodedField) column(first kind, c *ColumnData, items int) {
	meta, starts, docs, least, greatest := columnSections(c, items)
	e.entry = append(e.entry, meta...)
	e.add(first, starts)
	e.add(first+1, docs)
	e.add(first+2, least)
	if greatest != nil {
		e.add(first+3, greatest)
	}
}

// Close writes the table of contents and the footer.
func (w *Writer) Close() error {
	w.endFragments()
	w.section(kindFields, NoField, append(binary.AppendUvarint(nil, uint64(w.paths)), w.fields...))
	var toc []byte
	for _, e := range sortedEntries(w.toc) {
		toc = binary.LittleEndian.AppendUint32(toc, uint32(e.kind))
		toc = binary.LittleEndian.AppendUint32(toc, e.field)
		toc = binary.LittleEndian.AppendUint64(toc, e.off)
		toc = binary.LittleEndian.AppendUint64(toc, e.n)
		toc = binary.LittleEndian.AppendUint32(toc, e.crc)
		toc = binary.LittleEndian.AppendUint32(toc, 0)
	}
	at := w.off
	w.write(toc)
	w.write(footer(at, len(w.toc), toc))
	return w.err
}

func footer(at uint64, n int, toc []byte) []byte {
	f := binary.LittleEndian.AppendUint64(nil, at)
	f = binary.LittleEndian.AppendUint32(f, uint32(n))
	f = binary.LittleEndian.AppendUint32(f, crc32.Checksum(toc, crcTable))
	f = binary.LittleEndian.AppendUint64(f, at+uint64(len(toc))+footerLen)
	f = binary.LittleEndian.AppendUint32(f, frameSum(f))
	return binary.LittleEndian.AppendUint32(f, endMark)
}

// frameSum is the checksum of the header and of the footer's first 24 bytes.
func frameSum(foot []byte) uint32 {
	h := append([]byte(magic), 0, 0, 0, 0, 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(h[8:], Version)
	binary.LittleEndian.PutUint32(h[12:], orderMark)
	return crc32.Update(crc32.Checksum(h, crcTable), crcTable, foot[:24])
}
