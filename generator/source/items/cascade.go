// This file refuses marks that a page gives to the pages below it: a build reads each file without the files around it.

package items

import (
	"fmt"
	"strings"

	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/visibility"
)

// CascadeMember is the member of front matter by which the page of a folder gives values to all pages below it, as Hugo
// reads it.
const CascadeMember = "cascade"

const cascadeHint = "run generator import markdown hugo, which gives the mark to the pages below; or give each page its mark and remove this one"

// cascades reports the first mark in cascade that would hide pages below this one.
func (m *maker) cascades() {
	f := m.usual(CascadeMember)
	if f == nil || !m.format.IsFolderPage(m.in.Path, m.Languages) {
		return
	}
	for _, given := range m.objectsIn(f) {
		if found := m.hides(&given); found != nil {
			m.fault(found.start, fmt.Sprintf("%s of %s is a mark for the pages below, which a build does not read from here", found.name, f.name), cascadeHint)
			return
		}
	}
}

// objectsIn returns the objects of a cascade: one, or a list, and the params of each.
func (m *maker) objectsIn(cascade *member) (all []member) {
	add := func(object member) {
		all = append(all, object)
		if params := m.withinAny(&object, "params"); params != nil && m.value(params)[0] == '{' {
			all = append(all, *params)
		}
	}
	json := m.from.rec.JSON
	switch json[cascade.start] {
	case '{':
		add(*cascade)
	case '[':
		jsoncursor.Children(json, cascade.start, func(_ []byte, at int) int {
			end := jsoncursor.ValueEnd(json, at)
			if json[at] == '{' {
				add(member{cascade.name, at, at, end})
			}
			return end
		})
	}
	return all
}

// hides returns the first member of an object that would hide a page, always or at a time, or nil.
func (m *maker) hides(object *member) *member {
	within := func(name string) *member { return m.withinAny(object, name) }
	for _, marks := range [][]visibility.Mark{statusMarks, releaseMarks, expiryMarks} {
		for i := range marks {
			if f := m.markedIn(&marks[i], within); f != nil && marks[i].MayHide(strings.Trim(string(m.value(f)), `"`)) {
				return f
			}
		}
	}
	return nil
}
