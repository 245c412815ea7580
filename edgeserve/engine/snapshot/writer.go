// This file holds the Writer: fragments in document order, then fields in byte order, in one pass.

package snapshot

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"iter"

	"contentedge/edgeserve/leftout"
)

// Meta describes a snapshot.
type Meta struct {
	Env      string
	Sort     string // sort field of the default order
	Asc      bool
	Analysis int // version of the analysis that produced the terms
	Items    int
}

// FieldData is the input of a field.
type FieldData struct {
	Path string
	Type Type

	Docs   int    // text: documents with at least one token
	Tokens int    // text: tokens of all documents
	Norms  []Norm // text: of documents with a token, ascending
	Factor [256]float32

	// Terms calls add for the terms of a text field in byte order. A long list may arrive
	// in several consecutive pieces. The Writer does not retain postings.
	Terms func(add func(term []byte, list []Posting))

	// Strings yields the texts of all values, ascending. Nil: no keyword; text fields need one.
	Strings iter.Seq[StringValue]

	// The Writer reads the following fields after Strings has ended.
	NumberData                       // values of a field that is not text
	Subs       [SubCount]*NumberData // values of the other sub-fields; may be nil
	Grams      iter.Seq[Gram]        // text: grams of Strings, ascending; nil means no gram index
	Sort       *ColumnData           // REST order; nil means the order of the texts, or without texts of the numbers

	// Spool stores encoded bytes until they are written. If nil, they stay in memory.
	Spool func() Spool
}

// Norm is the encoded length of a document, which is not 0.
type Norm struct {
	Doc    DocID
	Length byte
}

type entry struct {
	kind   kind
	field  uint32
	off, n uint64
	crc    uint32
}

// Writer writes a snapshot. The first error sticks and Close returns it.
type Writer struct {
	w       io.Writer
	version uint32
	meta    Meta
	off     uint64
	err     error
	table   tableWriter
	starts  []uint64
	crc     uint32 // checksum of the open section
	open    uint64 // offset of the open section
	fields  []byte
	paths   int
	last    string
	out     leftout.Rules
}

// NewWriter writes the header. The caller then writes all fragments, then all fields, and calls Close.
func NewWriter(w io.Writer, m Meta) *Writer {
	wr := newWriter(w, m, Version)
	wr.begin()
	return wr
}

// newWriter writes the header and the section that describes the snapshot.
func newWriter(w io.Writer, m Meta, version uint32) *Writer {
	wr := &Writer{w: w, version: version, meta: m}
	wr.write(header(version))
	b := appendStr(appendStr(nil, m.Env), m.Sort)
	asc := byte(0)
	if m.Asc {
		asc = 1
	}
	b = append(b, asc)
	b = binary.AppendUvarint(b, uint64(m.Analysis))
	wr.section(kindMeta, NoField, binary.AppendUvarint(b, uint64(m.Items)))
	return wr
}

// LeaveOut names the paths that have no field. Fields of these paths are refused.
func (w *Writer) LeaveOut(r leftout.Rules) { w.out = r }

// SpoolTable stores the table of contents outside memory until it is written.
func (w *Writer) SpoolTable(spool func() Spool) { w.table.spool = spool }

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
	w.table.add(e)
}

func (w *Writer) section(k kind, field uint32, b []byte) {
	w.begin()
	w.write(b)
	w.end(k, field)
}

func (w *Writer) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf("snapshot writer: "+format, args...)
	}
}

// Fragment appends the next document.
func (w *Writer) Fragment(b []byte) {
	if w.fields != nil {
		w.fail("a fragment after the fields began")
		return
	}
	if len(w.starts) > 0 {
		w.write([]byte{','})
	}
	w.starts = append(w.starts, w.off-w.open)
	w.write(b)
}

// Fragments appends the documents in [from, to) of an open snapshot.
func (w *Writer) Fragments(r *Reader, from, to DocID) {
	if from >= to {
		return
	}
	b := r.Fragments(from, to)
	at := r.starts.At(int(from))
	if len(w.starts) > 0 {
		w.write([]byte{','})
	}
	begin := w.off - w.open
	for d := from; d < to; d++ {
		w.starts = append(w.starts, begin+r.starts.At(int(d))-at)
	}
	for n := 0; len(b) > 0; b = b[n:] {
		n = min(len(b), copySize)
		w.write(b[:n])
	}
}

// copySize is the number of bytes that are copied at a time: few enough to be in the processor's cache
// when their checksum is computed.
const copySize = 64 << 10

func (w *Writer) endFragments() {
	if w.fields != nil {
		return
	}
	if len(w.starts) != w.meta.Items {
		w.fail("%d fragments for %d items", len(w.starts), w.meta.Items)
	}
	w.starts = append(w.starts, w.off-w.open+1)
	w.end(kindFragments, NoField)
	w.section(kindStarts, NoField, appendPacked(nil, w.starts))
	w.fields = []byte{}
}

// EncodedField is a field ready to be written. Fields may be encoded in parallel.
type EncodedField struct {
	path  string
	entry []byte // entry in the Fields section
	parts []part
	spool func() Spool
	err   error
}

func (e *EncodedField) add(k kind, b []byte) {
	p := part{kind: k, b: b}
	e.setErr(p.spillFull(e.spool))
	e.parts = append(e.parts, p)
}

