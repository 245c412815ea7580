// This file gathers what is indexed: each run takes a range of documents, so that
// runs can work side by side, and keeps for every path its terms and values.

package index

import (
	"encoding/binary"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/snapshot"
)

// arrayGap is how far positions move on after each value of a path.
const arrayGap = 100

// occurrences is a term's places in a run, as varints: an odd number begins a
// document (its distance to the last, doubled) and is followed by a position; an
// even one is a further position in it (its distance, doubled).
type occurrences struct {
	b    []byte
	doc  snapshot.DocID
	last uint32
	df   int
}

func (o *occurrences) add(doc snapshot.DocID, pos uint32) {
	if o.df > 0 && o.doc == doc {
		o.b = binary.AppendUvarint(o.b, uint64(pos-o.last)<<1)
	} else {
		o.b = binary.AppendUvarint(o.b, uint64(doc-o.doc)<<1|1)
		o.b = binary.AppendUvarint(o.b, uint64(pos))
		o.doc = doc
		o.df++
	}
	o.last = pos
}

// postings appends the postings of o to list; positions share the slab.
func (o *occurrences) postings(list []snapshot.Posting, slab []uint32) ([]snapshot.Posting, []uint32) {
	doc, last := snapshot.DocID(0), uint32(0)
	start := len(slab)
	for b := o.b; len(b) > 0; {
		x, n := binary.Uvarint(b)
		b = b[n:]
		if x&1 == 1 {
			if len(slab) > start {
				list = append(list, snapshot.Posting{Doc: doc, Positions: slab[start:len(slab):len(slab)]})
			}
			doc += snapshot.DocID(x >> 1)
			start = len(slab)
			p, n := binary.Uvarint(b)
			b = b[n:]
			last = uint32(p)
		} else {
			last += uint32(x >> 1)
		}
		slab = append(slab, last)
	}
	return append(list, snapshot.Posting{Doc: doc, Positions: slab[start:len(slab):len(slab)]}), slab
}

// value is a leaf as a column keeps it.
type value struct {
	text   []byte // decoded string, or a number's or boolean's JSON text
	doc    snapshot.DocID
	offset uint32 // strings: in the fragment
	kind   leafKind
}

// pathRun is what a run knows of one path.
type pathRun struct {
	field   *field
	ids     map[string]int32
	terms   []occurrences
	lengths []length
	values  []value
	pos     uint32 // position of the next token in the current document
}

// length is the number of tokens of a document.
type length struct {
	doc    snapshot.DocID
	tokens int
}

// run indexes a range of documents.
type run struct {
	paths  *paths
	fields map[string]*field
	leaves map[string]*field // as this range has them: how many there are
	runs   []*pathRun        // by path id
	tok    analysis.Tokenizer
	slab   []byte
}

func newRun(fields, leaves map[string]*field) *run {
	return &run{paths: newPaths(), fields: fields, leaves: leaves}
}

// add indexes a document.
func (r *run) add(doc snapshot.DocID, fragment []byte) {
	r.paths.walk(fragment, func(l *leaf) { r.leaf(doc, l) })
}

func (r *run) leaf(doc snapshot.DocID, l *leaf) {
	for len(r.runs) <= l.path.id {
		r.runs = append(r.runs, nil)
	}
	p := r.runs[l.path.id]
	if p == nil {
		p = &pathRun{field: r.fields[l.path.name], ids: map[string]int32{}, values: make([]value, 0, r.leaves[l.path.name].n)}
		r.runs[l.path.id] = p
	}
	v := value{text: l.text, doc: doc, offset: uint32(l.offset), kind: l.kind}
	if !l.plain {
		v.text = r.keep(l.text)
	}
	p.values = append(p.values, v)
	if p.field.typ == snapshot.Text {
		r.index(p, doc, v.text)
	}
}

// keep decodes a string with escapes into memory that lasts as long as the run.
func (r *run) keep(raw []byte) []byte {
	if cap(r.slab)-len(r.slab) < len(raw) {
		r.slab = make([]byte, 0, max(1<<16, len(raw)))
	}
	start := len(r.slab)
	r.slab = snapshot.AppendUnquoted(r.slab, raw)
	return r.slab[start:len(r.slab):len(r.slab)]
}

func (r *run) index(p *pathRun, doc snapshot.DocID, text []byte) {
	if n := len(p.lengths); n == 0 || p.lengths[n-1].doc != doc {
		p.lengths = append(p.lengths, length{doc: doc})
		p.pos = 0
	}
	n := &p.lengths[len(p.lengths)-1]
	r.tok.Reset(text)
	for r.tok.Next() {
		t := r.tok.Term()
		id, ok := p.ids[string(t)]
		if !ok {
			id = int32(len(p.terms))
			p.ids[string(t)] = id
			p.terms = append(p.terms, occurrences{})
		}
		p.terms[id].add(doc, p.pos)
		p.pos++
		n.tokens++
	}
	p.pos += arrayGap
}
