// This file assembles the parts of a field into the input of the snapshot's Writer.

package index

import (
	"slices"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/snapshot"
	"contentedge/generator/spill"
)

type fieldWork struct {
	path  string
	parts []*flushedPath // one per run with the path, in document order
	items int
	rank  *ranks
	file  *spill.File
}

// size estimates the work by the bytes in the temporary file.
func (w *fieldWork) size() (n int64) {
	for _, p := range w.parts {
		n += p.size()
	}
	return n
}

func (w *fieldWork) encode() (*snapshot.EncodedField, error) {
	m := &merger{parts: w.parts}
	f := &snapshot.FieldData{Path: w.path, Type: w.parts[0].typ, Spool: func() snapshot.Spool { return w.file.NewStream() }}
	f.Strings = func(yield func(snapshot.StringValue) bool) { w.strings(f, m, yield) }
	if f.Type == snapshot.Text {
		w.text(f, m)
	}
	if m.err != nil {
		return nil, m.err
	}
	e := snapshot.EncodeField(f, w.items)
	w.parts = nil
	return e, m.err
}

// text adds the terms and lengths of a text field.
func (w *fieldWork) text(f *snapshot.FieldData, m *merger) {
	f.Norms = make([]uint64, w.items)
	m.lengths(func(doc snapshot.DocID, tokens int) {
		f.Norms[doc] = uint64(analysis.EncodeLength(tokens))
		f.Docs++
		f.Tokens += tokens
	})
	if f.Docs > 0 {
		f.Factor = analysis.LengthFactors(float32(float64(f.Tokens) / float64(f.Docs)))
	}
	f.Terms = m.terms
}

// strings yields the texts of all values, then sets the members that depend on them.
func (w *fieldWork) strings(f *snapshot.FieldData, m *merger, yield func(snapshot.StringValue) bool) {
	grams := gramTexts{maxValues: w.values()}
	if f.Type == snapshot.Text {
		grams.s = w.file.NewStream()
	}
	subFields := subFieldValues{rank: w.rank}
	m.texts(func(e entry) bool {
		v := snapshot.StringValue{Text: e.v.text, Docs: e.docs}
		if e.where > 0 {
			v.Doc, v.Offset = e.docs[0], uint32(e.where-1)
		}
		w.rank.sort(e.docs)
		grams.add(e.v.text)
		subFields.add(e.v.text, e.docs)
		return yield(v)
	})
	var err error
	f.Grams, err = grams.grams()
	m.keep(err)
	subFields.end(f)
	if slices.ContainsFunc(w.parts, func(p *flushedPath) bool { return p.rest != nil }) {
		r := restColumn{rank: w.rank}
		m.rest(r.add)
		f.Sort = r.column()
	}
}

func (w *fieldWork) values() (n int) {
	for _, p := range w.parts {
		n += p.values
	}
	return n
}
