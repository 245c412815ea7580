// This file enumerates the files of an environment in byte order of their names, so
// that the list of sums is written as they are, and that of the release before is read
// along. Names are made as they come: there may be millions.

package generator

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"contentedge/edgeserve/address"
	"contentedge/generator/plan"
	"contentedge/generator/sums"
)

// file is an item's file or a page.
type file struct {
	name string
	doc  int        // of an item
	page *plan.Page // of a list; nil: it is an item's

	linked bool // it is the old release's
	sums.Files

	spared bool // the spare has one of the name
	spare  sums.Files
}

// reuses tells whether files of the old release are taken over.
func (w *envWriter) reuses() bool { return w.old != nil && w.cursor != nil }

// files gives the files of an environment but for its snapshot, lists first. Those that
// the old release has too are marked.
func (w *envWriter) files() iter.Seq[file] {
	return func(yield func(file) bool) {
		if !w.snapshotOnly {
			_ = w.pages(yield) && w.items(yield)
		}
	}
}

// items gives the items' files.
func (w *envWriter) items(yield func(file) bool) bool {
	docs := make([]int32, w.docs.Len())
	for i := range docs {
		docs[i] = int32(i)
	}
	slices.SortFunc(docs, func(a, b int32) int { return compareNames(w.docs.ids[a], w.docs.ids[b]) })
	for _, doc := range docs {
		f := file{name: address.ItemFile(w.plan.ID, w.docs.ids[doc]), doc: int(doc)}
		f.linked = w.reuses() && w.old.Item(f.doc) && w.cursor.Take(f.name, &f.Files)
		f.spared = w.spare.take(f.name, &f.spare)
		if !yield(f) {
			return false
		}
	}
	return true
}

// compareNames compares two texts as they stand in names, with a dot behind them.
func compareNames(a, b string) int {
	n := min(len(a), len(b))
	if c := strings.Compare(a[:n], b[:n]); c != 0 || len(a) == len(b) {
		return c
	}
	if len(a) < len(b) {
		return cmp.Compare('.', b[n])
	}
	return cmp.Compare(a[n], '.')
}

// listed is a list and where its pages lie.
type listed struct {
	dir    string // with the slash behind it
	family int
	list   *plan.List
}

// pages gives the pages of all lists.
func (w *envWriter) pages(yield func(file) bool) bool {
	if w.reuses() {
		w.old.Lists(w.plan.Families)
	}
	for _, l := range w.lists() {
		var old []int32
		if w.reuses() {
			old = w.old.List(l.family, l.list.Address)
		}
		for n := range decimals(l.list.Count()) {
			p := l.list.Page(n)
			f := file{name: l.dir + p.Address.PageFile(), page: &p}
			f.linked = w.reuses() && w.old.Page(old, p) && w.cursor.Take(f.name, &f.Files)
			f.spared = w.spare.take(f.name, &f.spare)
			if !yield(f) {
				return false
			}
		}
	}
	return true
}

// lists gives all lists by name.
func (w *envWriter) lists() []listed {
	var out []listed
	for i := range w.plan.Families {
		f := &w.plan.Families[i]
		for j := range f.Lists {
			name, _ := f.Lists[j].Address.File(w.plan.ID) // a planned list has a file
			out = append(out, listed{name[:strings.LastIndexByte(name, '/')+1], i, &f.Lists[j]})
		}
	}
	slices.SortFunc(out, func(a, b listed) int { return strings.Compare(a.dir, b.dir) })
	return out
}

// decimals gives 1 to n in byte order of their digits: 1, 10, 100, 11, 2.
func decimals(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		var below func(first, last int) bool
		below = func(first, last int) bool {
			for i := first; i <= min(last, n); i++ {
				if !yield(i) || !below(i*10, i*10+9) {
					return false
				}
			}
			return true
		}
		below(1, 9)
	}
}
