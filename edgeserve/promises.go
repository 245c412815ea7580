// This file tells files that are missing from lists that never were files. Both are
// answered from the snapshot; the operator is to hear of the first kind.

package edgeserve

import (
	"maps"

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
	filters := map[string]string{}
	for name, text := range map[string]string{"name": l.Name, "template": l.Template, "status": l.Status, "createdby": l.CreatedBy} {
		if text != "" {
			filters[name] = text
		}
	}
	for i := range f.Values {
		v := &f.Values[i]
		pages := max((v.TotalItems+l.Size-1)/l.Size, 1)
		if l.Page <= pages && maps.Equal(v.Filters, filters) {
			return true
		}
	}
	return false
}

// missed tells the operator, once for a release, of a file that is not there. A release
// that was fetched without its files misses none.
func (s *Server) missed(g *Generation, name string) {
	if g.bare {
		return
	}
	s.telemetry.missing.Inc()
	g.missing.Do(func() {
		s.log.Warn("a file of the release is missing; its snapshot answers instead", "file", name)
	})
}
