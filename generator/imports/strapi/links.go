// This file reads links: which row refers to which. Relations and files are only in links.

package strapi

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"contentedge/generator/jsontree"
)

// uploads is the type of files.
const uploads = "plugin::upload.file"

// rowKey names a row of a table. A row is an entry, its draft, a file, or a component.
type rowKey struct{ kind, id string }

// target is what a field of a row refers to.
type target struct {
	row rowKey
	pos float64
}

// relations are the links of an export by the field that holds them.
type relations struct {
	fields  map[rowKey]map[string][]target
	same    map[rowKey]rowKey // version 4: rows of one entry in two locales
	endless int               // links without an end
}

func newRelations() *relations {
	return &relations{fields: map[rowKey]map[string][]target{}, same: map[rowKey]rowKey{}}
}

// end is one end of a link.
type end struct {
	row   rowKey
	field string
	pos   float64
}

func readEnd(v *jsontree.Value) end {
	pos, _ := strconv.ParseFloat(v.Get("pos").Text(), 64)
	return end{rowKey{v.Get("type").Str(), v.Get("ref").Text()}, v.Get("field").Str(), pos}
}

// add takes a link. The field of the right end holds the same relation from the other side.
func (r *relations) add(v *jsontree.Value) {
	left, right := readEnd(v.Get("left")), readEnd(v.Get("right"))
	switch {
	case left.field == "localizations":
		r.localization(left, right, v.Get("right", "ref").IsString())
	case left.row.kind == uploads && left.field == "related":
		r.to(right, left.row)
	case left.row.kind == "" || left.row.id == "" || right.row.kind == "" || right.row.id == "":
		r.endless++
	case !isContent(left.row.kind) || !isContent(right.row.kind): // accounts, folders of files, stages of a workflow
	default:
		r.to(left, right.row)
		r.to(right, left.row)
	}
}

func (r *relations) to(from end, row rowKey) {
	if from.field == "" || from.row.id == "" {
		return
	}
	fields := r.fields[from.row]
	if fields == nil {
		fields = map[string][]target{}
		r.fields[from.row] = fields
	}
	fields[from.field] = append(fields[from.field], target{row, from.pos})
}

// localization joins the rows of an entry in two locales. Version 5 ties them by their document instead: there the
// right end is the id of a document, not of a row.
func (r *relations) localization(left, right end, document bool) {
	if document || left.row.kind != right.row.kind || left.row == right.row {
		return
	}
	a, b := r.first(left.row), r.first(right.row)
	if a == b {
		return
	}
	if compareRows(b, a) < 0 {
		a, b = b, a
	}
	r.same[b] = a
}

// first returns the row with the smallest id among the rows of one entry in several locales. It shortens the paths that
// it followed.
func (r *relations) first(row rowKey) rowKey {
	first := row
	for before, ok := r.same[first]; ok; before, ok = r.same[first] {
		first = before
	}
	for row != first {
		row, r.same[row] = r.same[row], first
	}
	return first
}

// compareRows orders rows by their types, then by their ids, which are numbers.
func compareRows(a, b rowKey) int {
	return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(len(a.id), len(b.id)), cmp.Compare(a.id, b.id))
}

// sort brings the targets of each field into the order that editors gave them.
func (r *relations) sort() {
	for _, fields := range r.fields {
		for _, list := range fields {
			slices.SortStableFunc(list, func(a, b target) int { return cmp.Compare(a.pos, b.pos) })
		}
	}
}

// isContent reports whether rows of a type are content, or files: not of the system.
func isContent(kind string) bool {
	return strings.HasPrefix(kind, contentTypes) || kind == uploads || !strings.Contains(kind, "::")
}
