// This file reuses the fields of an earlier release whose values did not change.

package index

import (
	"bytes"
	"slices"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/generator/mapping"
)

// Baseline is the snapshot of an earlier release.
type Baseline struct {
	Reader *snapshot.Reader
	// Same has, for each document, the Reader's document with the same bytes, or NoDoc.
	Same []int32
	// InPlace is true if both have the same content ids in the same order.
	InPlace bool
}

// NoDoc stands for no document.
const NoDoc = -1

// movedStrings maps the old offset of a string in its fragment to the new one.
type movedStrings map[occurrence]uint32

func (o movedStrings) of(doc snapshot.DocID, offset uint32) uint32 {
	if moved, ok := o[occurrence{doc, offset}]; ok {
		return moved
	}
	return offset
}

// reusable returns the reusable paths, with the offsets of strings that moved.
func (o *Baseline) reusable(src Source, types map[string]snapshot.Type) (map[string]movedStrings, error) {
	if o == nil || !o.InPlace || o.Reader.Meta().Analysis != analysis.Version {
		return nil, nil
	}
	kept := map[string]movedStrings{}
	for path, typ := range types {
		if old := o.Reader.Field(path); old != nil && old.Type == typ {
			kept[path] = nil
		}
	}
	var text []byte
	paths := mapping.NewPaths()
	for i, old := range o.Same {
		if old != NoDoc {
			continue
		}
		var err error
		doc := snapshot.DocID(i)
		if text, err = src.Append(text[:0], i); err != nil {
			return nil, err
		}
		dropChanged(kept, doc, leavesOf(paths, o.Reader.Fragment(doc)), leavesOf(paths, text))
	}
	return kept, nil
}

// dropChanged removes paths whose leaves in a document changed. For others it records the new
// offsets of long strings, which a snapshot stores.
func dropChanged(kept map[string]movedStrings, doc snapshot.DocID, before, after map[string][]mapping.Leaf) {
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
			if to := after[path][i].Offset; to != l.Offset && l.Kind == mapping.String && len(l.Text) > snapshot.InlineMax {
				if moved == nil {
					moved = movedStrings{}
					kept[path] = moved
				}
				moved[occurrence{doc, uint32(l.Offset)}] = uint32(to)
			}
		}
	}
}

func sameLeaf(a, b mapping.Leaf) bool { return a.Kind == b.Kind && bytes.Equal(a.Text, b.Text) }

// leavesOf returns the leaves of a fragment by path, valid as long as it.
func leavesOf(paths *mapping.Paths, fragment []byte) map[string][]mapping.Leaf {
	out := map[string][]mapping.Leaf{}
	paths.Walk(fragment, func(l *mapping.Leaf) { out[l.Path.Name] = append(out[l.Path.Name], *l) })
	return out
}

// HasFields reports whether the baseline has these fields. The snapshot of an older program may have
// others.
func (o *Baseline) HasFields(found []mapping.Field) bool {
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

func (b *builder) rank() (ranks, error) {
	if _, ok := b.reused[snapshot.IDField]; !ok {
		if b.patch != nil {
			return b.patch.ranks(b.src.Len()), nil
		}
		return rankOf(b.src.Len(), b.parts[snapshot.IDField])
	}
	r := ranks{make([]uint32, b.src.Len()), make([]snapshot.DocID, b.src.Len())}
	for d := range r.of {
		n := b.baseline.Reader.IDRank(snapshot.DocID(d))
		r.of[d], r.at[n] = uint32(n), snapshot.DocID(d)
	}
	return r, nil
}

func (b *builder) reusedField(path string, moved movedStrings) *snapshot.EncodedField {
	if moved == nil {
		return b.baseline.Reader.Encoded(path, nil)
	}
	return b.baseline.Reader.Encoded(path, moved.of)
}
