// This file finds which items a view delivers, and when it will deliver more.

package generator

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"contentedge/generator/visibility"
)

// TemplateInfo counts the items of a template in an environment.
type TemplateInfo struct {
	Name     string
	Items    int
	Statuses map[string]int // the number of items by status
}

// Templates counts the items of the last good build, by the names of their templates.
func (s *Session) Templates(env string) []TemplateInfo {
	last, i, ok := s.env(env)
	if !ok {
		return nil
	}
	byName := map[string]*TemplateInfo{}
	for _, it := range last.site.Envs[i].Items {
		t := byName[it.TemplateName]
		if t == nil {
			t = &TemplateInfo{Name: it.TemplateName, Statuses: map[string]int{}}
			byName[it.TemplateName] = t
		}
		t.Items++
		t.Statuses[it.Status]++
	}
	var list []TemplateInfo
	for t := range maps.Values(byName) {
		list = append(list, *t)
	}
	slices.SortFunc(list, func(a, b TemplateInfo) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// NextChange returns when the set of items that the last good build delivers changes. Zero means never.
func (s *Session) NextChange() time.Time {
	if last := s.last.Load(); last != nil {
		if until := last.site.Interval().Until; until != visibility.Never {
			return time.UnixMilli(until)
		}
	}
	return time.Time{}
}
