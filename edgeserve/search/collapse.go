// This file collapses matches: a hit for each value of a field, with its own matches inside.

package search

import (
	"math"

	"fmt"

	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/fields"
	"contentedge/edgeserve/search/hits"
	"contentedge/edgeserve/search/iter"
	"contentedge/edgeserve/snapshot"
)

// collapsed is the field of a collapse. Documents without a value are one group.
type collapsed struct {
	fields.Target
	column *snapshot.Column
}

func badCollapse(format string, args ...any) error {
	return &query.Error{Code: query.CodeCollapse, Parameter: "collapse.field", Position: -1, Message: fmt.Sprintf(format, args...)}
}

// collapse makes an order keep one match of each group.
func (c *compiler) collapse(body *query.Body, o *iter.Order) (*iter.Order, *collapsed, error) {
	name := body.Collapse.Field
	t, ok := c.Resolve(name)
	switch {
	case !ok:
		return nil, nil, badCollapse("no item has the field %.80q to collapse by", name)
	case t.Kind != fields.Keyword && !t.Kind.IsNumber() || t.IsID:
		return nil, nil, badCollapse("%.80q cannot be collapsed by: only numbers and a path's .keyword can", name)
	case len(body.Rescore) > 0:
		return nil, nil, badCollapse("collapse cannot be combined with rescore")
	case body.SearchAfter != nil:
		return nil, nil, badCollapse("collapse cannot be combined with search_after")
	}
	f := &collapsed{t, t.Values.Column()}
	if o == nil {
		o = &iter.Order{Keys: []iter.SortKey{{}}}
	}
	o.Groups = f.column.Distinct + 1
	o.Group = func(d snapshot.DocID) uint32 {
		ord := f.column.Least(d)
		if !f.column.Single && f.column.Greatest(d) != ord {
			c.Fail(badCollapse("%.80q cannot be collapsed by: a match has several values", name))
		}
		return uint32(ord)
	}
	return o, f, nil
}

// inner searches the groups of the hits of a page.
func (c *compiler) inner(body *query.Body, f *collapsed, page *hits.Page) error {
	if len(body.Collapse.Inner) == 0 {
		return nil
	}
	page.Inner = make([][]hits.Inner, len(page.Docs))
	for i, d := range page.Docs {
		for _, in := range body.Collapse.Inner {
			order, err := c.order(in.Body)
			if err != nil {
				return err
			}
			s, err := c.grouped(body, f, d)
			if err != nil {
				return err
			}
			c.TrackScores = c.KeepScores && in.Body.TrackScores
			found := c.Collect(s, order, in.Body.From, in.Body.Size, false)
			if c.Failed() != nil {
				return c.Failed()
			}
			if in.Body.Size == 0 {
				found.Best = float32(math.NaN())
			}
			list := hits.Inner{Name: in.Name, Body: in.Body, Total: found.Total, Page: hits.Page{Docs: found.Docs, Scores: found.Scores}}
			if err := c.hitFields(in.Body, &list.Page); err != nil {
				return err
			}
			page.Inner[i] = append(page.Inner[i], list)
		}
	}
	return nil
}

// grouped matches the documents of a search that are in the group of d.
func (c *compiler) grouped(body *query.Body, f *collapsed, d snapshot.DocID) (iter.Scorer, error) {
	parts := iter.Clauses{}
	for _, n := range []query.Node{body.Query, body.PostFilter} {
		if n == nil {
			continue
		}
		s, err := c.Compile(n)
		if err != nil {
			return nil, err
		}
		if n == body.Query {
			parts.Must = []iter.Scorer{s}
		} else {
			parts.Filter = []iter.Scorer{s}
		}
	}
	if ord := f.column.Least(d); ord < f.column.Distinct {
		parts.Filter = append(parts.Filter, c.Ordinals(f.column, ord, ord+1, 0))
	} else {
		parts.Filter = append(parts.Filter, c.All(0))
		parts.Not = []iter.Scorer{c.HasValue(f.column, 0)}
	}
	return c.Combine(&parts), nil
}
