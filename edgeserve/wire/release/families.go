// This file finds which lists and saved searches a release has as files.

package release

import (
	"slices"
	"sort"
	"strings"

	"contentedge/edgeserve/wire/address"
)

// Family returns the family with a list's filters, order and page size. It returns nil if the
// manifest has no such family: then no node has a file of the list.
func (m *Manifest) Family(env string, l address.List) *Family {
	e := m.Environment(env)
	if e == nil {
		return nil
	}
	for j := range e.Lists {
		if f := &e.Lists[j]; f.Sort == l.Sort && f.Asc == l.Asc && f.PageSize == l.Size && sameFilters(f, l) {
			return f
		}
	}
	return nil
}

// Environment returns an environment; nil if the release has no such environment, and of a nil manifest.
func (m *Manifest) Environment(id string) *Environment {
	if m == nil {
		return nil
	}
	// By index: a comparison of values would copy, and so read, what Fill writes meanwhile.
	i, ok := sort.Find(len(m.Environments), func(i int) int { return strings.Compare(id, m.Environments[i].ID) })
	if !ok {
		return nil
	}
	return &m.Environments[i]
}

func sameFilters(f *Family, l address.List) bool {
	for _, name := range address.Filters {
		if slices.Contains(f.Filters, name) != (l.Filter(name) != "") {
			return false
		}
	}
	path := f.Path()
	if l.Data == "" {
		return path == ""
	}
	only, _, ok := l.Data.Only()
	return ok && only == path
}

// Path returns the path of Data that is a filter of the family; or "".
func (f *Family) Path() string {
	if n := len(f.Filters); n > 0 && strings.HasPrefix(f.Filters[n-1], address.DataPrefix) {
		return f.Filters[n-1]
	}
	return ""
}

// Page reports whether the family has the list l, and the list is long enough for the page of l. total is the number of
// items of the list.
func (f *Family) Page(l address.List) (total int, ok bool) {
	v, ok := f.Find(l.Filter)
	return v.TotalItems, ok && l.Page <= l.Pages(v.TotalItems)
}

// Search returns a saved search of an environment; nil if the release has no saved search of the name.
func (m *Manifest) Search(env, name string) *Search {
	if e := m.Environment(env); e != nil {
		return e.Search(name)
	}
	return nil
}

// ListDefaults are the build's defaults for list parameters.
func (m *Manifest) ListDefaults() address.Defaults {
	return address.Defaults{Sort: m.Defaults.Sort, Asc: m.Defaults.Asc, Size: m.Defaults.PageSize}
}
