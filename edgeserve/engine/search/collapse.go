// This file collapses matches: a hit for each value of a field, with its own matches inside.

package search

import (
	"cmp"
	"fmt"
	"math"

	"contentedge/edgeserve/engine/compile"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/problem"
)

// collapsed is the field of a collapse. Documents without a value are one group.
type collapsed struct {
	target fields.Target
	column *snapshot.Column
}

func badCollapse(format string, args ...any) error {
	return &query.Error{Code: problem.BadCollapse, Parameter: "collapse.field", Position: -1, Message: fmt.Sprintf(format, args...)}
}

// SeveralValues is the error of a collapse by a field of which a match has several values.
func SeveralValues(name string) error {
	return badCollapse("%.80q cannot be collapsed by: a match has several values", name)
}

// collapsed resolves the field of a collapse.
func (c *evaluation) collapsed(name string) (*collapsed, error) {
	t, ok := c.resolver.Resolve(name)
	switch {
	case !ok:
		return nil, badCollapse("no item has the field %.80q to collapse by", name)
	case t.Kind != fields.Keyword && !t.Kind.IsNumber() || t.Metadata:
		return nil, badCollapse("%.80q cannot be collapsed by: only numbers and a path's .keyword can", name)
	}
	return &collapsed{t, t.Values.Column()}, nil
}

// collapse makes an order keep one match of each group.
func (c *evaluation) collapse(body *query.Body, o *scorer.Order) (*scorer.Order, error) {
	name := body.Collapse.Field
	f, err := c.collapsed(name)
	switch {
	case err != nil:
		return nil, err
	case len(body.Rescore) > 0:
		return nil, badCollapse("collapse cannot be combined with rescore")
	case body.Window.After != nil:
		return nil, badCollapse("collapse cannot be combined with search_after")
	case body.Window.Size == 0:
		return o, nil // a body without hits needs no groups
	}
	if o == nil {
		o = &scorer.Order{Keys: []scorer.SortKey{{}}}
	}
	o.Groups = f.column.Distinct + 1
	o.Group = func(d snapshot.DocID) uint32 {
		ord := f.column.Least(d)
		if !f.column.Single && f.column.Greatest(d) != ord {
			c.work.Fail(SeveralValues(name))
		}
		return uint32(ord)
	}
	return o, nil
}

// inner searches the groups of the documents of a page, each as a body of its own.
func (c *evaluation) inner(body *query.Body, page *hits.Page, docs []snapshot.DocID) error {
	if len(body.Collapse.Inner) == 0 {
		return nil
	}
	f, err := c.collapsed(body.Collapse.Field)
	if err != nil {
		return err
	}
	if c.checks {
		_, err := c.innerOf(body, body.Query)
		return err
	}
	page.Inner = make([][]hits.Inner, len(docs))
	for i, d := range docs {
		if page.Inner[i], err = c.innerOf(body, f.group(body.Query, d)); err != nil {
			return err
		}
	}
	return nil
}

// innerOf searches a group, given by its query.
func (c *evaluation) innerOf(body *query.Body, group query.Node) (lists []hits.Inner, err error) {
	for _, in := range body.Collapse.Inner {
		own := *in.Body
		own.Query, own.PostFilter, own.Names = group, body.PostFilter, body.Names
		err := c.request.Scoped(func() error {
			found, err := c.find(&own, false)
			if err != nil {
				return err
			}
			if own.Window.Size == 0 {
				found.Best = float32(math.NaN())
			}
			list := hits.Inner{Name: in.Name, Body: in.Body, Total: found.Total, Page: hits.NewPage(c.resolver.Reader, found.Docs, found.Scores, hits.NewSortValues(c.resolver.Reader, own.Order.Keys))}
			lists = append(lists, list)
			return (&hitParts{c: c, body: &own, by: &own}).add(&lists[len(lists)-1].Page, found.Docs)
		})
		if err = cmp.Or(err, c.work.Failed()); err != nil {
			return lists, err
		}
	}
	return lists, nil
}

// group is the query of the matches of n in the group of a document; a nil n matches all. It looks for a text as a term,
// because highlights mark the words of terms.
func (f *collapsed) group(n query.Node, d snapshot.DocID) query.Node {
	q := &query.Bool{Boost: 1}
	if n != nil {
		q.Must = []query.Node{n}
	}
	switch ord := f.column.Least(d); {
	case ord == f.column.Distinct:
		q.MustNot = []query.Node{&compile.InGroup{Target: f.target, High: ord}}
	case f.target.Kind == fields.Keyword:
		text := string(f.target.Values.Strings().At(ord, nil))
		q.Filter = []query.Node{&query.Term{Field: f.target.Name(), Value: query.Value{Text: text}, Boost: 1}}
	default:
		q.Filter = []query.Node{&compile.InGroup{Target: f.target, Low: ord, High: ord + 1}}
	}
	return q
}
