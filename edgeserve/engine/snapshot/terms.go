// This file holds the term dictionary of a text field: its terms in byte order and their postings.

package snapshot

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
)

// maxInline limits the occurrences that the dictionary itself stores for a term with one
// document. Two thirds of all terms qualify and need no further read.
const maxInline = 8

// TermInfo locates the postings of a term.
type TermInfo struct {
	DF int // number of documents

	single  bool
	doc     DocID
	tf      int
	deltas  []byte // term with one document: position deltas
	post    int    // offset and length in the postings section
	postLen int
	pos     int // offset and length in the positions section
	posLen  int
}

// Terms is the term dictionary of a text field.
type Terms struct {
	dictionary
	postBase  Packed // block -> offset in postings
	posBase   Packed // block -> offset in positions
	postings  []byte
	positions []byte
}

type termWriter struct {
	dictionaryWriter
	postings, positions part
	postBase, posBase   []uint64 // a number per block
}

func newTermWriter(spool func() Spool) *termWriter {
	return &termWriter{dictionaryWriter: dictionaryWriter{data: part{kind: kindTerms}, spool: spool},
		postings: part{kind: kindPostings}, positions: part{kind: kindPositions}}
}

// add appends a term with its encoded postings, or with single, if set: its only document.
func (w *termWriter) add(term []byte, df int, single, post, pos []byte) {
	if w.n%blockLen == 0 {
		w.postBase = append(w.postBase, w.postings.len())
		w.posBase = append(w.posBase, w.positions.len())
	}
	shared := w.next(term)
	w.data.b = binary.AppendUvarint(w.data.b, uint64(shared))
	w.data.b = binary.AppendUvarint(w.data.b, uint64(len(term)-shared))
	w.data.b = append(w.data.b, term[shared:]...)
	if single != nil {
		w.data.b = append(w.data.b, single...)
	} else {
		w.data.b = binary.AppendUvarint(w.data.b, uint64(df)<<1)
		w.data.b = binary.AppendUvarint(w.data.b, uint64(len(post)))
		w.data.b = binary.AppendUvarint(w.data.b, uint64(len(pos)))
		w.postings.b = append(w.postings.b, post...)
		w.positions.b = append(w.positions.b, pos...)
	}
	w.spill(&w.data, &w.postings, &w.positions)
}

// termEncoder encodes the terms of a field. The list of a term may arrive in pieces.
type termEncoder struct {
	f      *FieldData
	items  int
	norms  *docTable
	w      *termWriter
	list   listWriter
	term   []byte // current term
	open   bool
	single []byte
	err    error
}

func (t *termEncoder) add(term []byte, list []Posting) {
	if t.open && !bytes.Equal(term, t.term) {
		t.finish()
	}
	if !t.open && !t.w.ascends(term) || !inOrder(list, t.items) || t.open && list[0].Doc <= t.list.last {
		t.fail(term)
	}
	if t.err != nil {
		return
	}
	t.term, t.open = append(t.term[:0], term...), true
	t.list.add(list, t.factor)
}

func (t *termEncoder) fail(term []byte) {
	if t.err == nil {
		t.err = fmt.Errorf("snapshot writer: term %q of field %s out of order", term, t.f.Path)
	}
}

func (t *termEncoder) factor(d DocID) float32 {
	if n := t.norms.of[d]; n != noOrdinal {
		return t.f.Factor[n]
	}
	return t.f.Factor[0]
}

func (t *termEncoder) finish() {
	if !t.open || t.err != nil {
		return
	}
	if p, ok := t.list.single(); ok && len(p.Positions) <= maxInline {
		t.single = appendSingle(t.single[:0], p.Doc, p.Positions)
		t.w.add(t.term, 1, t.single, nil, nil)
	} else {
		post, pos := t.list.finish(t.factor)
		t.w.add(t.term, t.list.df, nil, post, pos)
	}
	t.list.reset()
	t.open = false
}

func appendSingle(dst []byte, doc DocID, positions []uint32) []byte {
	dst = binary.AppendUvarint(dst, uint64(doc)<<1|1)
	dst = binary.AppendUvarint(dst, uint64(len(positions)))
	last := uint32(0)
	for _, p := range positions {
		dst = binary.AppendUvarint(dst, uint64(p-last))
		last = p
	}
	return dst
}

func (w *termWriter) indexBytes() []byte {
	return appendPacked(appendPacked(w.dictionaryWriter.indexBytes(math.MaxInt), w.postBase), w.posBase)
}

func openTerms(index, data, postings, positions []byte) *Terms {
	d := &decoder{b: index, what: "term index"}
	t := &Terms{dictionary: d.dictionary(data), postBase: d.packed(), posBase: d.packed(), postings: postings, positions: positions}
	if t.offs.n != t.index.n || t.postBase.n != t.index.n || t.posBase.n != t.index.n {
		d.fail("block tables of different lengths")
	}
	return t
}
