// This file compiles the sort of a body.

package search

import (
	"fmt"
	"strings"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/fields"
	"contentedge/edgeserve/search/iter"
	"contentedge/edgeserve/snapshot"
)

// order compiles the sort of a body; nil is by score.
func (c *compiler) order(keys []query.SortKey) (*iter.Order, error) {
	if keys == nil {
		return nil, nil
	}
	o := &iter.Order{}
	for _, k := range keys {
		switch k.Field {
		case "_score":
			o.Keys = append(o.Keys, iter.SortKey{Asc: k.Asc})
			continue
		case "_doc":
			o.Documents = len(o.Keys) == 0
			return c.withIDs(o), nil
		}
		t, ok := c.sortTarget(k)
		if !ok && mayBeMissing(k.Field) {
			continue // all items lack it
		}
		if !ok {
			return nil, &query.Error{Code: "bad_sort", Parameter: "sort", Position: -1,
				Message: fmt.Sprintf("%.80q is no field to sort by: name one of %s, _score, or a path like Data.title", k.Field, strings.Join(address.ScalarFields(), ", "))}
		}
		o.Keys = append(o.Keys, iter.SortKey{Column: t.Sort, Asc: k.Asc})
	}
	if len(o.Keys) == 0 {
		o.Documents = true
		return o, nil
	}
	m := c.Reader.Meta()
	if n := len(keys); n > 0 && n <= 2 && keys[0].Field == m.Sort && keys[0].Asc == m.Asc {
		o.Documents = n == 1 || keys[1].Field == snapshot.IDField && keys[1].Asc
	}
	return c.withIDs(o), nil
}

func (c *compiler) withIDs(o *iter.Order) *iter.Order {
	if len(o.Keys) == 2 {
		o.IDs = c.Reader.Field(snapshot.IDField)
	}
	return o
}

// sortTarget finds what a sort key orders by; ok is false where no item has it.
func (c *compiler) sortTarget(k query.SortKey) (t fields.Target, ok bool) {
	if !k.Exact {
		return c.Resolve(k.Field)
	}
	if f := c.Reader.Field(k.Field); f != nil {
		return fields.OfPath(f), true
	}
	return fields.Target{}, false
}

// mayBeMissing tells whether items may be sorted by a name that no item has: a field of every item,
// which an empty environment lacks, or a path of Data, which depends on what is published.
func mayBeMissing(name string) bool {
	return name == fields.IDName || address.IsScalar(name) || isDataPath(name)
}
