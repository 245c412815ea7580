// This file holds the dictionary of a text field: its terms in byte order, and for
// each where its postings lie.

package snapshot

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// maxInline is the largest number of occurrences of a term with one document that
// are kept in the dictionary itself: two thirds of all terms, which then cost no
// further read.
const maxInline = 8

// TermInfo locates the postings of a term.
type TermInfo struct {
	DF int // documents that hold the term

	single  bool
	doc     DocID
	tf      int
	deltas  []byte // single: position deltas
	post    int    // offset and length in the postings section
	postLen int
	pos     int // and in the positions section
	posLen  int
}

// Terms is the dictionary of one text field.
type Terms struct {
	n         int
	index     blockIndex
	data      []byte
	offs      Packed // block -> offset in data
	postBase  Packed // block -> offset in postings
	posBase   Packed // block -> offset in positions
	postings  []byte
	positions []byte
}

// termWriter builds the three sections of a dictionary from ascending terms.
type termWriter struct {
	data, postings, positions part
	offs, postBase, posBase   []uint64 // a number a block
	heads                     headWriter
	prev                      []byte
	n                         int
	spool                     func() Spool
	err                       error
}

func newTermWriter(spool func() Spool) *termWriter {
	return &termWriter{data: part{kind: kindTerms}, postings: part{kind: kindPostings}, positions: part{kind: kindPositions}, spool: spool}
}

// add appends a term with its encoded postings, or, when single is not nil, with
// its one document.
func (w *termWriter) add(term []byte, df int, single, post, pos []byte) {
	shared := 0
	if w.n%blockLen == 0 {
		w.offs = append(w.offs, w.data.len())
		w.postBase = append(w.postBase, w.postings.len())
		w.posBase = append(w.posBase, w.positions.len())
		w.heads.add(term)
	} else {
		shared = commonPrefix(w.prev, term)
	}
	w.n++
	w.prev = append(w.prev[:0], term...)
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
	w.settle()
}

// settle spools what is enough of the sections.
func (w *termWriter) settle() {
	for _, p := range []*part{&w.data, &w.postings, &w.positions} {
		if err := p.settle(w.spool); w.err == nil {
			w.err = err
		}
	}
}

// termEncoder takes the terms of a field, each in one piece or more.
type termEncoder struct {
	f      *FieldData
	items  int
	w      *termWriter
	list   listWriter
	term   []byte // the one whose list is open
	open   bool
	single []byte
	err    error
}

// add takes a piece of a term's list.
func (t *termEncoder) add(term []byte, list []Posting) {
	if t.open && !bytes.Equal(term, t.term) {
		t.finish()
	}
	if !t.open && t.w.n > 0 && bytes.Compare(term, t.w.prev) <= 0 || !inOrder(list, t.items) || t.open && list[0].Doc <= t.list.last {
		t.refuse(term)
	}
	if t.err != nil {
		return
	}
	t.term, t.open = append(t.term[:0], term...), true
	t.list.add(list, t.factor)
}

func (t *termEncoder) refuse(term []byte) {
	if t.err == nil {
		t.err = fmt.Errorf("snapshot writer: term %q of field %s out of order", term, t.f.Path)
	}
}

// factor is the length factor of a document.
func (t *termEncoder) factor(d DocID) float32 { return t.f.Factor[byte(t.f.Norms[d])] }

// finish writes the term whose list is open.
func (t *termEncoder) finish() {
	if !t.open || t.err != nil {
		return
	}
	if p, ok := t.list.only(); ok && len(p.Positions) <= maxInline {
		t.single = appendSingle(t.single[:0], p.Doc, p.Positions)
		t.w.add(t.term, 1, t.single, nil, nil)
	} else {
		post, pos := t.list.finish(t.factor)
		t.w.add(t.term, t.list.df, nil, post, pos)
	}
	t.list.reset()
	t.open = false
}

// appendSingle encodes the payload of a term that one document holds.
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

// indexBytes encodes the index section.
func (w *termWriter) indexBytes() []byte {
	b := binary.AppendUvarint(nil, uint64(w.n))
	b = w.heads.appendTo(b, w.heads.shared(w.prev))
	b = appendPacked(b, w.offs)
	b = appendPacked(b, w.postBase)
	return appendPacked(b, w.posBase)
}

