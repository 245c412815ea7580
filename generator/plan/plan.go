// Package plan decides which list pages become files. It puts documents in the default order, makes lists by filter
// values, and cuts lists into pages. It renders nothing. A list gets all its pages as files, or none.
package plan

import (
	"iter"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/model"
)

// Env is the plan of one environment.
type Env struct {
	ID       string
	Docs     []int32 // document number to item position
	Families []Family
	paths    []string // of Data, which are filters
	refused  string   // why some lists cannot have files
	codings  int
}

// Family is the lists of one set of filters in one order and page size.
type Family struct {
	Filters []string
	Order   address.Defaults // order and page size of its lists
	Lists   []List           // by filter values, ascending
	TooDeep int              // lists that have too many pages, hence no files
}

// List is one list: an address and the documents it shows.
type List struct {
	Address address.List // of page 1
	Docs    []int32      // document numbers in list order
}

// Page is one list file.
type Page struct {
	Address address.List
	Docs    []int32
	Total   int
}

// New plans an environment.
func New(env *model.Env, o Options) *Env {
	p := &Env{ID: env.ID, Docs: Order(env, o.Defaults), paths: o.Paths(), codings: o.Codings}
	p.checkPaths(env)
	for _, shape := range o.shapes() {
		if !address.IsScalar(shape.Sort) {
			continue // no file name has a path of Data
		}
		docs := p.sequence(env, o.Defaults, shape)
		for _, set := range o.Lists {
			f := Family{Filters: set, Order: shape, Lists: p.lists(env, docs, set, shape)}
			f.limit(o.MaxPages)
			p.Families = append(p.Families, f)
		}
	}
	return p
}

func (p *Env) sequence(env *model.Env, own, order address.Defaults) []int32 {
	docs := make([]int32, len(p.Docs))
	if order.Sort == own.Sort && order.Asc == own.Asc {
		for doc := range docs {
			docs[doc] = int32(doc)
		}
		return docs
	}
	number := make([]int32, len(p.Docs)) // by item
	for doc, item := range p.Docs {
		number[item] = int32(doc)
	}
	for i, item := range Order(env, order) {
		docs[i] = number[item]
	}
	return docs
}

func (f *Family) limit(most int) {
	if most == 0 {
		return
	}
	before := len(f.Lists)
	f.Lists = slices.DeleteFunc(f.Lists, func(l List) bool { return l.Count() > most })
	f.TooDeep = before - len(f.Lists)
}

// lists groups documents, in list order, by their values of a filter set. The unfiltered
// list exists even without items. A list without a file name is left out.
func (p *Env) lists(env *model.Env, docs []int32, set []string, d address.Defaults) []List {
	groups := map[address.List][]int32{}
	if len(set) == 0 {
		groups[listsOf(&model.Item{}, nil, d)[0]] = []int32{}
	}
	for _, doc := range docs {
		for _, a := range listsOf(&env.Items[p.Docs[doc]], set, d) {
			groups[a] = append(groups[a], doc)
		}
	}
	var out []List
	for a, members := range groups {
		if _, ok := a.File(env.ID); ok {
			out = append(out, List{Address: a, Docs: members})
		}
	}
	slices.SortFunc(out, func(a, b List) int { return compare(a.Address, b.Address, set) })
	return out
}

// listsOf are the lists of a filter set that an item is in: one for each of its values at a path.
func listsOf(it *model.Item, set []string, d address.Defaults) []address.List {
	a := address.List{Sort: d.Sort, Asc: d.Asc, Page: 1, Size: d.Size}
	for _, f := range set {
		if isPath(f) { // the last one
			return listsByPath(it, f, a)
		}
		value := Value(it, f)
		if value == "" {
			return nil
		}
		a.SetFilter(f, value)
	}
	return []address.List{a}
}

func listsByPath(it *model.Item, path string, a address.List) (out []address.List) {
	for _, value := range it.ListValues(path) {
		if value != "" {
			b := a
			b.SetFilter(path, value)
			out = append(out, b)
		}
	}
	return out
}

// Value is an item's value for one of address.Filters.
func Value(it *model.Item, filter string) string {
	switch filter {
	case address.FilterName:
		return it.Name
	case address.FilterTemplate:
		return it.TemplateName
	case address.FilterStatus:
		return it.Status
	default:
		return it.CreatedBy
	}
}

func compare(a, b address.List, set []string) int {
	for _, f := range set {
		if c := strings.Compare(a.Filter(f), b.Filter(f)); c != 0 {
			return c
		}
	}
	return 0
}

// Count is the number of pages: at least one.
func (l *List) Count() int {
	return l.Address.Pages(len(l.Docs))
}

// Page returns page n, from 1 to Count.
func (l *List) Page(n int) Page {
	a := l.Address
	a.Page = n
	from := (n - 1) * a.Size
	return Page{Address: a, Docs: l.Docs[from:min(from+a.Size, len(l.Docs))], Total: len(l.Docs)}
}

// Pages yields the pages of all lists.
func (f *Family) Pages() iter.Seq[Page] {
	return func(yield func(Page) bool) {
		for i := range f.Lists {
			for n := 1; n <= f.Lists[i].Count(); n++ {
				if !yield(f.Lists[i].Page(n)) {
					return
				}
			}
		}
	}
}

// ListsWith returns the queries of the planned lists that have an item. A list that is too deep for files is among them.
func ListsWith(env string, it *model.Item, o Options) (queries []string) {
	for _, shape := range o.shapes() {
		for _, set := range o.Lists {
			for _, a := range listsOf(it, set, shape) {
				if _, ok := a.File(env); ok {
					queries = append(queries, a.Canonical())
				}
			}
		}
	}
	return queries
}
