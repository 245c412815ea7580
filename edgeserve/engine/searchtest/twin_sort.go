// This file is the twin of sort keys.

package searchtest

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/query"
)

// sortable is what an item is ordered by: a text or a number. sign is -1 for what comes first
// whatever the direction, 1 for what comes last.
type sortable struct {
	sign int
	text string
	n    int64
	f    float64
}

// byValues makes the comparison of items by a key; ok is false where it is refused.
func (t *twin) byValues(k query.SortKey) (compare func(a, b int) int, ok bool) {
	to, found := t.resolve(k.Field)
	typ := keywordType
	if found {
		typ = to.f.typ
	} else if k.Unmapped != "" {
		typ = unmappedTypes[k.Unmapped]
		ok = typ != 0 || k.Unmapped == "keyword" || k.Unmapped == "ip"
	}
	texts := typ == keywordType || typ == textType
	joins := slices.Contains([]string{"sum", "avg", "median"}, k.Mode)
	if !found && k.Unmapped != "" && !ok || texts && (joins || k.NumericType != "") {
		return nil, false
	}
	if found && k.NumericType == "date_nanos" && typ != dateType {
		return nil, false
	}
	long := typ != floatType && typ != doubleType && k.NumericType != "double" || k.NumericType != "" && k.NumericType != "double"
	absent, ok := absentOf(k, texts, long, typ == floatType && k.NumericType == "")
	if !ok {
		return nil, false
	}
	of := make([]sortable, len(t.ids))
	for i := range of {
		of[i] = absent
		if found && to.f.cells[i] != nil {
			of[i] = of[i].of(k, to.f, to.f.cells[i], texts, long)
		}
	}
	return func(a, b int) int {
		x, y := of[a], of[b]
		if c := cmp.Compare(x.sign, y.sign); c != 0 {
			return c
		}
		c := cmp.Or(strings.Compare(x.text, y.text), cmp.Compare(x.n, y.n), cmp.Compare(x.f, y.f))
		if !k.Asc {
			c = -c
		}
		return c
	}, true
}

var unmappedTypes = map[string]fieldType{"long": longType, "integer": longType, "short": longType, "byte": longType, "boolean": boolType,
	"date": dateType, "date_nanos": dateType, "float": floatType, "half_float": floatType, "double": doubleType}

// absentOf is what stands for an item without a value.
func absentOf(k query.SortKey, texts, long, single bool) (s sortable, ok bool) {
	first := k.Missing != nil && k.Missing.Text == "_first" && k.Missing.Kind == query.String
	up := first != k.Asc
	switch {
	case texts && (k.Missing == nil || k.Field == "_id"):
		return sortable{sign: 1}, true
	case texts && first:
		return sortable{sign: -1}, true
	case texts:
		return sortable{text: k.Missing.Text}, true
	case long && (first || k.Missing == nil):
		s.n = math.MinInt64
		if up {
			s.n = math.MaxInt64
		}
		return s, true
	case first || k.Missing == nil:
		s.f = math.Inf(-1)
		if up {
			s.f = math.Inf(1)
		}
		return s, true
	case long:
		s.n, ok = k.Missing.Long()
		return s, ok
	}
	if s.f, ok = k.Missing.Double(); single {
		s.f = float64(float32(s.f))
	}
	return s, ok
}

// of is what an item with values is ordered by; s stands for none.
func (s sortable) of(k query.SortKey, f *twinField, c *cell, texts, long bool) sortable {
	greatest := k.Mode == "max" || k.Mode == "" && !k.Asc
	if texts {
		s = sortable{text: slices.Min(c.texts)}
		if greatest {
			s.text = slices.Max(c.texts)
		}
		return s
	}
	var ns []int64
	fs := slices.Clone(c.numbers)
	for _, x := range c.longs {
		if k.NumericType == "date_nanos" {
			x *= 1e6
		}
		ns = append(ns, x)
	}
	if long && (f.typ == floatType || f.typ == doubleType) {
		ns = nil
		for _, x := range fs {
			ns = append(ns, query.LongOf(x))
		}
	}
	if long && len(ns) == 0 || len(fs) == 0 {
		return s
	}
	slices.Sort(ns)
	slices.Sort(fs)
	if long {
		return sortable{n: joinLongs(ns, k.Mode, greatest)}
	}
	x := joinDoubles(fs, k.Mode, greatest)
	if f.typ == floatType && k.NumericType == "" {
		x = float64(float32(x))
	}
	return sortable{f: x}
}

func joinLongs(ns []int64, mode string, greatest bool) (sum int64) {
	for _, n := range ns {
		sum += n
	}
	mid := ns[len(ns)/2]
	switch {
	case mode == "sum" || len(ns) == 1:
		return sum
	case mode == "avg":
		return int64(math.Floor(float64(sum)/float64(len(ns)) + 0.5))
	case mode == "median" && len(ns)%2 == 1:
		return mid
	case mode == "median":
		return int64(math.Floor(float64(mid+ns[len(ns)/2-1])/2 + 0.5))
	case greatest:
		return ns[len(ns)-1]
	}
	return ns[0]
}

func joinDoubles(fs []float64, mode string, greatest bool) (sum float64) {
	for _, f := range fs {
		sum += f
	}
	mid := fs[len(fs)/2]
	switch {
	case mode == "sum" || len(fs) == 1:
		return sum
	case mode == "avg":
		return sum / float64(len(fs))
	case mode == "median" && len(fs)%2 == 1:
		return mid
	case mode == "median":
		return (mid + fs[len(fs)/2-1]) / 2
	case greatest:
		return fs[len(fs)-1]
	}
	return fs[0]
}

// sortOptions makes options of a key.
func (a *asker) sortOptions(field string) object {
	c := object{}
	option(a, c, 2, "order", "asc", "desc")
	option(a, c, 2, "missing", "_first", "_last", a.fitting(field))
	option(a, c, 2, "mode", "min", "max")
	if a.kinds[field] != onText && a.kinds[field] != onKeyword || a.oneIn(6) {
		option(a, c, 2, "mode", "sum", "avg", "median", "max")
		option(a, c, 4, "numeric_type", "long", "double", "date", "date_nanos")
	}
	option(a, c, 5, "unmapped_type", "long", "keyword", "double", "date", "boolean")
	return c
}