func openTerms(index, data, postings, positions []byte) (*Terms, error) {
	d := &dec{b: index, what: "term index"}
	t := &Terms{data: data, postings: postings, positions: positions}
	t.n = d.count(1 << 40)
	t.index = d.blockIndex(t.n)
	t.offs, t.postBase, t.posBase = d.packed(), d.packed(), d.packed()
	if d.err == nil && (t.offs.n != t.index.n || t.postBase.n != t.index.n || t.posBase.n != t.index.n) {
		d.fail("block tables of different lengths")
	}
	return t, d.err
}

// Len is the number of terms.
func (t *Terms) Len() int { return t.n }

// Lookup finds a term.
func (t *Terms) Lookup(term []byte) (TermInfo, bool) {
	var it TermIter
	if it.seek(t, term) && bytes.Equal(it.term, term) {
		return it.Info(), true
	}
	return TermInfo{}, false
}

// Seek returns an iterator that stands before the first term that is at least term.
func (t *Terms) Seek(term []byte) *TermIter {
	it := &TermIter{}
	it.pending = it.seek(t, term)
	return it
}

// iter returns an iterator that stands before the first term.
func (t *Terms) iter() *TermIter {
	it := &TermIter{t: t}
	it.enter(0)
	return it
}

// TermIter walks terms in byte order.
type TermIter struct {
	t       *Terms
	next    int // index of the entry that step reads
	d       dec
	term    []byte
	shared  int
	info    TermInfo
	post    int
	pos     int
	pending bool // Next has the current entry to give
}

// Next moves to the next term.
func (it *TermIter) Next() bool {
	if it.pending {
		it.pending = false
		return true
	}
	return it.step()
}

// SeekGE moves to the first term that is at least term, wherever it stood.
func (it *TermIter) SeekGE(term []byte) bool {
	it.pending = false
	return it.seek(it.t, term)
}

// Term is the current term; it is valid until the iterator moves.
func (it *TermIter) Term() []byte { return it.term }

// Shared is a number of leading bytes that the current term has in common with the
// one before it.
func (it *TermIter) Shared() int { return it.shared }

// Info locates the current term's postings.
func (it *TermIter) Info() TermInfo { return it.info }

func (it *TermIter) seek(t *Terms, term []byte) bool {
	it.t = t
	block := t.index.find(term, func(b int) int {
		it.enter(b)
		it.step()
		return bytes.Compare(term, it.term)
	})
	it.enter(max(block, 0))
	for it.step() {
		if bytes.Compare(it.term, term) >= 0 {
			it.shared = 0 // with a term that the caller has not seen
			return true
		}
	}
	return false
}

// enter stands the iterator before the first entry of a block.
func (it *TermIter) enter(block int) {
	it.next = block * blockLen
	it.d = dec{what: "terms"}
	if block < it.t.offs.n {
		off := it.t.offs.At(block)
		if off > uint64(len(it.t.data)) {
			it.d.fail("block offset")
			return
		}
		it.d.b = it.t.data[off:]
		it.post, it.pos = int(it.t.postBase.At(block)), int(it.t.posBase.At(block))
	}
}

// step reads one entry.
func (it *TermIter) step() bool {
	if it.t == nil || it.next >= it.t.n {
		return false
	}
	d := &it.d
	if it.next%blockLen == 0 {
		it.term = it.term[:0]
	}
	shared := d.count(len(it.term))
	suffix := d.bytes(d.count(len(d.b)))
	it.shared = shared
	it.term = append(it.term[:shared], suffix...)
	it.readInfo(d)
	it.next++
	if d.err != nil {
		panic(d.err)
	}
	return true
}

func (it *TermIter) readInfo(d *dec) {
	x := d.uv()
	if x&1 == 1 {
		it.info = TermInfo{DF: 1, single: true, doc: DocID(x >> 1), tf: d.count(maxInline)}
		b := d.b
		for range it.info.tf {
			d.uv()
		}
		it.info.deltas = b[:len(b)-len(d.b)]
		return
	}
	if x == 0 {
		d.fail("a term without documents")
	}
	it.info = TermInfo{DF: int(x >> 1), post: it.post, postLen: int(d.uv()), pos: it.pos, posLen: int(d.uv())}
	it.post += it.info.postLen
	it.pos += it.info.posLen
}
