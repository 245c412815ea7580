// This file assembles the parts of a field for the snapshot's Writer.

package index

import (
	"cmp"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/generator/spill"
)

// parts is a field's input: runs to merge, or the difference to the baseline.
type parts interface {
	size() int64 // estimates the work
	values() int // at least the number of distinct values

	// lengths sets the lengths and their sums.
	lengths(*snapshot.FieldData)
	terms(add func(term []byte, list []snapshot.Posting))
	texts(visit func(entry) bool)

	// rest yields the values in REST order. It is needed if hasRest reports values other than strings.
	rest(visit func(entry) bool)
	hasRest() bool

	failed() error
}

type fieldWork struct {
	path  string
	typ   snapshot.Type
	parts parts
	items int
	rank  *ranks
	file  *spill.File
}

func (w *fieldWork) encode() (_ *snapshot.EncodedField, err error) {
	defer snapshot.Recover(&err) // of the baseline
	f := &snapshot.FieldData{Path: w.path, Type: w.typ, Spool: func() snapshot.Spool { return w.file.NewStream() }}
	f.Strings = func(yield func(snapshot.StringValue) bool) { err = w.strings(f, yield) }
	if f.Type == snapshot.Text {
		w.text(f)
	}
	if err := w.parts.failed(); err != nil {
		return nil, err
	}
	e := snapshot.EncodeField(f, w.items)
	err = cmp.Or(err, w.parts.failed())
	w.parts = nil
	return e, err
}

func (w *fieldWork) text(f *snapshot.FieldData) {
	w.parts.lengths(f)
	if f.Docs > 0 {
		f.Factor = analysis.LengthFactors(float32(float64(f.Tokens) / float64(f.Docs)))
	}
	f.Terms = w.parts.terms
}

func (w *fieldWork) strings(f *snapshot.FieldData, yield func(snapshot.StringValue) bool) (err error) {
	grams := gramTexts{maxValues: w.parts.values()}
	if f.Type == snapshot.Text {
		grams.s = w.file.NewStream()
	}
	subFields := subFieldValues{rank: w.rank}
	dates := listDates{rank: w.rank, typ: w.typ, all: analysis.IsDataPath(w.path) && !w.parts.hasRest()}
	w.parts.texts(func(e entry) bool {
		v := snapshot.StringValue{Text: e.v.text, Docs: e.docs, Locate: e.locate}
		if e.where > 0 {
			v.Doc, v.Offset = e.first, uint32(e.where-1)
		}
		if !e.ranked {
			w.rank.sort(e.docs)
		}
		grams.add(e.v.text)
		subFields.add(e.v.text, e.docs)
		dates.add(e.v.text, e.docs)
		return yield(v)
	})
	f.Grams, err = grams.grams()
	subFields.end(f)
	f.Sort = dates.column(f)
	if w.parts.hasRest() {
		r := restColumn{rank: w.rank}
		w.parts.rest(r.add)
		f.Sort = r.column()
	}
	return err
}