func (e *EncodedField) setErr(err error) {
	if e.err == nil {
		e.err = err
	}
}

// EncodeField encodes a field of a snapshot with the given number of items.
func EncodeField(f *FieldData, items int) *EncodedField {
	e := &EncodedField{path: f.Path, spool: f.Spool, err: f.validateNorms(items)}
	if e.err == nil && f.Type == Text {
		e.text(f, items)
	}
	if e.err != nil {
		return e
	}
	sets := e.sets(f, items)
	e.entry = append(appendStr(nil, f.Path), byte(f.Type))
	e.entry = binary.AppendUvarint(e.entry, uint64(f.Docs))
	e.entry = binary.AppendUvarint(e.entry, uint64(f.Tokens))
	e.entry = append(e.entry, sets...)
	return e
}

// Field appends a field. Paths must ascend.
func (w *Writer) Field(e *EncodedField) {
	w.endFragments()
	if w.paths > 0 && e.path <= w.last {
		w.fail("field %q after %q", e.path, w.last)
	}
	if w.out.Covers(e.path) {
		w.fail("field %q is left out", e.path)
	}
	if w.err == nil {
		w.err = e.err
	}
	for i := range e.parts {
		if w.err == nil {
			w.part(&e.parts[i], uint32(w.paths))
		}
	}
	w.fields = append(w.fields, e.entry...)
	w.last = e.path
	w.paths++
}

func (w *Writer) part(p *part, field uint32) {
	w.begin()
	if err := p.writeTo(sink{w}); w.err == nil {
		w.err = err
	}
	w.end(p.kind, field)
}

// sink appends to the open section of a Writer.
type sink struct{ w *Writer }

func (s sink) Write(b []byte) (int, error) {
	s.w.write(b)
	return len(b), s.w.err
}

func (e *EncodedField) text(f *FieldData, items int) {
	norms := newDocTable(items)
	for _, n := range f.Norms {
		norms.set(n.Doc, uint32(n.Length))
	}
	t := termEncoder{f: f, items: items, norms: norms, w: newTermWriter(f.Spool)}
	f.Terms(t.add)
	t.finish()
	e.setErr(t.err)
	e.setErr(t.w.err)
	e.parts = append(e.parts, t.w.data)
	e.add(kindTermIndex, t.w.indexBytes())
	e.parts = append(e.parts, t.w.postings, t.w.positions)
	e.add(kindNorms, norms.encode(items, 0, true))
}

func (e *EncodedField) strings(f *FieldData, items int) *columnWriter {
	sw := stringWriter{dictionaryWriter{data: part{kind: kindValues}, spool: f.Spool}, f.Path == IDField}
	cw := newColumnWriter(items)
	for v := range f.Strings {
		if !sw.ascends(v.Text) {
			e.setErr(fmt.Errorf("snapshot writer: values of field %s out of order", f.Path))
		}
		if e.setErr(f.validateDocs(v.Docs, items)); e.err != nil {
			return nil
		}
		sw.add(v)
		cw.add(v.Docs)
	}
	e.setErr(sw.err)
	e.add(kindValueIndex, sw.indexBytes(maxValuePrefix))
	e.parts = append(e.parts, sw.data)
	if f.Grams != nil {
		grams, ascends, err := encodeGrams(f.Grams, f.Spool)
		if e.setErr(err); !ascends {
			e.setErr(fmt.Errorf("snapshot writer: grams of field %s out of order", f.Path))
		}
		e.parts = append(e.parts, grams)
	}
	return cw
}

func (e *EncodedField) column(first kind, c *columnWriter) []byte {
	meta, starts, docs, least, greatest := c.sections()
	e.add(first, starts)
	e.add(first+1, docs)
	e.add(first+2, least)
	if greatest != nil {
		e.add(first+3, greatest)
	}
	return meta
}

// Close writes the table of contents and the footer.
func (w *Writer) Close() error {
	w.endFragments()
	if !w.out.Empty() {
		w.section(kindLeftOut, NoField, appendPaths(appendPaths(nil, w.out.Exclude), w.out.Include))
	}
	w.section(kindFields, NoField, append(binary.AppendUvarint(nil, uint64(w.paths)), w.fields...))
	return w.finish()
}

// finish writes the table of contents and the footer.
func (w *Writer) finish() error {
	at := w.off
	if err := w.table.writeTo(sink{w}); w.err == nil {
		w.err = err
	}
	w.write(footer(w.version, at, w.table.n, w.table.crc))
	return w.err
}

func appendPaths(dst []byte, paths []string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(paths)))
	for _, path := range paths {
		dst = appendStr(dst, path)
	}
	return dst
}

func footer(version uint32, at uint64, n int, crc uint32) []byte {
	f := binary.LittleEndian.AppendUint64(nil, at)
	f = binary.LittleEndian.AppendUint32(f, uint32(n))
	f = binary.LittleEndian.AppendUint32(f, crc)
	f = binary.LittleEndian.AppendUint64(f, at+uint64(n)*entryLen+footerLen)
	f = binary.LittleEndian.AppendUint32(f, frameSum(version, f))
	return binary.LittleEndian.AppendUint32(f, footerMagic)
}
