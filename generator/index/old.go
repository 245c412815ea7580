// This file finds the fields of an older snapshot that a new one would have too, byte
// for byte or nearly so: those whose values did not change while other fields of some
// documents did.

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

// offsets are where strings of documents stand, by where they stood.
type offsets map[place]uint32

// of gives the new offset of a string.
func (o offsets) of(doc snapshot.DocID, offset uint32) uint32 {
	if moved, ok := o[place{doc, offset}]; ok {
		return moved
	}
	return offset
}

// keeps gives the paths whose fields are the same, but for the places of some strings.
func (o *Old) keeps(src Source, fields map[string]*field) (map[string]offsets, error) {
	if o == nil || o.Reader.Meta().Analysis != analysis.Version || o.Reader.Items() != src.Len() {
		return nil, nil
	}
	kept := map[string]offsets{}
	for path, f := range fields {
		if old := o.Reader.Field(path); old != nil && old.Type == f.typ {
			kept[path] = nil
		}
	}
	var text []byte
	paths := newPaths()
	for _, doc := range o.Changed {
		var err error
		if text, err = src.Append(text[:0], int(doc)); err != nil {
			return nil, err
		}
		keep(kept, doc, leavesOf(paths, o.Reader.Fragment(doc)), leavesOf(paths, text))
	}
	return kept, nil
}

// keep takes out the paths whose leaves in a document changed, and notes where long
// strings of the others moved to: a snapshot holds their places.
func keep(kept map[string]offsets, doc snapshot.DocID, before, after map[string][]leaf) {
	for path := range after {
		if _, ok := before[path]; !ok {
			delete(kept, path)
		}
	}
	for path, leaves := range before {
		moved, ok := kept[path]
		if !ok {
			continue
		}
		if !slices.EqualFunc(leaves, after[path], sameLeaf) {
			delete(kept, path)
			continue
		}
		for i, l := range leaves {
			if to := after[path][i].offset; to != l.offset && l.kind == leafString && len(l.text) > snapshot.InlineMax {
				if moved == nil {
					moved = offsets{}
					kept[path] = moved
				}
				moved[place{doc, uint32(l.offset)}] = uint32(to)
			}
		}
	}
}

// sameLeaf tells whether two leaves have the same value, written alike.
func sameLeaf(a, b leaf) bool { return a.kind == b.kind && bytes.Equal(a.text, b.text) }

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
	if _, ok := b.kept[snapshot.IDField]; !ok {
		return rankOf(b.src.Len(), b.parts[snapshot.IDField])
	}
	r := ranks{make([]uint32, b.src.Len()), make([]snapshot.DocID, b.src.Len())}
	for d := range r.of {
		n := b.old.Reader.IDRank(snapshot.DocID(d))
		r.of[d], r.at[n] = uint32(n), snapshot.DocID(d)
	}
	return r, nil
}

// keptField gives the field of a path that is kept.
func (b *builder) keptField(path string, moved offsets) *snapshot.EncodedField {
	if moved == nil {
		return b.old.Reader.Encoded(path, nil)
	}
	return b.old.Reader.Encoded(path, moved.of)
}
