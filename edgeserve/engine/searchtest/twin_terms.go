// This file is the twin of terms whose values come from an item, and of terms_set.

package searchtest

import (
	"math"
	"slices"

	"contentedge/edgeserve/engine/query"
)

// valuesFor are the values of terms, or the values of an item.
func (t *twin) valuesFor(n *query.Terms) (values []query.Value) {
	if n.Lookup == nil {
		return n.Values
	}
	item := slices.Index(t.ids, n.Lookup.ID)
	f := t.fields[n.Lookup.Path]
	if item < 0 || f == nil || f.cells[item] == nil {
		return nil
	}
	for _, text := range f.cells[item].texts {
		values = append(values, query.Value{Text: text})
	}
	return values
}

func (t *twin) termsSet(n *query.TermsSet) (hits, error) {
	if len(n.Values) == 0 {
		return t.none(), nil
	}
	var parts []hits
	if to, ok := t.resolve(n.Field); ok {
		for _, v := range n.Values {
			h, err := t.exact(to, v.Text, 1, false)
			if err != nil {
				return nil, err
			}
			parts = append(parts, h)
		}
	}
	least, ok := t.resolve(n.MinField)
	if !ok || !least.typed() {
		return nil, errRefused
	}
	h := t.none()
	for i, c := range least.f.cells {
		if c == nil || len(c.numbers) == 0 {
			continue
		}
		need, count, score := max(1, math.Trunc(slices.Min(c.numbers))), 0.0, 0.0
		for _, p := range parts {
			if p[i] >= 0 {
				count, score = count+1, score+p[i]
			}
		}
		if count >= need {
			h[i] = score * n.Boost
		}
	}
	return h, nil
}
