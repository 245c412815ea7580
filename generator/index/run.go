// This file gathers what is indexed: a run takes consecutive documents until it holds
// its share of the memory. Then it is sealed (see seal.go), and another one begins.

package index

import (
	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/snapshot"
)

// arrayGap is how far positions move on after each value of a path.
const arrayGap = 100

// value is a leaf as a column keeps it.
type value struct {
	text   []byte // decoded string, or a number's or boolean's JSON text
	doc    snapshot.DocID
	offset uint32 // strings: in the fragment
	kind   leafKind
}

// pathRun is what a run knows of one path.
type pathRun struct {
	field  *field
	words  words
	tokens []uint32 // the words of all texts, one after the other
	texts  []span
	values []value
}

// span is a text as its tokens.
type span struct {
	doc snapshot.DocID
	n   uint32 // tokens
}

// What a run takes in bytes beside fragments and words, with what sealing it takes.
const (
	valueCost = 40 + 16
	tokenCost = 4 + 8
	spanCost  = 8
	wordCost  = 2*8 + 4 + 16
)

// run indexes consecutive documents.
type run struct {
	paths  *paths
	fields map[string]*field
	kept   map[string]offsets // paths to leave out
	byPath []*pathRun         // by path id
	tok    analysis.Tokenizer
	slab   []byte
	size   int // about the bytes it takes
}

func newRun(fields map[string]*field, kept map[string]offsets) *run {
	return &run{paths: newPaths(), fields: fields, kept: kept}
}

// leftOut stands for a path that is not gathered.
var leftOut = new(pathRun)

// add indexes a document, whose fragment the run keeps.
func (r *run) add(doc snapshot.DocID, fragment []byte) {
	r.size += len(fragment)
	r.paths.walk(fragment, func(l *leaf) { r.leaf(doc, l) })
}

func (r *run) leaf(doc snapshot.DocID, l *leaf) {
	for len(r.byPath) <= l.path.id {
		r.byPath = append(r.byPath, nil)
	}
	p := r.byPath[l.path.id]
	if p == nil {
		if _, kept := r.kept[l.path.name]; kept {
			p = leftOut
		} else {
			p = &pathRun{field: r.fields[l.path.name]}
		}
		r.byPath[l.path.id] = p
	}
	if p == leftOut {
		return
	}
	v := value{text: l.text, doc: doc, offset: uint32(l.offset), kind: l.kind}
	if !l.plain {
		v.text = r.keep(l.text)
	}
	p.values = append(p.values, v)
	r.size += valueCost
	if p.field.typ == snapshot.Text {
		r.index(p, doc, v.text)
	}
}

// keep decodes a string with escapes into memory that lasts as long as the run.
func (r *run) keep(raw []byte) []byte {
	if cap(r.slab)-len(r.slab) < len(raw) {
		r.slab = make([]byte, 0, max(1<<16, len(raw)))
		r.size += cap(r.slab)
	}
	start := len(r.slab)
	r.slab = snapshot.AppendUnquoted(r.slab, raw)
	return r.slab[start:len(r.slab):len(r.slab)]
}

// index cuts a text into terms.
func (r *run) index(p *pathRun, doc snapshot.DocID, text []byte) {
	before := len(p.tokens)
	r.tok.Reset(text)
	for r.tok.Next() {
		t := r.tok.Term()
		n, isNew := p.words.number(t)
		if isNew {
			r.size += wordCost + len(t)
		}
		p.tokens = append(p.tokens, n)
	}
	n := len(p.tokens) - before
	p.texts = append(p.texts, span{doc, uint32(n)})
	r.size += spanCost + n*tokenCost
}
