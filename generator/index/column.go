// This file turns the values of a path into columns: distinct values in order, the
// documents of each by ContentID.

package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"time"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/snapshot"
)

// keyed is a value with the key it is ordered by.
type keyed[K any] struct {
	key K
	doc snapshot.DocID
}

// group sorts keyed values and collects the documents of each distinct key, every
// document once, by rank. It returns the first value of each key.
func group[K any](vs []keyed[K], compare func(a, b K) int, rank []uint32) (firsts []keyed[K], c snapshot.ColumnData) {
	slices.SortFunc(vs, func(a, b keyed[K]) int {
		if c := compare(a.key, b.key); c != 0 {
			return c
		}
		return cmp.Compare(rank[a.doc], rank[b.doc])
	})
	docs := make([]snapshot.DocID, 0, len(vs))
	start := 0
	for i, v := range vs {
		same := i > 0 && compare(vs[i-1].key, v.key) == 0
		if same && vs[i-1].doc == v.doc {
			continue
		}
		if !same {
			firsts = append(firsts, v)
			c.Docs = append(c.Docs, nil)
			start = len(docs)
		}
		docs = append(docs, v.doc)
		c.Docs[len(c.Docs)-1] = docs[start:len(docs):len(docs)]
	}
	return firsts, c
}

// stringKey orders strings by bytes; the first eight decide most comparisons.
type stringKey struct {
	head uint64
	v    *value
}

func newStringKey(v *value) stringKey {
	if len(v.text) >= 8 {
		return stringKey{binary.BigEndian.Uint64(v.text), v}
	}
	var b [8]byte
	copy(b[:], v.text)
	return stringKey{binary.BigEndian.Uint64(b[:]), v}
}

func compareStrings(a, b stringKey) int {
	if a.head != b.head {
		return cmp.Compare(a.head, b.head)
	}
	return bytes.Compare(a.v.text, b.v.text)
}

// stringKeys keys values by their text.
func stringKeys(values []value) []keyed[stringKey] {
	vs := make([]keyed[stringKey], len(values))
	for i := range values {
		vs[i] = keyed[stringKey]{newStringKey(&values[i]), values[i].doc}
	}
	return vs
}

// stringColumn is the whole values of a text field.
func stringColumn(values []value, rank []uint32) ([]snapshot.StringValue, snapshot.ColumnData) {
	firsts, c := group(stringKeys(values), compareStrings, rank)
	out := make([]snapshot.StringValue, len(firsts))
	for i, f := range firsts {
		v := f.key.v
		out[i] = snapshot.StringValue{Text: v.text}
		if v.kind == leafString {
			out[i].Doc, out[i].Offset = v.doc, v.offset
		}
	}
	return out, c
}

// intColumn is the values of a date, long or boolean field that fit its type.
func intColumn(typ snapshot.Type, values []value, rank []uint32) ([]int64, snapshot.ColumnData) {
	var vs []keyed[int64]
	for i := range values {
		if n, ok := intOf(typ, &values[i]); ok {
			vs = append(vs, keyed[int64]{n, values[i].doc})
		}
	}
	firsts, c := group(vs, cmp.Compare[int64], rank)
	out := make([]int64, len(firsts))
	for i, f := range firsts {
		out[i] = f.key
	}
	return out, c
}

func intOf(typ snapshot.Type, v *value) (int64, bool) {
	switch typ {
	case snapshot.Boolean:
		switch string(v.text) {
		case "true":
			return 1, v.kind != leafNumber
		case "false":
			return 0, v.kind != leafNumber
		}
		return 0, false
	case snapshot.Date:
		ms, err := analysis.ParseDate(string(v.text), false, time.Time{})
		return ms, err == nil && v.kind != leafBool
	}
	f, n, whole, ok := analysis.ParseNumber(string(v.text))
	if !ok || v.kind == leafBool {
		return 0, false
	}
	if whole {
		return n, true
	}
	return int64(f), math.Abs(f) < 1<<63
}

// floatColumn is the values of a float field, in 32 bits as they are searched.
func floatColumn(values []value, rank []uint32) ([]float64, snapshot.ColumnData) {
	var vs []keyed[float64]
	for i := range values {
		f, err := strconv.ParseFloat(string(values[i].text), 32)
		if err == nil && values[i].kind != leafBool {
			vs = append(vs, keyed[float64]{f + 0, values[i].doc})
		}
	}
	firsts, c := group(vs, cmp.Compare[float64], rank)
	out := make([]float64, len(firsts))
	for i, f := range firsts {
		out[i] = f.key
	}
	return out, c
}

// restOrder ranks the types of a path's values in a REST sort.
var restOrder = [...]int{leafNumber: 0, leafBool: 1, leafString: 2}

// compareRest orders values as a REST list does: numbers, booleans, strings; numbers
// by value however long, the others by bytes.
func compareRest(a, b stringKey) int {
	if c := cmp.Compare(restOrder[a.v.kind], restOrder[b.v.kind]); c != 0 {
		return c
	}
	if a.v.kind == leafNumber {
		return analysis.CompareNumbers(string(a.v.text), string(b.v.text))
	}
	return compareStrings(a, b)
}

// sortColumn is the column REST lists are ordered by, or nil where c orders so already.
func sortColumn(typ snapshot.Type, values []value, c *snapshot.ColumnData, rank []uint32) *snapshot.ColumnData {
	if agrees(typ, values) {
		return nil
	}
	_, s := group(stringKeys(values), compareRest, rank)
	if slices.EqualFunc(s.Docs, c.Docs, slices.Equal[[]snapshot.DocID]) {
		return nil
	}
	return &s
}

// agrees tells from the types alone that a field's column is in REST order.
func agrees(typ snapshot.Type, values []value) bool {
	if typ != snapshot.Text {
		return false
	}
	for i := range values {
		if values[i].kind != leafString {
			return false
		}
	}
	return true
}
