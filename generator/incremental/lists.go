// This file finds the documents of the baseline's lists, in list order.

package incremental

import (
	"cmp"
	"math"
	"slices"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/generator/plan"
)

// key is a list of a family: the ordinals of its filter values, or anyValue.
type key [len(address.FilterFields)]uint32

const anyValue = math.MaxUint32

type lists struct {
	fields   [len(address.FilterFields)]*snapshot.Field
	families []map[key][]int32 // the baseline's documents by list
}

// Lists prepares List for the families of a plan.
func (e *Env) Lists(families []plan.Family) {
	l := &lists{}
	for i, path := range address.FilterFields {
		l.fields[i] = e.Reader.Field(path)
	}
	for i := range families {
		l.families = append(l.families, l.group(families[i].Filters, e.order(families[i].Order)))
	}
	e.lists = l
}

func (e *Env) order(d address.Defaults) []int32 {
	docs := make([]int32, e.Reader.Items())
	for i := range docs {
		docs[i] = int32(i)
	}
	field, asc := e.Reader.DefaultOrder()
	f := e.Reader.Field(d.Sort)
	if f == nil || field == d.Sort && asc == d.Asc {
		return docs
	}
	values := f.SortColumn()
	slices.SortFunc(docs, func(a, b int32) int {
		c := cmp.Compare(values.Least(snapshot.DocID(a)), values.Least(snapshot.DocID(b)))
		if !d.Asc {
			c = -c
		}
		return cmp.Or(c, cmp.Compare(e.Reader.IDRank(snapshot.DocID(a)), e.Reader.IDRank(snapshot.DocID(b))))
	})
	return docs
}

func (l *lists) group(filters []string, docs []int32) map[key][]int32 {
	groups := map[key][]int32{}
	for _, doc := range docs {
		var k key
		for i, f := range l.fields {
			k[i] = anyValue
			if f != nil && slices.Contains(filters, address.Filters[i]) {
				k[i] = uint32(f.Column().Least(snapshot.DocID(doc)))
			}
		}
		groups[k] = append(groups[k], doc)
	}
	return groups
}

// List returns the baseline's documents of a list in the family of that number. It returns nil for a
// list that the baseline does not have.
func (e *Env) List(family int, a address.List) []int32 {
	if a.Data != "" {
		return nil // an item is in a list for each of its values, which columns do not tell: these pages are rendered again
	}
	k := key{}
	for i, name := range address.Filters {
		k[i] = anyValue
		value := a.Filter(name)
		if value == "" {
			continue
		}
		f := e.lists.fields[i]
		if f == nil {
			return nil
		}
		ord, ok := f.Strings().Find([]byte(value))
		if !ok {
			return nil
		}
		k[i] = uint32(ord)
	}
	return e.lists.families[family][k]
}

// Page reports whether a page is unchanged: it shows the same documents, and the list has as many, as
// every page contains the total.
func (e *Env) Page(old []int32, p plan.Page) bool {
	if len(old) != p.Total {
		return false
	}
	from := (p.Address.Page - 1) * p.Address.Size
	for i, doc := range p.Docs {
		if !e.same[doc] || e.old[doc] != old[from+i] {
			return false
		}
	}
	return true
}
