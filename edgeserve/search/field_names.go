// This file compiles queries that name fields: one, several or a pattern of them.

package search

import (
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/fields"
	"contentedge/edgeserve/search/iter"
)

// on compiles a query of one field. A field that no item has matches nothing.
func (c *compiler) on(field string, compile func(fields.Target) (iter.Scorer, error)) (iter.Scorer, error) {
	t, ok := c.Resolve(field)
	if !ok {
		return nil, nil
	}
	s, err := compile(t)
	return s, badValue(err, field)
}

// targets resolves a `fields` option; empty means all fields, by default leniently. See List about
// multiply.
func (c *compiler) targets(list []query.FieldBoost, multiply bool, lenient *bool) (ts []fields.Target, all, forgive bool) {
	if all = len(list) == 0; all {
		ts, forgive = c.AllFields(), true
	} else {
		ts, forgive = c.List(list, multiply)
	}
	valuesOnly(ts, lenient)
	return ts, all, option(lenient, forgive)
}

// valuesOnly keeps a clause that says it is lenient from the text of typed values: in Elasticsearch words and
// patterns are errors there, which leniency forgives.
func valuesOnly(ts []fields.Target, lenient *bool) {
	for i := range ts {
		ts[i].ValuesOnly = ts[i].ValuesOnly || option(lenient, false)
	}
}

func option(value *bool, absent bool) bool {
	if value == nil {
		return absent
	}
	return *value
}

func (c *compiler) exists(name string, boost float64) iter.Scorer {
	var subs []iter.Scorer
	for _, t := range c.Existing(name) {
		s := c.Titled(c.HasValue(t.Sort, boost), func() string { return existsText(&t) })
		if iter.IsAll(s) {
			return iter.Constant(s, boost)
		}
		subs = append(subs, s)
	}
	return iter.Constant(iter.Disjunction(subs, 1), boost)
}

// rangeQuery compiles a range. Without bounds it matches any value.
func (c *compiler) rangeQuery(t fields.Target, n *query.Range, boost float64) (iter.Scorer, error) {
	lo, hi := rangeBounds(n)
	if lo == nil && hi == nil {
		return c.exists(n.Field, boost), nil
	}
	dates, err := c.dateReader(n.Format, n.TimeZone)
	if err != nil {
		return nil, err
	}
	return c.rangeOf(t, lo, hi, dates, boost)
}
