// This file puts the parts of a field together, as the snapshot's Writer takes it.

package index

import (
	"slices"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/snapshot"
	"contentedge/generator/spill"
)

// fieldWork is a field to encode.
type fieldWork struct {
	path  string
	parts []*sealed // of the runs that met it, in order
	items int
	rank  *ranks
	file  *spill.File
}

// size says how much work it is.
func (w *fieldWork) size() (n int64) {
	for _, p := range w.parts {
		n += p.size()
	}
	return n
}

// encode makes the field.
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

// text prepares the terms of a text field.
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

// strings gives the texts of all values, then sets what follows from them.
func (w *fieldWork) strings(f *snapshot.FieldData, m *merger, yield func(snapshot.StringValue) bool) {
	grams := gramTexts{most: w.values()}
	if f.Type == snapshot.Text {
		grams.s = w.file.NewStream()
	}
	numbers := readings{rank: w.rank}
	m.texts(func(e entry) bool {
		v := snapshot.StringValue{Text: e.v.text, Docs: e.docs}
		if e.where > 0 {
			v.Doc, v.Offset = e.docs[0], uint32(e.where-1)
		}
		w.rank.sort(e.docs)
		grams.add(e.v.text)
		numbers.add(e.v.text, e.docs)
		return yield(v)
	})
	var err error
	f.Grams, err = grams.grams()
	m.keep(err)
	numbers.end(f)
	if slices.ContainsFunc(w.parts, func(p *sealed) bool { return p.rest != nil }) {
		r := restColumn{rank: w.rank}
		m.rest(r.add)
		f.Sort = r.column()
	}
}

// values is the number of the field's leaves.
func (w *fieldWork) values() (n int) {
	for _, p := range w.parts {
		n += p.values
	}
	return n
}
