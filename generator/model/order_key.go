// This file finds the values that order items where the default order is by a path of Data. It warns if
// no item has the path.

package model

import (
	"slices"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/mapping"
)

// OrderKey is the value of an item that decides in lists by a path of Data: the least of its values
// ascending, the greatest descending.
type OrderKey struct {
	Kind mapping.Kind
	Text []byte // of a string decoded

	// Lists order a path by instant if all values of all items are dates.
	Dates   bool  // all values of this item are dates
	Instant int64 // decides between dates, in milliseconds since 1970
}

// orderKey reads the key of an item. It returns nil if the item has no value, or if no key is needed.
func (p *parser) orderKey(d *draft) (key *OrderKey) {
	if p.opts.OrderPath == "" {
		return nil
	}
	sign := 1
	if !p.opts.OrderAsc {
		sign = -1
	}
	p.walkData(d, func(l *mapping.Leaf) {
		if l.Path.Name != p.opts.OrderPath {
			return
		}
		v := orderKeyOf(l)
		switch {
		case key == nil:
			key = v
			return
		case sign*mapping.CompareInRest(v.Kind, v.Text, key.Kind, key.Text) < 0:
			key.Kind, key.Text = v.Kind, v.Text
		}
		if key.Dates = key.Dates && v.Dates; key.Dates && int64(sign)*v.Instant < int64(sign)*key.Instant {
			key.Instant = v.Instant
		}
	})
	return key
}

// walkData calls visit for every value of an item's Data.
func (p *parser) walkData(d *draft, visit func(*mapping.Leaf)) {
	if p.orderPaths == nil {
		p.orderPaths = mapping.NewPaths()
	}
	p.orderPaths.WalkMember(FieldNames[fieldData], d.Raw[fieldData], 0, visit)
}

func orderKeyOf(l *mapping.Leaf) *OrderKey {
	v := &OrderKey{Kind: l.Kind, Text: slices.Clone(l.Text)}
	if l.Kind == mapping.String {
		if !l.Plain {
			v.Text = jsoncursor.AppendUnquoted(nil, l.Text)
		}
		v.Instant, v.Dates = analysis.ListDate(string(v.Text))
	}
	return v
}

// unusedOrder warns about an order by a path that no item has: the path is often misspelt.
func (l *loader) unusedOrder(site *Site) []Diagnostic {
	path, items := l.opts.OrderPath, 0
	for i := range site.Envs {
		env := &site.Envs[i]
		if slices.ContainsFunc(env.Items, func(it Item) bool { return it.Order != nil }) {
			return nil
		}
		items += len(env.Items)
	}
	if path == "" || items == 0 {
		return nil
	}
	return []Diagnostic{{Message: "no item has a value at " + path + ", the path of the default order", Hint: "lists are in the order of ContentID; name another path", Warning: true}}
}
