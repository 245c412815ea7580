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

// fewShare is how few of the values may be distinct for groupFew.
const fewShare = 8

// groupFew is group for strings of which most occur many times: only the distinct ones
// are compared, the rest is the sorting of numbers. It returns nil where too many are
// distinct.
func groupFew(values []value, rank []uint32) (firsts []keyed[stringKey], c snapshot.ColumnData) {
	numbers := map[string]uint32{}
	pairs := make([]uint64, len(values)) // number of the string, rank of the document
	for i := range values {
		v := &values[i]
		n, ok := numbers[string(v.text)]
		if !ok {
			if len(numbers)*fewShare > len(values) {
				return nil, c
			}
			n = uint32(len(numbers))
			numbers[string(v.text)] = n
			firsts = append(firsts, keyed[stringKey]{newStringKey(v), v.doc})
		}
		pairs[i] = uint64(n)<<32 | uint64(rank[v.doc])
	}
	ordinals := make([]uint32, len(firsts))
	order := make([]int, len(firsts))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return compareStrings(firsts[a].key, firsts[b].key) })
	for ord, n := range order {
		ordinals[n] = uint32(ord)
	}
	for i, p := range pairs {
		pairs[i] = uint64(ordinals[p>>32])<<32 | p&math.MaxUint32
	}
	slices.Sort(pairs)
	pairs = slices.Compact(pairs)
	return pick(firsts, order), columnOf(pairs, len(firsts), rank)
}

// pick returns the elements of s in an order.
func pick[T any](s []T, order []int) []T {
	out := make([]T, len(order))
	for i, n := range order {
		out[i] = s[n]
	}
	return out
}

// columnOf makes a column of sorted pairs of ordinal and rank.
func columnOf(pairs []uint64, distinct int, rank []uint32) (c snapshot.ColumnData) {
	byRank := make([]snapshot.DocID, len(rank))
	for d, r := range rank {
		byRank[r] = snapshot.DocID(d)
	}
	docs := make([]snapshot.DocID, len(pairs))
	c.Docs = make([][]snapshot.DocID, distinct)
	for i, start := 0, 0; i < len(pairs); i++ {
		docs[i] = byRank[pairs[i]&math.MaxUint32]
		if ord := pairs[i] >> 32; i+1 == len(pairs) || pairs[i+1]>>32 != ord {
			c.Docs[ord] = docs[start : i+1 : i+1]
			start = i + 1
		}
	}
	return c
}

// stringColumn is the whole values of a text field.
func stringColumn(values []value, rank []uint32) ([]snapshot.StringValue, snapshot.ColumnData) {
	firsts, c := groupFew(values, rank)
	if firsts == nil {
		firsts, c = group(stringKeys(values), compareStrings, rank)
	}
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
