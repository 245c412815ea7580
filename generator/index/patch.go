// This file merges the baseline's field with the documents that differ; no others are read.

package index

import (
	"bytes"
	"cmp"
	"slices"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/mapping"
)

// patchShare is the part of the documents that may differ: beyond it a full build costs no more.
const patchShare = 4

type patch struct {
	old   *snapshot.Reader
	src   Source
	to    []int32          // by document of the baseline: the document with the same bytes, or NoDoc
	gone  []snapshot.DocID // documents of the baseline without such a document
	fresh []snapshot.DocID // new documents that are not in to

	paths map[string]mapping.Kind // to build, with the kind of their values
	lost  pathRuns                // of gone
	found pathRuns                // of fresh
}

// newPatch compares the documents with the baseline. It returns nil if nothing can be merged.
func (o *Baseline) newPatch(c *Environment, src Source) *patch {
	meta := o.Reader.Meta()
	if meta.Analysis != analysis.Version || meta.Sort != c.Sort || meta.Asc != c.Asc || o.Reader.Field(snapshot.IDField) == nil {
		return nil
	}
	p := &patch{old: o.Reader, src: src, to: slices.Repeat([]int32{NoDoc}, o.Reader.Items()), paths: map[string]mapping.Kind{}}
	last := int32(NoDoc)
	for doc, old := range o.Same {
		if old == NoDoc {
			p.fresh = append(p.fresh, snapshot.DocID(doc))
			continue
		}
		if old <= last {
			return nil // the documents are in another order
		}
		p.to[old], last = int32(doc), old
	}
	for old, doc := range p.to {
		if doc == NoDoc {
			p.gone = append(p.gone, snapshot.DocID(old))
		}
	}
	if len(p.gone)+len(p.fresh) > src.Len()/patchShare {
		return nil
	}
	return p
}

// add lets the patch build a path. It returns false if the baseline does not have the kinds of the
// path's mixed values.
func (p *patch) add(f *mapping.Field) bool {
	old := p.old.Field(f.Path)
	if old == nil || old.Type != f.Type || old.Sub(snapshot.SubKeyword) == nil {
		return false
	}
	kind := mapping.String
	switch f.Type {
	case snapshot.Text:
		if old.SortColumn() != old.Column() || f.Count[mapping.Number]+f.Count[mapping.Boolean] > 0 {
			return false
		}
	case snapshot.Long, snapshot.Float:
		kind = mapping.Number
	case snapshot.Boolean:
		kind = mapping.Boolean
	}
	p.paths[f.Path] = kind
	return true
}

// collect indexes the documents that differ. It returns false if they need more memory than limit.
func (p *patch) collect(types map[string]snapshot.Type, limit int) (bool, error) {
	others := map[string]bool{}
	for path := range types {
		if _, ok := p.paths[path]; !ok {
			others[path] = true
		}
	}
	lost, found := newRun(types, others), newRun(types, others)
	for _, doc := range p.gone {
		if lost.add(doc, p.old.Fragment(doc)); lost.size > limit {
			return false, nil
		}
	}
	for _, doc := range p.fresh {
		text, err := p.src.Append(nil, int(doc))
		if err != nil {
			return false, err
		}
		if found.add(doc, text); found.size > limit {
			return false, nil
		}
	}
	p.lost, p.found = lost.collected(), found.collected()
	return true, nil
}

// pathRuns are the parts of a run by path.
type pathRuns struct {
	types  map[string]snapshot.Type
	byPath map[string]*pathRun
}

func (r *run) collected() pathRuns {
	all := pathRuns{r.types, map[string]*pathRun{}}
	for _, p := range r.byPath {
		if p != nil && p != ignoredPath {
			all.byPath[p.path] = p
		}
	}
	return all
}

func (r *pathRuns) of(path string) *pathRun {
	if p := r.byPath[path]; p != nil {
		return p
	}
	return &pathRun{path: path, typ: r.types[path]}
}

func (p *patch) ranks(items int) ranks {
	r := ranks{make([]uint32, items), make([]snapshot.DocID, 0, items)}
	fresh := p.found.of(snapshot.IDField)
	order := fresh.order(&byText)
	it, ids := p.old.Field(snapshot.IDField).Strings().Iter(0), p.old.Field(snapshot.IDField).Column()
	for it.Next() {
		doc := p.to[ids.Doc(ids.Start(it.Ord()))]
		if doc == NoDoc {
			continue
		}
		for len(order) > 0 && bytes.Compare(fresh.values[order[0]].text, it.Value()) < 0 {
			r.at, order = append(r.at, fresh.values[order[0]].doc), order[1:]
		}
		r.at = append(r.at, snapshot.DocID(doc))
	}
	for _, i := range order {
		r.at = append(r.at, fresh.values[i].doc)
	}
	for i, d := range r.at {
		r.of[d] = uint32(i)
	}
	return r
}

