// This file reads the texts of values as numbers, booleans and dates: what can be read so
// fills the sub-fields of the path, and, where all can, the path itself.

package index

import (
	"math"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/snapshot"
)

// readings collects what the texts of a path can be read as.
type readings struct {
	rank                *ranks
	long, boolean, date []keyed[int64]
	double              []keyed[float64]
}

// add reads a text and notes its documents.
func (r *readings) add(text []byte, docs []snapshot.DocID) {
	if !mayRead(text) {
		return
	}
	s := string(text)
	if n, ok := analysis.ReadBool(s); ok {
		r.boolean = note(r.boolean, n, r.rank, docs)
		return
	}
	if f, ok := analysis.ReadDouble(s); ok {
		r.double = note(r.double, f, r.rank, docs)
		if n, ok := analysis.ReadLong(s); ok {
			r.long = note(r.long, n, r.rank, docs)
		}
	}
	if ms, ok := analysis.ReadDate(s); ok {
		r.date = note(r.date, ms, r.rank, docs)
	}
}

// note appends a value for each of its documents.
func note[K int64 | float64](vs []keyed[K], key K, rank *ranks, docs []snapshot.DocID) []keyed[K] {
	for _, d := range docs {
		vs = append(vs, keyed[K]{key, rank.of[d]})
	}
	return vs
}

// mayRead tells, at a glance at each byte, whether a text may be a number, a boolean or a
// date.
func mayRead(text []byte) bool {
	if _, ok := analysis.ReadBool(string(text)); ok {
		return true
	}
	if len(text) == 0 || text[0] > '9' {
		return false
	}
	for _, c := range text {
		if (c < '0' || c > '9') && !readable[c] {
			return false
		}
	}
	return true
}

// readable are the bytes beside digits that numbers and dates have.
var readable = [256]bool{'+': true, '-': true, '.': true, ',': true, ':': true, 'e': true, 'E': true, 'T': true, 'Z': true}

// end gives the sub-fields that have values, and the path its own.
func (r *readings) end(f *snapshot.FieldData) {
	f.Subs[snapshot.SubLong] = integers(r.long, r.rank)
	f.Subs[snapshot.SubBoolean] = integers(r.boolean, r.rank)
	f.Subs[snapshot.SubDate] = integers(r.date, r.rank)
	if f.Type == snapshot.Float {
		f.Floats, f.Column = group(single(r.double), r.rank)
	}
	if len(r.double) > 0 {
		d := &snapshot.NumberData{}
		d.Floats, d.Column = group(r.double, r.rank)
		f.Subs[snapshot.SubDouble] = d
	}
	own := map[snapshot.Type]snapshot.Sub{snapshot.Long: snapshot.SubLong, snapshot.Boolean: snapshot.SubBoolean, snapshot.Date: snapshot.SubDate}
	if sub, ok := own[f.Type]; ok && f.Subs[sub] != nil {
		f.NumberData = *f.Subs[sub]
	}
}

// integers groups what was read, nil where nothing was.
func integers(vs []keyed[int64], rank *ranks) *snapshot.NumberData {
	if len(vs) == 0 {
		return nil
	}
	d := &snapshot.NumberData{}
	d.Ints, d.Column = group(vs, rank)
	return d
}

// single gives numbers in the 32 bits in which a path of fractions is searched. What is
// beyond their range is left out.
func single(vs []keyed[float64]) []keyed[float64] {
	out := make([]keyed[float64], 0, len(vs))
	for _, v := range vs {
		if f := float64(float32(v.key)) + 0; !math.IsInf(f, 0) { // what rounds to -0 is 0
			out = append(out, keyed[float64]{f, v.rank})
		}
	}
	return out
}
