// This file tells files that are missing from lists that never were files. Both are
// answered from the snapshot; the operator is to hear of the first kind.

package edgeserve

import (
	"errors"
	"slices"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/release"
)

// family is the family of files that a list would be of by its filters, order and page
// size, nil if the manifest has none: then no node has a file of it.
func (g *Generation) family(env string, l address.List) *release.Family {
	for i := range g.manifest.Environments {
		e := &g.manifest.Environments[i]
		if e.ID != env {
			continue
		}
		for j := range e.Lists {
			if f := &e.Lists[j]; f.Sort == l.Sort && f.Asc == l.Asc && f.PageSize == l.Size && sameFilters(f, l) {
				return f
			}
		}
	}
	return nil
}

// sameFilters reports whether a family is filtered by what a list is filtered by.
func sameFilters(f *release.Family, l address.List) bool {
	for _, name := range address.Filters {
		if slices.Contains(f.Filters, name) != (l.Filter(name) != "") {
			return false
		}
	}
	return true
}

// promises reports whether one of a family's lists is l, and long enough to have its page.
func promises(f *release.Family, l address.List) bool {
	v, ok := f.Find(l.Filter)
	return ok && l.Page <= l.Pages(v.TotalItems)
}

// missed tells the operator, once for a release, of a file that is not there. A release
// that was fetched without its files misses none.
func (s *Server) missed(g *Generation, name string) {
	if g.bare {
		return
	}
	s.telemetry.missing.Inc()
	g.missing.Do(func() {
		if errors.Is(g.current(), errRemoved) {
			s.log.Warn("the release was removed; its snapshot answers instead of its files", "file", name)
			return
		}
		s.log.Warn("a file of the release is missing; its snapshot answers instead", "file", name)
	})
}
