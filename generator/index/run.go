// This file gathers what is indexed: a run takes consecutive documents until it holds
// its share of the memory. Then it is sealed (see seal.go), and another one begins.

package index

import (
	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/snapshot"
	"contentedge/generator/fields"
)

// arrayGap is how far positions move on after each value of a path.
const arrayGap = 100

// value is a leaf as a column keeps it.
type value struct {
	text   []byte // decoded string, or a number's or boolean's JSON text
	doc    snapshot.DocID
	offset uint32 // strings: in the fragment
	kind   fields.Kind
}

// pathRun is what a run knows of one path.
type pathRun struct {
	path   string
	typ    snapshot.Type
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
	paths  *fields.Paths
	types  map[string]snapshot.Type
	kept   map[string]offsets // paths to leave out
	byPath []*pathRun         // by path id
	tok    analysis.Tokenizer
	slab   []byte
	size   int // about the bytes it takes
}

func newRun(types map[string]snapshot.Type, kept map[string]offsets) *run {
	return &run{paths: fields.NewPaths(), types: types, kept: kept}
}

// leftOut stands for a path that is not gathered.
var leftOut = new(pathRun)

// add indexes a document, whose fragment the run keeps.
func (r *run) add(doc snapshot.DocID, fragment []byte) {
	r.size += len(fragment)
	r.paths.Walk(fragment, func(l *fields.Leaf) { r.leaf(doc, l) })
}

func (r *run) leaf(doc snapshot.DocID, l *fields.Leaf) {
	for len(r.byPath) <= l.Path.ID {
		r.byPath = append(r.byPath, nil)
	}
	p := r.byPath[l.Path.ID]
	if p == nil {
		if _, kept := r.kept[l.Path.Name]; kept {
			p = leftOut
		} else {
			p = &pathRun{path: l.Path.Name, typ: r.types[l.Path.Name]}
		}
		r.byPath[l.Path.ID] = p
	}
	if p == leftOut {
		return
	}
	v := value{text: l.Text, doc: doc, offset: uint32(l.Offset), kind: l.Kind}
	if !l.Plain {
		v.text = r.keep(l.Text)
	}
	p.values = append(p.values, v)
	r.size += valueCost
	if p.typ == snapshot.Text {
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
