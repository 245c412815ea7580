// This file tells files that are missing from lists that never were files. Both are
// answered from the snapshot; the operator is to hear of the first kind.

package edgeserve

import (
	"errors"
	"slices"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/release"
)

// promises reports whether the manifest says that a list is among the files.
func (g *Generation) promises(env string, l address.List) bool {
	for i := range g.manifest.Environments {
		e := &g.manifest.Environments[i]
		if e.ID != env {
			continue
		}
		for j := range e.Lists {
			if f := &e.Lists[j]; f.Sort == l.Sort && f.Asc == l.Asc && f.PageSize == l.Size && familyHas(f, l) {
				return true
			}
		}
	}
	return false
}

// familyHas reports whether one of a family's lists is l, and long enough to have its page.
func familyHas(f *release.Family, l address.List) bool {
	return slices.ContainsFunc(f.Values, func(v release.FamilyValue) bool {
		for _, name := range address.Filters {
			if v.Filters[name] != l.Filter(name) {
				return false
			}
		}
		return l.Page <= l.Pages(v.TotalItems)
	})
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
