// This file merges the sorted runs of a field. A run's documents precede the documents of the next run.

package index

import (
	"bytes"
	"slices"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/generator/mapping"
	"contentedge/generator/spill"
)

type termCursor struct {
	r    *spill.Reader
	term []byte
	done bool
}

func (c *termCursor) next() {
	if c.done = !c.r.More(); !c.done {
		c.term = append(c.term[:0], c.r.Bytes()...)
	}
}

const pieceLen = 1024

// merger merges the parts of a field. The first read error sticks.
type merger struct {
	parts []*flushedPath
	list  []snapshot.Posting
	slab  []uint32
	err   error
}

func (m *merger) keep(err error) {
	if m.err == nil {
		m.err = err
	}
}

func (m *merger) size() (n int64) {
	for _, p := range m.parts {
		n += p.size()
	}
	return n
}

func (m *merger) values() (n int) {
	for _, p := range m.parts {
		n += p.values
	}
	return n
}

func (m *merger) hasRest() bool {
	return slices.ContainsFunc(m.parts, func(p *flushedPath) bool { return p.rest != nil })
}

func (m *merger) failed() error { return m.err }

func (m *merger) terms(add func([]byte, []snapshot.Posting)) {
	cursors := make([]*termCursor, len(m.parts))
	for i, p := range m.parts {
		cursors[i] = &termCursor{r: p.terms.Reader()}
		cursors[i].next()
	}
	var term []byte
	for {
		var least *termCursor
		for _, c := range cursors {
			if !c.done && (least == nil || bytes.Compare(c.term, least.term) < 0) {
				least = c
			}
		}
		if least == nil {
			break
		}
		term = append(term[:0], least.term...)
		for _, c := range cursors {
			if !c.done && bytes.Equal(c.term, term) {
				m.postings(c.r, func(list []snapshot.Posting) { add(term, list) })
				c.next()
			}
		}
	}
	for _, c := range cursors {
		m.keep(c.r.Err())
	}
}

func (m *merger) postings(r *spill.Reader, add func([]snapshot.Posting)) {
	doc := snapshot.DocID(0)
	for n := r.Uvarint(); n > 0 && r.Err() == nil; {
		m.list, m.slab = m.list[:0], m.slab[:0]
		for ; n > 0 && len(m.list) < pieceLen && r.Err() == nil; n-- {
			doc += snapshot.DocID(r.Uvarint())
			start, pos := len(m.slab), uint32(0)
			for k := r.Uvarint(); k > 0; k-- {
				pos += uint32(r.Uvarint())
				m.slab = append(m.slab, pos)
			}
			m.list = append(m.list, snapshot.Posting{Doc: doc, Positions: m.slab[start:len(m.slab):len(m.slab)]})
		}
		if r.Err() == nil {
			add(m.list)
		}
	}
}

func (m *merger) lengths(f *snapshot.FieldData) {
	for _, p := range m.parts {
		r, doc := p.lengths.Reader(), snapshot.DocID(0)
		for r.More() {
			doc += snapshot.DocID(r.Uvarint())
			tokens := int(r.Uvarint())
			f.Norms = append(f.Norms, snapshot.Norm{Doc: doc, Length: analysis.EncodeLength(tokens)})
			f.Docs++
			f.Tokens += tokens
		}
		m.keep(r.Err())
	}
}

type valueCursor struct {
	r     *spill.Reader
	v     value
	head  uint64 // of v
	where uint64
	kinds bool // where has the kind of a value
	docs  []snapshot.DocID
	done  bool
}

func (c *valueCursor) next() {
	if c.done = !c.r.More(); c.done {
		return
	}
	c.v.text = append(c.v.text[:0], c.r.Bytes()...)
	c.where = c.r.Uvarint()
	if c.kinds {
		c.v.kind = mapping.Kind(c.where)
	}
	c.docs = c.docs[:0]
	doc := snapshot.DocID(0)
	for n := c.r.Uvarint(); n > 0 && c.r.Err() == nil; n-- {
		doc += snapshot.DocID(c.r.Uvarint())
		c.docs = append(c.docs, doc)
	}
}

// entry is a distinct value, valid until the next entry.
type entry struct {
	v      *value
	where  uint64         // the place in the first document
	first  snapshot.DocID // the first document, if where is not 0
	docs   []snapshot.DocID
	ranked bool // docs are in order of ContentID; otherwise in any order

	locate func() (snapshot.DocID, uint32) // first and where less one, if where is 0; may be nil
}

func (m *merger) texts(visit func(entry) bool) {
	cursors := make([]*valueCursor, len(m.parts))
	for i, p := range m.parts {
		cursors[i] = &valueCursor{r: p.texts.Reader()}
	}
	m.merge(cursors, &byText, visit)
}

// rest yields the values in REST order. A part without a REST stream has only strings.
func (m *merger) rest(visit func(entry) bool) {
	cursors := make([]*valueCursor, len(m.parts))
	for i, p := range m.parts {
		cursors[i] = &valueCursor{kinds: p.rest != nil}
		if p.rest != nil {
			cursors[i].r = p.rest.Reader()
		} else {
			cursors[i].r = p.texts.Reader()
		}
	}
	m.merge(cursors, &inRest, visit)
}

func (m *merger) merge(cursors []*valueCursor, o *ordering, visit func(entry) bool) {
	next := func(c *valueCursor) {
		if c.next(); !c.done {
			c.head = o.head(&c.v)
		}
	}
	for _, c := range cursors {
		next(c)
	}
	var v value
	var docs []snapshot.DocID
	for {
		var least *valueCursor
		for _, c := range cursors {
			if !c.done && (least == nil || c.head <= least.head && (c.head < least.head || o.compare(&c.v, &least.v) < 0)) {
				least = c
			}
		}
		if least == nil {
			break
		}
		v.text, v.kind, docs = append(v.text[:0], least.v.text...), least.v.kind, docs[:0]
		where, head := least.where, least.head
		for _, c := range cursors {
			if !c.done && c.head == head && o.same(&c.v, &v) {
				docs = append(docs, c.docs...)
				next(c)
			}
		}
		if !visit(entry{v: &v, where: where, first: docs[0], docs: docs}) {
			break
		}
	}
	for _, c := range cursors {
		m.keep(c.r.Err())
	}
}
