// This file is the twin's order of matches.

package searchtest

import (
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/wire/address"
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
		if slices.Contains([]string{"_version", "_source", "_routing", "_ignored", "_field_names"}, k.Field) {
			return nil, false
		}
		key := rankKey{}
		known := k.Unmapped != "" || t.sortable(k.Field)
		if known {
			key.by, known = t.byValues(k)
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

// sortable reports whether items may be sorted by a name: by a name below Data that no item has, and by a member in an
// environment without items, too.
func (t *twin) sortable(name string) bool {
	_, ok := t.resolve(name)
	return ok || t.meta[name] != nil || address.IsScalar(name) || strings.HasPrefix(name, "Data.") && name != "Data."
}

// extremes gives each item's least value in a list, or its greatest: of values as written, or of the
// instants of dates.
func (t *twin) extremes(f *twinField, greatest bool) []any {
	vs := make([]any, len(f.cells))
	dates := t.listsByInstant(f)
	for i, c := range f.cells {
		if c == nil {
			continue
		}
		all := c.leaves
		if dates {
			all = instants(all)
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

// listsByInstant reports whether lists order a path by instant: a path of Data with only dates.
func (t *twin) listsByInstant(f *twinField) bool {
	return strings.HasPrefix(f.path, "Data.") && !slices.ContainsFunc(f.cells, func(c *cell) bool {
		return c != nil && slices.ContainsFunc(c.leaves, func(v any) bool { return instant(v) == nil })
	})
}

var isoDate = regexp.MustCompile(`^(\d{4})-(\d\d)(?:-(\d\d)(?:T(\d\d)(?::(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?(Z|[+-]\d\d(?::?\d\d)?)?)?)?$`)

// instant is the milliseconds since 1970 of a date, nil for any other value.
func instant(v any) any {
	text, _ := v.(string)
	m := isoDate.FindStringSubmatch(text)
	if m == nil || m[1] == "0000" {
		return nil
	}
	n := func(s, none string) int { n, _ := strconv.Atoi(cmp.Or(s, none)); return n }
	at := time.Date(n(m[1], ""), time.Month(n(m[2], "")), n(m[3], "1"), n(m[4], "0"), n(m[5], "0"), n(m[6], "0"), 0, time.UTC)
	if again := cmp.Or(m[3], "01") + cmp.Or(m[4], "00") + cmp.Or(m[5], "00") + cmp.Or(m[6], "00"); at.Format("2006-01") != m[1]+"-"+m[2] || at.Format("02150405") != again {
		return nil
	}
	ms := at.UnixMilli() + int64(n((m[7] + "000")[:3], ""))
	if zone := strings.ReplaceAll(m[8], ":", ""); zone != "" && zone != "Z" {
		offset := int64(n(zone[1:3], "")*60+n(zone[3:], "0")) * 60_000
		if zone[0] == '-' {
			offset = -offset
		}
		ms -= offset
	}
	return json.Number(strconv.FormatInt(ms, 10))
}

// instants are the instants of dates.
func instants(dates []any) (ns []any) {
	for _, v := range dates {
		ns = append(ns, instant(v))
	}
	return ns
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

// exactly reports whether a score is a constant, or a sum of constants, which no precision blurs.
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
