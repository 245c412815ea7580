// This file collects the input of the index in runs, which flush.go flushes when they are full.

package index

import (
	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/mapping"
)

// arrayGap is the position gap after each value of a path.
const arrayGap = 100

type value struct {
	text   []byte // decoded string, else the JSON text
	doc    snapshot.DocID
	offset uint32 // strings: offset in the fragment
	kind   mapping.Kind
}

type pathRun struct {
	path   string
	typ    snapshot.Type
	words  interner
	tokens []uint32 // the terms of all texts, concatenated
	texts  []span
	values []value
}

type span struct {
	doc snapshot.DocID
	n   uint32 // number of tokens
}

// The memory of a run in bytes without fragments and words, but with the memory for flushing.
const (
	valueCost = 40 + 16
	tokenCost = 4 + 8
	spanCost  = 8
	wordCost  = 2*8 + 4 + 16
	pathCost  = 1024 // names, tables and streams
)

type run struct {
	paths  *mapping.Paths
	types  map[string]snapshot.Type // paths without a type have no field: they are left out
	others map[string]bool          // more paths that the run ignores
	byPath []*pathRun               // by path id
	tok    analysis.Tokenizer
	slab   []byte
	size   int // approximate memory in bytes
}

func newRun(types map[string]snapshot.Type, others map[string]bool) *run {
	return &run{paths: mapping.NewPaths(), types: types, others: others}
}

var ignoredPath = new(pathRun)

// add indexes a document. The run retains the fragment.
func (r *run) add(doc snapshot.DocID, fragment []byte) {
	r.size += len(fragment)
	r.paths.Walk(fragment, func(l *mapping.Leaf) { r.leaf(doc, l) })
}

func (r *run) leaf(doc snapshot.DocID, l *mapping.Leaf) {
	for len(r.byPath) <= l.Path.ID {
		r.byPath = append(r.byPath, nil)
	}
	p := r.byPath[l.Path.ID]
	if p == nil {
		p = ignoredPath
		if typ, ok := r.types[l.Path.Name]; ok && !r.others[l.Path.Name] {
			p = &pathRun{path: l.Path.Name, typ: typ}
			r.size += pathCost
		}
		r.byPath[l.Path.ID] = p
	}
	if p == ignoredPath {
		return
	}
	v := value{text: l.Text, doc: doc, offset: uint32(l.Offset), kind: l.Kind}
	if !l.Plain {
		v.text = r.decode(l.Text)
	}
	p.values = append(p.values, v)
	r.size += valueCost
	if p.typ == snapshot.Text {
		r.index(p, doc, v.text)
	}
}

// decode decodes an escaped string; the result is valid as long as the run.
func (r *run) decode(raw []byte) []byte {
	if cap(r.slab)-len(r.slab) < len(raw) {
		r.slab = make([]byte, 0, max(1<<16, len(raw)))
		r.size += cap(r.slab)
	}
	start := len(r.slab)
	r.slab = jsoncursor.AppendUnquoted(r.slab, raw)
	return r.slab[start:len(r.slab):len(r.slab)]
}

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
