// This file decides the type of every path: a first pass over all documents, in
// which the first value by source order counts, as a dynamic mapping has it.

package index

import (
	"bytes"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/snapshot"
)

// field is a path and its type.
type field struct {
	path string
	typ  snapshot.Type
	seq  int // source position of the item that decided
}

// fixed are the members every item has: their types do not depend on content.
var fixed = map[string]snapshot.Type{
	"Status": snapshot.Text, "CreatedBy": snapshot.Text, "CreatedAt": snapshot.Date, "PublishedBy": snapshot.Text,
	"UpdatedAt": snapshot.Date, "Name": snapshot.Text, "PublishedAt": snapshot.Date, "UpdatedBy": snapshot.Text,
	"TemplateName": snapshot.Text, "TemplateID": snapshot.Text, "ContentID": snapshot.Text,
}

// detect returns the types of the paths of a range of documents.
func detect(src Source, from, to int) (map[string]*field, error) {
	ps := newPaths()
	var fs []*field
	err := eachFragment(src, from, to, func(doc snapshot.DocID, fragment []byte) {
		seq := src.Seq(int(doc))
		ps.walk(fragment, func(l *leaf) {
			for len(fs) <= l.path.id {
				fs = append(fs, nil)
			}
			if f := fs[l.path.id]; f == nil {
				fs[l.path.id] = &field{path: l.path.name, typ: typeOf(l), seq: seq}
			} else if seq < f.seq {
				f.typ, f.seq = typeOf(l), seq
			}
		})
	})
	out := make(map[string]*field, len(fs))
	for _, f := range fs {
		out[f.path] = f
	}
	return out, err
}

// merge keeps, of the fields of a path in several ranges, the one decided first.
func merge(ranges []map[string]*field) map[string]*field {
	out := map[string]*field{}
	for _, fs := range ranges {
		for path, f := range fs {
			if old := out[path]; old == nil || f.seq < old.seq {
				out[path] = f
			}
			if t, ok := fixed[path]; ok {
				out[path].typ = t
			}
		}
	}
	return out
}

// maxDateText is the longest JSON text of a string that may be a date: some forty
// characters, a few of them escaped.
const maxDateText = 256

// typeOf is the type a path gets when l is its first value.
func typeOf(l *leaf) snapshot.Type {
	switch l.kind {
	case leafBool:
		return snapshot.Boolean
	case leafNumber:
		if bytes.ContainsAny(l.text, ".eE") {
			return snapshot.Float
		}
		return snapshot.Long
	}
	if len(l.text) > maxDateText {
		return snapshot.Text
	}
	text := l.text
	if !l.plain {
		text = snapshot.AppendUnquoted(nil, text)
	}
	if analysis.IsDate(string(text)) {
		return snapshot.Date
	}
	return snapshot.Text
}