type fieldPatch struct {
	*patch
	field *snapshot.Field
	kind  mapping.Kind
	lost  *pathRun
	found *pathRun

	walk     *mapping.Paths // of fragments
	fragment []byte         // scratch, as is unquoted
	unquoted []byte
	err      error
}

func (p *patch) field(path string) *fieldPatch {
	return &fieldPatch{patch: p, field: p.old.Field(path), kind: p.paths[path], lost: p.lost.of(path), found: p.found.of(path), walk: mapping.NewPaths()}
}

// values is at least the number of distinct values.
func (f *fieldPatch) values() int {
	return f.field.Sub(snapshot.SubKeyword).Strings().Len() + len(f.found.values)
}

func (f *fieldPatch) size() int64 { return int64(f.field.Tokens) + int64(f.values()) }

func (f *fieldPatch) lengths(out *snapshot.FieldData) {
	f.field.Norms().Docs(func(old snapshot.DocID, norm uint64) bool {
		if doc := f.to[old]; doc != NoDoc {
			out.Norms = append(out.Norms, snapshot.Norm{Doc: snapshot.DocID(doc), Length: byte(norm)})
		}
		return true
	})
	docs, tokens := f.lost.eachLength(func(snapshot.DocID, int) {})
	out.Docs, out.Tokens = f.field.Docs-docs, f.field.Tokens-tokens
	docs, tokens = f.found.eachLength(func(doc snapshot.DocID, n int) {
		out.Norms = append(out.Norms, snapshot.Norm{Doc: doc, Length: analysis.EncodeLength(n)})
	})
	slices.SortFunc(out.Norms, func(a, b snapshot.Norm) int { return cmp.Compare(a.Doc, b.Doc) })
	out.Docs, out.Tokens = out.Docs+docs, out.Tokens+tokens
}

// eachLength calls do for each document with tokens, and adds them up.
func (p *pathRun) eachLength(do func(doc snapshot.DocID, tokens int)) (docs, tokens int) {
	for i := 0; i < len(p.texts); {
		doc, n := p.texts[i].doc, 0
		for ; i < len(p.texts) && p.texts[i].doc == doc; i++ {
			n += int(p.texts[i].n)
		}
		if n > 0 {
			do(doc, n)
			docs, tokens = docs+1, tokens+n
		}
	}
	return docs, tokens
}

func (f *fieldPatch) terms(add func([]byte, []snapshot.Posting)) {
	places, starts := f.found.occurrences()
	words := f.found.sortedWords()
	fresh := func() []occurrence {
		n := words[0]
		words = words[1:]
		return places[starts[n]:starts[n+1]]
	}
	m := postingsMerger{to: f.to, add: add}
	it := f.field.Terms().Seek(nil)
	for it.Next() {
		for len(words) > 0 && bytes.Compare(f.found.words.at(words[0]), it.Term()) < 0 {
			term := f.found.words.at(words[0])
			m.begin(term)
			m.fresh = fresh()
			m.end()
		}
		m.begin(it.Term())
		if len(words) > 0 && bytes.Equal(f.found.words.at(words[0]), it.Term()) {
			m.fresh = fresh()
		}
		m.postings.Reset(f.field.Terms(), it.Info())
		m.walk()
		m.end()
	}
	for len(words) > 0 {
		m.begin(f.found.words.at(words[0]))
		m.fresh = fresh()
		m.end()
	}
}

type postingsMerger struct {
	to       []int32
	add      func([]byte, []snapshot.Posting)
	postings snapshot.Postings

	term  []byte
	fresh []occurrence // of documents that differ, from where walk is
	list  []snapshot.Posting
	slab  []uint32
}

func (m *postingsMerger) begin(term []byte) {
	m.term, m.fresh, m.list, m.slab = term, nil, m.list[:0], m.slab[:0]
}

// walk merges the baseline's list with the occurrences in documents that differ, in order of documents.
func (m *postingsMerger) walk() {
	for old := m.postings.Next(); old != snapshot.NoMore; old = m.postings.Next() {
		doc := m.to[old]
		if doc == NoDoc {
			continue
		}
		for len(m.fresh) > 0 && m.fresh[0].doc < snapshot.DocID(doc) {
			m.take()
		}
		start := len(m.slab)
		m.slab = m.postings.Positions(m.slab)
		m.put(snapshot.DocID(doc), start)
	}
}

func (m *postingsMerger) take() {
	start, doc := len(m.slab), m.fresh[0].doc
	for len(m.fresh) > 0 && m.fresh[0].doc == doc {
		m.slab = append(m.slab, m.fresh[0].pos)
		m.fresh = m.fresh[1:]
	}
	m.put(doc, start)
}

