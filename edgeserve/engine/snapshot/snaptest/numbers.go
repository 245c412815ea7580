// This file converts texts to numbers, booleans and dates, and sorts values as REST lists do.

package snaptest

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"contentedge/edgeserve/engine/snapshot"
)

// numbers adds the sub-fields and the path's own values. Strings that parse as numbers count.
func (p *path) numbers(e *Env, f *snapshot.FieldData, rank []int) {
	f.Subs[snapshot.SubLong] = ints(p.leaves, rank, long)
	f.Subs[snapshot.SubDouble] = floats(p.leaves, rank, double)
	f.Subs[snapshot.SubBoolean] = ints(p.leaves, rank, boolean)
	f.Subs[snapshot.SubDate] = ints(p.leaves, rank, e.date)
	own := map[snapshot.Type]*snapshot.NumberData{
		snapshot.Long: f.Subs[snapshot.SubLong], snapshot.Boolean: f.Subs[snapshot.SubBoolean], snapshot.Date: f.Subs[snapshot.SubDate],
		snapshot.Float: floats(p.leaves, rank, single),
	}[p.typ]
	if own != nil {
		f.NumberData = *own
	}
}

// ints groups the leaves that read converts to an integer. It returns nil without integers.
func ints(leaves []leaf, rank []int, read func(text string) (int64, bool)) *snapshot.NumberData {
	n := &snapshot.NumberData{}
	firsts, c := column(leaves, rank, func(l leaf) (int64, bool) { return read(l.text) })
	for _, l := range firsts {
		v, _ := read(l.text)
		n.Ints = append(n.Ints, v)
	}
	if n.Column = c; len(firsts) == 0 {
		return nil
	}
	return n
}

func floats(leaves []leaf, rank []int, read func(text string) (float64, bool)) *snapshot.NumberData {
	n := &snapshot.NumberData{}
	firsts, c := column(leaves, rank, func(l leaf) (float64, bool) { return read(l.text) })
	for _, l := range firsts {
		v, _ := read(l.text)
		n.Floats = append(n.Floats, v)
	}
	if n.Column = c; len(firsts) == 0 {
		return nil
	}
	return n
}

// double parses a decimal number. -0 becomes 0.
func double(text string) (float64, bool) {
	if strings.Trim(text, "0123456789+-.eE") != "" {
		return 0, false // strconv accepts more than decimals
	}
	v, err := strconv.ParseFloat(text, 64)
	return v + 0, err == nil
}

// single is double in 32 bits, the precision of a path of fractions.
func single(text string) (float64, bool) {
	v, ok := double(text)
	v = float64(float32(v)) + 0
	return v, ok && !math.IsInf(v, 0)
}

// long parses a decimal number and truncates its fraction. Integers are exact.
func long(text string) (int64, bool) {
	v, ok := double(text)
	if !ok {
		return 0, false
	}
	if exact, _, err := big.ParseFloat(text, 10, 256, big.ToZero); err == nil && exact.IsInt() {
		i, accuracy := exact.Int64()
		return i, accuracy == big.Exact
	}
	return int64(v), math.Abs(v) < 1<<63
}

func boolean(text string) (int64, bool) {
	if text == "true" {
		return 1, true
	}
	return 0, text == "false"
}

// date parses a date or milliseconds since 1970.
func (e *Env) date(text string) (int64, bool) {
	if ms, ok := e.Analysis.Date(text); ok {
		return ms, true
	}
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	ms, err := strconv.ParseInt(text, 10, 64)
	return ms, err == nil
}

// isDate reports whether a text is a date and not a plain number.
func isDate(date func(string) (int64, bool), text string) bool {
	if strings.Trim(strings.TrimLeft(text, "+-"), "0123456789") == "" {
		return false
	}
	_, ok := date(text)
	return ok
}

var layouts = []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02", "2006-01", "2006"}

func iso(text string) (ms int64, ok bool) {
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UnixMilli(), true
		}
	}
	return 0, false
}

// restOrder sorts values as REST lists do: numbers, then booleans, then strings. Numbers
// with different texts may be equal.
func restOrder(leaves []leaf, rank []int) *snapshot.ColumnData {
	leaves = slices.Clone(leaves)
	slices.SortStableFunc(leaves, inRest)
	c := &snapshot.ColumnData{}
	for len(leaves) > 0 {
		n := 1
		for n < len(leaves) && inRest(leaves[0], leaves[n]) == 0 {
			n++
		}
		c.Docs = append(c.Docs, documents(leaves[:n], rank))
		leaves = leaves[n:]
	}
	return c
}

func inRest(a, b leaf) int {
	if a.kind != b.kind || a.kind != isNumber {
		return cmp.Or(cmp.Compare(a.kind, b.kind), strings.Compare(a.text, b.text))
	}
	v, _, errV := big.ParseFloat(a.text, 10, 256, big.ToNearestEven)
	w, _, errW := big.ParseFloat(b.text, 10, 256, big.ToNearestEven)
	if errV != nil || errW != nil {
		return strings.Compare(a.text, b.text)
	}
	return v.Cmp(w)
}
