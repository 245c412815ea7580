// This file finds the references in fragments: objects in Data that name other items by their ids.

package envelope

import (
	"bytes"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/jsoncursor"
)

// The members of a reference and their values: {"Type":"Reference","ReferenceType":"Content","ContentIDs":["ID",…]}. A
// reference may have other members.
const (
	refType     = "Type"
	refIs       = "Reference"
	refKind     = "ReferenceType"
	refContent  = "Content"
	RefIDs      = "ContentIDs" // exported: its values are searchable
	maxRefDepth = maxSourceDepth
)

// References visits the references of a fragment. visit gets the path of a reference as searches name it, such as
// Data.author, and one id, which need not be the id of an item. Arrays add nothing to a path. A reference in another
// one precedes it; otherwise references come in the order of the fragment. path and id are valid until visit returns.
// References ends if visit returns false.
func References(fragment []byte, visit func(path, id []byte) bool) {
	if !mayRefer(fragment) {
		return
	}
	r := referenceReader{src: fragment, visit: visit, depth: 1}
	jsoncursor.Children(fragment, 0, func(name []byte, at int) int {
		if !jsoncursor.Spells(name, address.FieldData) {
			return jsoncursor.ValueEnd(fragment, at)
		}
		r.path = append(r.path[:0], address.FieldData...)
		return r.value(at)
	})
}

// mayRefer rules out quickly fragments without the name of the ids, even escaped.
func mayRefer(fragment []byte) bool {
	return bytes.Contains(fragment, []byte(RefIDs+`"`)) || bytes.Contains(fragment, []byte(`\u00`))
}

type referenceReader struct {
	src   []byte
	visit func(path, id []byte) bool
	path  []byte
	depth int // enclosing objects and arrays
}

// value reads the value at i and returns the index after it. The end of the fragment ends the reading.
func (r *referenceReader) value(i int) int {
	if c := r.src[i]; c != '{' && c != '[' || r.depth >= maxRefDepth {
		return jsoncursor.ValueEnd(r.src, i)
	}
	r.depth++
	defer func() { r.depth-- }()
	if r.src[i] == '[' {
		return jsoncursor.Children(r.src, i, func(_ []byte, at int) int { return r.value(at) })
	}
	var isReference, isContent bool
	ids, mark := -1, len(r.path)
	end := jsoncursor.Children(r.src, i, func(name []byte, at int) int {
		r.path = jsoncursor.AppendUnquoted(append(r.path, '.'), name[1:])
		end := r.value(at)
		r.path = r.path[:mark]
		switch {
		case jsoncursor.Spells(name, refType):
			isReference = jsoncursor.Spells(r.src[at:end], refIs)
		case jsoncursor.Spells(name, refKind):
			isContent = jsoncursor.Spells(r.src[at:end], refContent)
		case jsoncursor.Spells(name, RefIDs) && r.src[at] == '[':
			ids = at
		}
		return end
	})
	if end == len(r.src) || !isReference || !isContent || ids < 0 {
		return end
	}
	return max(end, jsoncursor.Children(r.src, ids, r.id)) // the end of the fragment if visit returned false
}

// id visits the id at i.
func (r *referenceReader) id(_ []byte, i int) int {
	end := jsoncursor.ValueEnd(r.src, i)
	if end < len(r.src) && r.src[i] == '"' && !r.visit(r.path, jsoncursor.Unquote(r.src[i:end])) {
		return len(r.src)
	}
	return end
}

// TextOf returns the text of a string field of a fragment; "" if it has no such member.
func TextOf(fragment []byte, field string) (text string) {
	jsoncursor.Children(fragment, 0, func(name []byte, at int) int {
		end := jsoncursor.ValueEnd(fragment, at)
		if end < len(fragment) && fragment[at] == '"' && jsoncursor.Spells(name, field) {
			text = string(jsoncursor.Unquote(fragment[at:end]))
			return len(fragment)
		}
		return end
	})
	return text
}
