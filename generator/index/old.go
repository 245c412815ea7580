// This file finds the fields of an older snapshot that a new one would have too, byte
// for byte: those whose values did not change while other fields of some documents did.

package index

import (
	"bytes"
	"slices"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/snapshot"
)

// Old is the snapshot of a release whose documents have the same content ids in the
// same order.
type Old struct {
	Reader  *snapshot.Reader
	Changed []snapshot.DocID // the documents whose fragments have other bytes
}

// keeps gives the paths whose fields are the same.
func (o *Old) keeps(src Source, fields map[string]*field) (map[string]bool, error) {
	if o == nil || o.Reader.Meta().Analysis != analysis.Version || o.Reader.Items() != src.Len() {
		return nil, nil
	}
	kept := map[string]bool{}
	for path, f := range fields {
		if old := o.Reader.Field(path); old != nil && old.Type == f.typ {
			kept[path] = true
		}
	}
	var text []byte
	paths := newPaths()
	for _, doc := range o.Changed {
		var err error
		if text, err = src.Append(text[:0], int(doc)); err != nil {
			return nil, err
		}
		before, after := leavesOf(paths, o.Reader.Fragment(doc)), leavesOf(paths, text)
		drop(kept, before, after)
		drop(kept, after, before)
	}
	return kept, nil
}

// drop takes out the paths of a whose leaves are others in b.
func drop(kept map[string]bool, a, b map[string][]leaf) {
	for path, leaves := range a {
		if kept[path] && !slices.EqualFunc(leaves, b[path], sameLeaf) {
			delete(kept, path)
		}
	}
}

// sameLeaf tells whether two leaves leave the same trace in a snapshot: of a long
// string that is where it stands, too.
func sameLeaf(a, b leaf) bool {
	return a.kind == b.kind && bytes.Equal(a.text, b.text) &&
		(a.kind != leafString || len(a.text) <= snapshot.InlineMax || a.offset == b.offset)
}

// leavesOf are the leaves of a fragment by path, as long as the fragment is.
func leavesOf(paths *paths, fragment []byte) map[string][]leaf {
	out := map[string][]leaf{}
	paths.walk(fragment, func(l *leaf) { out[l.path.name] = append(out[l.path.name], *l) })
	return out
}

// Same tells whether a snapshot of documents that did not change would be the same:
// the order of the source alone may change the type of a path.
func (o *Old) Same(src Source) (bool, error) {
	fields, err := fieldsOf(src)
	if err != nil || o.Reader.Meta().Analysis != analysis.Version || len(fields) != len(o.Reader.Fields()) {
		return false, err
	}
	for path, f := range fields {
		if old := o.Reader.Field(path); old == nil || old.Type != f.typ {
			return false, nil
		}
	}
	return true, nil
}

// rank ranks the documents.
func (b *builder) rank() (ranks, error) {
	if !b.kept[idPath] {
		return rankOf(b.src.Len(), b.parts[idPath])
	}
	r := ranks{make([]uint32, b.src.Len()), make([]snapshot.DocID, b.src.Len())}
	for d := range r.of {
		n := b.old.Reader.IDRank(snapshot.DocID(d))
		r.of[d], r.at[n] = uint32(n), snapshot.DocID(d)
	}
	return r, nil
}

const idPath = "ContentID"