func (m *postingsMerger) put(doc snapshot.DocID, start int) {
	m.list = append(m.list, snapshot.Posting{Doc: doc, Positions: m.slab[start:len(m.slab):len(m.slab)]})
	if len(m.list) == pieceLen {
		m.add(m.term, m.list)
		m.list, m.slab = m.list[:0], m.slab[:0]
	}
}

func (m *postingsMerger) end() {
	for len(m.fresh) > 0 {
		m.take()
	}
	if len(m.list) > 0 {
		m.add(m.term, m.list)
	}
}

func (f *fieldPatch) texts(visit func(entry) bool) {
	values := f.field.Sub(snapshot.SubKeyword)
	column, it := values.Column(), values.Strings().Iter(0)
	w := valueMerger{fieldPatch: f, order: f.found.order(&byText), v: value{kind: f.kind}, visit: visit}
	w.find = w.locate
	for it.Next() {
		for w.next() && bytes.Compare(f.found.values[w.order[0]].text, it.Value()) < 0 {
			if !w.fresh() {
				return
			}
		}
		w.begin()
		for pair, end := column.Start(it.Ord()), column.Start(it.Ord()+1); pair < end; pair++ {
			if doc := f.to[column.Doc(pair)]; doc != NoDoc {
				w.docs = append(w.docs, snapshot.DocID(doc))
			}
		}
		if !w.merge(it) {
			return
		}
	}
	for w.next() {
		if !w.fresh() {
			return
		}
	}
}

type valueMerger struct {
	*fieldPatch
	order []uint32 // the values of documents that differ, in byte order
	visit func(entry) bool
	find  func() (snapshot.DocID, uint32)

	v    value
	docs []snapshot.DocID
	of   []uint32 // the values in order that equal the current value
}

func (w *valueMerger) next() bool { return len(w.order) > 0 }

func (w *valueMerger) begin() { w.docs, w.of = w.docs[:0], w.of[:0] }

// take collects the differing documents that have the value text.
func (w *valueMerger) take(text []byte) {
	for w.next() {
		v := &w.found.values[w.order[0]]
		if !bytes.Equal(v.text, text) {
			return
		}
		if len(w.of) == 0 || w.found.values[w.of[len(w.of)-1]].doc != v.doc {
			w.of, w.docs = append(w.of, w.order[0]), append(w.docs, v.doc)
		}
		w.order = w.order[1:]
	}
}

// fresh yields the next value that the baseline lacks.
func (w *valueMerger) fresh() bool {
	first := &w.found.values[w.order[0]]
	w.begin()
	w.take(first.text)
	return w.visit(entry{v: first, where: where(first), first: first.doc, docs: w.docs})
}

// merge yields the value of the baseline at it, unless no document has the value any more.
func (w *valueMerger) merge(it *snapshot.StringIter) bool {
	w.v.text = it.Value()
	w.take(w.v.text)
	if len(w.docs) == 0 {
		return true
	}
	e := entry{v: &w.v, docs: w.docs, ranked: len(w.of) == 0}
	if w.kind == mapping.String {
		e.locate = w.find
		if old, offset, ok := it.Pointer(); ok && e.ranked && w.to[old] != NoDoc {
			e.first, e.where = snapshot.DocID(w.to[old]), uint64(offset)+1
		}
	}
	return w.visit(e)
}

func (w *valueMerger) locate() (snapshot.DocID, uint32) {
	first := slices.Min(w.docs)
	for _, i := range w.of {
		if v := &w.found.values[i]; v.doc == first {
			return first, v.offset
		}
	}
	text, err := w.src.Append(w.fragment[:0], int(first))
	if err != nil {
		w.err = cmp.Or(w.err, err)
		return 0, 0
	}
	w.fragment = text
	offset, found := uint32(0), false
	w.walk.Walk(text, func(l *mapping.Leaf) {
		if found || l.Kind != mapping.String || l.Path.Name != w.field.Path {
			return
		}
		value := l.Text
		if !l.Plain {
			w.unquoted = jsoncursor.AppendUnquoted(w.unquoted[:0], value)
			value = w.unquoted
		}
		if bytes.Equal(value, w.v.text) {
			offset, found = uint32(l.Offset), true
		}
	})
	return first, offset
}

func (f *fieldPatch) hasRest() bool { return f.kind != mapping.String }

func (f *fieldPatch) rest(visit func(entry) bool) {
	var all []entry
	f.texts(func(e entry) bool {
		all = append(all, entry{v: &value{text: bytes.Clone(e.v.text), kind: f.kind}, docs: slices.Clone(e.docs)})
		return true
	})
	slices.SortFunc(all, func(a, b entry) int { return inRest.compare(a.v, b.v) })
	for _, e := range all {
		if !visit(e) {
			return
		}
	}
}

func (f *fieldPatch) failed() error { return f.err }
