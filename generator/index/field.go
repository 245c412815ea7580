// This file puts the parts of a field together, as the snapshot's Writer takes it.

package index

import (
	"cmp"
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
	f := &snapshot.FieldData{Path: w.path, Type: w.parts[0].field.typ, Spool: func() snapshot.Spool { return w.file.NewStream() }}
	switch f.Type {
	case snapshot.Text:
		w.text(f, m)
	case snapshot.Float:
		f.Floats, f.Column, f.Sort = column(m, w.rank, floatOf)
	default:
		f.Ints, f.Column, f.Sort = column(m, w.rank, func(v *value) (int64, bool) { return intOf(f.Type, v) })
	}
	if m.err != nil {
		return nil, m.err
	}
	e := snapshot.EncodeField(f, w.items)
	w.parts = nil
	return e, m.err
}

// column reads all values of a field of numbers.
func column[K cmp.Ordered](m *merger, rank *ranks, read func(*value) (K, bool)) ([]K, snapshot.ColumnData, *snapshot.ColumnData) {
	n := numbers[K]{rank: rank, read: read, column: restColumn{rank: rank}}
	m.rest(n.add)
	keys, c := group(n.vs, rank)
	return keys, c, n.column.unless(&c)
}

// text prepares a text field.
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
	f.Strings = func(yield func(snapshot.StringValue) bool) { w.strings(f, m, yield) }
}

// strings gives the values of a text field, then sets what follows from them.
func (w *fieldWork) strings(f *snapshot.FieldData, m *merger, yield func(snapshot.StringValue) bool) {
	grams := gramTexts{s: w.file.NewStream(), most: w.values()}
	mixed := slices.ContainsFunc(w.parts, func(p *sealed) bool { return p.mixed })
	var c columns
	m.texts(func(e entry) bool {
		v := snapshot.StringValue{Text: e.v.text, Docs: e.docs}
		if e.where > 0 {
			v.Doc, v.Offset = e.docs[0], uint32(e.where-1)
		}
		w.rank.sort(e.docs)
		grams.add(e.v.text)
		if mixed {
			c.add(e.docs)
		}
		return yield(v)
	})
	var err error
	f.Grams, err = grams.grams()
	m.keep(err)
	if mixed {
		r := restColumn{rank: w.rank}
		m.rest(func(e entry) bool { r.add(e); return true })
		f.Sort = r.unless(&c.data)
	}
}

// values is the number of the field's leaves.
func (w *fieldWork) values() (n int) {
	for _, p := range w.parts {
		n += p.values
	}
	return n
}
