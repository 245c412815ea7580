// This file enumerates files in byte order of their names, one by one: there may be millions.

package writer

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/checksums"
	"contentedge/generator/plan"
	"contentedge/generator/source/media"
)

type file struct {
	name string
	doc  int        // of an item, or of a list of the items that refer to it
	page *plan.Page // nil for an item

	usedIn bool // the file lists the items that refer to doc
	listed bool // of an environment that is carried: its name and Entry are all that is known

	body  []byte      // of a saved search; nil for others
	media *media.File // nil for others

	unchanged bool // the baseline has the same file, which Entry describes
	maybe     bool // the baseline has a file of that name, which Entry describes; it may be the same
	checksums.Entry

	recycled      bool // the recycled release has a file of that name
	recycledEntry checksums.Entry
}

func (w *envWriter) files() iter.Seq[file] {
	return func(yield func(file) bool) {
		if !w.c.SnapshotOnly {
			_ = w.pages(yield) && w.items(yield)
		}
	}
}

// yield yields a file with its entries in the recycled release and, if it is unchanged, in the
// baseline.
func (w *envWriter) yield(f file, unchanged bool, yield func(file) bool) bool {
	if unchanged || f.maybe {
		found := w.cursor.Take(f.name, &f.Entry)
		f.unchanged, f.maybe = unchanged && found, f.maybe && found
	}
	f.recycled = w.recycled.take(f.name, &f.recycledEntry)
	return yield(f)
}

func (w *envWriter) items(yield func(file) bool) bool {
	docs := make([]int32, w.docs.Len())
	for i := range docs {
		docs[i] = int32(i)
	}
	slices.SortFunc(docs, func(a, b int32) int { return compareNames(w.docs.ids[a], w.docs.ids[b]) })
	for _, d := range docs {
		doc := int(d)
		f := file{name: address.ItemFile(w.plan.ID, w.docs.ids[doc]), doc: doc}
		same := w.cursor != nil && w.sameItem(doc)
		f.maybe = !same && w.cursor != nil && w.compared.Item(doc)
		if !w.yield(f, same, yield) {
			return false
		}
		if w.references.Referrers(doc) == nil {
			continue
		}
		f = file{name: address.UsedInFile(w.plan.ID, w.docs.ids[doc]), doc: doc, usedIn: true} // "/" is the next byte after "."
		same = w.cursor != nil && w.sameUsedIn(doc)
		f.maybe = !same && w.cursor != nil
		if !w.yield(f, same, yield) {
			return false
		}
	}
	return true
}

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

type listDir struct {
	dir    string // with a slash at its end
	family int
	list   *plan.List
}

func (w *envWriter) pages(yield func(file) bool) bool {
	if w.cursor != nil {
		w.compared.Lists(w.plan.Families)
	}
	for _, l := range w.lists() {
		var old []int32
		if w.cursor != nil {
			old = w.compared.List(l.family, l.list.Address)
		}
		for n := range decimals(l.list.Count()) {
			p := l.list.Page(n)
			f := file{name: l.dir + p.Address.PageFile(), page: &p}
			if !w.yield(f, w.cursor != nil && w.compared.Page(old, p), yield) {
				return false
			}
		}
	}
	return true
}

func (w *envWriter) lists() []listDir {
	var out []listDir
	for i := range w.plan.Families {
		f := &w.plan.Families[i]
		for j := range f.Lists {
			name, _ := f.Lists[j].Address.File(w.plan.ID) // a planned list has a file
			out = append(out, listDir{name[:strings.LastIndexByte(name, '/')+1], i, &f.Lists[j]})
		}
	}
	slices.SortFunc(out, func(a, b listDir) int { return strings.Compare(a.dir, b.dir) })
	return out
}

// decimals yields 1 to n in byte order of their digits: 1, 10, 100, 11, 2.
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
