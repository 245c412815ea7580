// This file parses texts as numbers, booleans and dates for the sub-fields. If all parse as one
// type, the path itself gets them too.

package index

import (
	"math"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/snapshot"
)

type subFieldValues struct {
	rank                *ranks
	long, boolean, date []numberOfDoc[int64]
	double              []numberOfDoc[float64]
}

func (s *subFieldValues) add(text []byte, docs []snapshot.DocID) {
	if !mayBeTyped(text) {
		return
	}
	value := string(text)
	if n, ok := analysis.ReadBool(value); ok {
		s.boolean = appendNumbers(s.boolean, n, s.rank, docs)
		return
	}
	if f, ok := analysis.ReadDouble(value); ok {
		s.double = appendNumbers(s.double, f, s.rank, docs)
		if n, ok := analysis.ReadLong(value); ok {
			s.long = appendNumbers(s.long, n, s.rank, docs)
		}
	}
	if ms, ok := analysis.ReadDate(value); ok {
		s.date = appendNumbers(s.date, ms, s.rank, docs)
	}
}

func appendNumbers[K int64 | float64](vs []numberOfDoc[K], key K, rank *ranks, docs []snapshot.DocID) []numberOfDoc[K] {
	for _, d := range docs {
		vs = append(vs, numberOfDoc[K]{key, rank.of[d]})
	}
	return vs
}

// mayBeTyped quickly rules out most texts that are not a number, a boolean or a date.
func mayBeTyped(text []byte) bool {
	if _, ok := analysis.ReadBool(string(text)); ok {
		return true
	}
	if len(text) == 0 || text[0] > '9' {
		return false
	}
	for _, c := range text {
		if (c < '0' || c > '9') && !typedBytes[c] {
			return false
		}
	}
	return true
}

var typedBytes = [256]bool{'+': true, '-': true, '.': true, ',': true, ':': true, 'e': true, 'E': true, 'T': true, 'Z': true}

func (s *subFieldValues) end(f *snapshot.FieldData) {
	f.Subs[snapshot.SubLong] = integers(s.long, s.rank)
	f.Subs[snapshot.SubBoolean] = integers(s.boolean, s.rank)
	f.Subs[snapshot.SubDate] = integers(s.date, s.rank)
	if f.Type == snapshot.Float {
		f.Floats, f.Column = group(single(s.double), s.rank)
	}
	if len(s.double) > 0 {
		d := &snapshot.NumberData{}
		d.Floats, d.Column = group(s.double, s.rank)
		f.Subs[snapshot.SubDouble] = d
	}
	own := map[snapshot.Type]snapshot.Sub{snapshot.Long: snapshot.SubLong, snapshot.Boolean: snapshot.SubBoolean, snapshot.Date: snapshot.SubDate}
	if sub, ok := own[f.Type]; ok && f.Subs[sub] != nil {
		f.NumberData = *f.Subs[sub]
	}
}

func integers(vs []numberOfDoc[int64], rank *ranks) *snapshot.NumberData {
	if len(vs) == 0 {
		return nil
	}
	d := &snapshot.NumberData{}
	d.Ints, d.Column = group(vs, rank)
	return d
}

// single rounds to 32 bits, the precision of a path of fractions, and drops overflows.
func single(vs []numberOfDoc[float64]) []numberOfDoc[float64] {
	out := make([]numberOfDoc[float64], 0, len(vs))
	for _, v := range vs {
		if f := float64(float32(v.key)) + 0; !math.IsInf(f, 0) { // + 0 turns -0 into 0
			out = append(out, numberOfDoc[float64]{f, v.rank})
		}
	}
	return out
}
