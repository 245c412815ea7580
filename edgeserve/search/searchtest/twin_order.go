// This file is the twin's order of matches.

package searchtest

import (
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/query"
)

// ranking compares documents: by the keys of a sort, then by document.
type ranking struct {
	keys []rankKey
}

// rankKey is one key: the score, or a value of each item, nil where it has none.
type rankKey struct {
	score  bool
	desc   bool
	values []any

	by func(a, b int) int // of a key with options
}

// ranking reads a sort; ok is false where it names a field no item has.
func (t *twin) ranking(sort []query.SortKey) (r *ranking, ok bool) {
	r = &ranking{}
	if sort == nil {
		r.keys = []rankKey{{score: true, desc: true}}
		return r, true
	}
	done := false // by the number of the document
	for _, k := range sort {
		values, known := t.sortValues(k.Field, !k.Asc)
		key := rankKey{desc: !k.Asc, values: values}
		if known = known || k.Unmapped != ""; known && (k.HasOptions() || k.Unmapped != "") && k.Field[0] != '_' {
			if key.by, known = t.optioned(k); key.by != nil && !k.HasOptions() {
				key.by = nil
			}
		}
		switch {
		case k.Field == "_score":
			key = rankKey{score: true, desc: !k.Asc}
		case k.Field == "_doc":
			key = rankKey{by: func(a, b int) int { return cmp.Compare(a, b) * map[bool]int{true: 1, false: -1}[k.Asc] }}
		case !known:
			return nil, false
		}
		if !done {
			r.keys = append(r.keys, key)
		}
		done = done || k.Field == "_doc"
	}
	return r, true
}

// sortValues is what items are ordered by: of a name below Data that none of them has,
// and of a member in an environment without items, nothing.
func (t *twin) sortValues(name string, greatest bool) (values []any, known bool) {
	if to, ok := t.resolve(name); ok {
		return t.extremes(to.f, false, greatest), true
	}
	return make([]any, len(t.ids)), name == "_id" || address.IsScalar(name) || strings.HasPrefix(name, "Data.") && name != "Data."
}

// values are what an item is ordered by: of a path the values as written, of a
// sub-field as what they parse to.
func (t *twin) values(f *twinField, c *cell) (vs []any) {
	if t.fields[f.path] == f {
		return c.leaves
	}
	switch f.typ {
	case keywordType:
		for _, s := range c.texts {
			vs = append(vs, s)
		}
	case doubleType:
		for _, x := range c.numbers {
			vs = append(vs, json.Number(strconv.FormatFloat(x, 'g', -1, 64)))
		}
	default:
		for _, n := range c.longs {
			vs = append(vs, json.Number(strconv.FormatInt(n, 10)))
		}
	}
	return vs
}

// extremes gives each item's least value, or its greatest. Lists compare values of mixed kinds as
// written, searches their texts.
func (t *twin) extremes(f *twinField, list, greatest bool) []any {
	vs := make([]any, len(f.cells))
	for i, c := range f.cells {
		if c == nil {
			continue
		}
		all := t.values(f, c)
		if !list && f.typ == textType {
			all = nil
			for _, s := range c.texts {
				all = append(all, s)
			}
		}
		vs[i] = all[0]
		for _, v := range all {
			if sign := compareLeaves(v, vs[i]); greatest && sign > 0 || !greatest && sign < 0 {
				vs[i] = v
			}
		}
	}
	return vs
}

// compareLeaves orders values of any type: numbers, booleans, strings.
func compareLeaves(a, b any) int {
	class := func(v any) int {
		switch v.(type) {
		case json.Number:
			return 0
		case bool:
			return 1
		}
		return 2
	}
	if class(a) == 0 && class(b) == 0 {
		x, _ := new(big.Rat).SetString(leafText(a))
		y, _ := new(big.Rat).SetString(leafText(b))
		return x.Cmp(y)
	}
	return cmp.Or(cmp.Compare(class(a), class(b)), strings.Compare(leafText(a), leafText(b)))
}

// compare orders two matches. It is not sure where scores are so close that the
// precision of arithmetic decides.
func (r *ranking) compare(h hits, a, b int) (sign int, sure bool) {
	for _, k := range r.keys {
		if k.by != nil {
			sign = k.by(a, b)
		} else if k.score {
			sign = cmp.Compare(h[a], h[b])
			if math.Abs(h[a]-h[b]) <= max(1e-5*max(h[a], h[b]), math.SmallestNonzeroFloat32) && !(sign == 0 && exactly(h[a])) {
				return 0, false
			}
		} else {
			sign = k.compare(a, b)
		}
		if k.score && k.desc {
			sign = -sign
		}
		if sign != 0 {
			return sign, true
		}
	}
	return cmp.Compare(a, b), true
}

// exactly tells that a score is a constant, or some of them, which no precision blurs.
func exactly(score float64) bool { return math.Trunc(score*64) == score*64 }

// compare orders two items by a value; those without one come last either way.
func (k *rankKey) compare(a, b int) int {
	x, y := k.values[a], k.values[b]
	switch {
	case x == nil || y == nil:
		return map[bool]int{true: 1}[x == nil] - map[bool]int{true: 1}[y == nil]
	case k.desc:
		return compareLeaves(y, x)
	}
	return compareLeaves(x, y)
}
