// This file makes a Reader without documents that has the fields of another snapshot. Requests are refused by it as by
// that snapshot, as far as fields are to blame.

package snapshot

import (
	"fmt"

	"contentedge/edgeserve/leftout"
)

// FieldType is a field without its values: its path, its type and the sub-fields that have values.
type FieldType struct {
	Path string
	Type Type
	Subs []Sub
}

// FieldTypes returns the types of all fields in order of their paths.
func (r *Reader) FieldTypes() []FieldType {
	types := make([]FieldType, len(r.fields))
	for i, f := range r.fields {
		types[i] = FieldType{Path: f.Path, Type: f.Type}
		for s := range SubCount {
			if f.subs[s] != nil {
				types[i].Subs = append(types[i].Subs, s)
			}
		}
	}
	return types
}

// FieldsOnly returns a Reader of no documents with fields that would have values in others. Fields are in order of
// their paths. A manifest lists them for each environment.
//
// Package search refuses a body on it as on the other snapshot, with the same code and message, except for what depends
// on values (TestFieldsOnly has the list). Names resolve as in a snapshot with documents, names of metadata too. Every
// list of values and every dictionary is empty. A field of text counts as one with terms.
func FieldsOnly(m Meta, out leftout.Rules, fields []FieldType) (*Reader, error) {
	m.Items = 0
	r := &Reader{meta: m, out: out, byPath: make(map[string]*Field, len(fields)), fieldsOnly: true}
	for i, t := range fields {
		f, err := r.fieldOf(t, uint32(i))
		if err != nil {
			return nil, err
		}
		r.fields = append(r.fields, f)
		r.byPath[f.Path] = f
	}
	r.markHidden()
	r.ids = r.byPath[IDField]
	return r, nil
}

func (r *Reader) fieldOf(t FieldType, no uint32) (*Field, error) {
	if int(t.Type) >= len(typeNames) {
		return nil, fmt.Errorf("snapshot: field %s has an unknown type", t.Path)
	}
	if no > 0 && r.fields[no-1].Path >= t.Path {
		return nil, fmt.Errorf("snapshot: field %s is not in order", t.Path)
	}
	f := &Field{Path: t.Path, Type: t.Type, no: no}
	f.column = emptyColumn()
	if t.Type == Text {
		f.strings, f.terms, f.norms = r.emptyStrings(), emptyTerms(), emptyDocMap()
		f.Docs, f.Tokens = 1, 1 // a field without terms answers as if it were absent, and its scores divide by both
		f.subs[SubKeyword] = &f.Values
	} else {
		f.numbers = &Numbers{float: t.Type == Float, p: packedOf(nil)}
	}
	for _, s := range t.Subs {
		if s >= SubCount {
			return nil, fmt.Errorf("snapshot: field %s has an unknown sub-field", t.Path)
		}
		if f.subs[s] != nil {
			continue
		}
		v := &Values{column: f.column}
		if s == SubKeyword {
			v.strings = r.emptyStrings()
		} else {
			v.numbers = &Numbers{float: s == SubDouble, p: packedOf(nil)}
		}
		f.subs[s] = v
	}
	return f, nil
}

func emptyColumn() *Column {
	none := packedOf(nil)
	return &Column{Single: true, starts: none, docs: none, min: emptyDocMap()}
}

func emptyDocMap() DocMap { return DocMap{docs: packedOf(nil), vals: packedOf(nil), sparse: true} }

func (r *Reader) emptyStrings() *Strings {
	w := stringWriter{}
	return openStrings(r, w.indexBytes(maxValuePrefix), nil)
}

func emptyTerms() *Terms {
	w := newTermWriter(nil)
	return openTerms(w.indexBytes(), nil, nil, nil)
}
