// This file finds the fields of an older snapshot that a new one would have too, byte
// for byte or nearly so: those whose values did not change while other fields of some
// documents did.

package index

import (
	"bytes"
	"slices"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/snapshot"
	"contentedge/generator/fields"
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
func (o *Old) keeps(src Source, types map[string]snapshot.Type) (map[string]offsets, error) {
	if o == nil || o.Reader.Meta().Analysis != analysis.Version || o.Reader.Items() != src.Len() {
		return nil, nil
	}
	kept := map[string]offsets{}
	for path, typ := range types {
		if old := o.Reader.Field(path); old != nil && old.Type == typ {
			kept[path] = nil
		}
	}
	var text []byte
	paths := fields.NewPaths()
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
func keep(kept map[string]offsets, doc snapshot.DocID, before, after map[string][]fields.Leaf) {
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
			if to := after[path][i].Offset; to != l.Offset && l.Kind == fields.String && len(l.Text) > snapshot.InlineMax {
				if moved == nil {
					moved = offsets{}
					kept[path] = moved
				}
				moved[place{doc, uint32(l.Offset)}] = uint32(to)
			}
		}
	}
}

// sameLeaf tells whether two leaves have the same value, written alike.
func sameLeaf(a, b fields.Leaf) bool { return a.Kind == b.Kind && bytes.Equal(a.Text, b.Text) }

// leavesOf are the leaves of a fragment by path, as long as the fragment is.
func leavesOf(paths *fields.Paths, fragment []byte) map[string][]fields.Leaf {
	out := map[string][]fields.Leaf{}
	paths.Walk(fragment, func(l *fields.Leaf) { out[l.Path.Name] = append(out[l.Path.Name], *l) })
	return out
}

// Same tells whether a snapshot of documents that did not change, with these fields,
// would be the same: it is not where an older program made it.
func (o *Old) Same(found []fields.Field) bool {
	if o.Reader.Meta().Analysis != analysis.Version || len(found) != len(o.Reader.Fields()) {
		return false
	}
	for _, f := range found {
		if old := o.Reader.Field(f.Path); old == nil || old.Type != f.Type {
			return false
		}
	}
	return true
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
