// This file finds the references in fragments: objects in Data that name other items by their ids.

package envelope

import (
	"bytes"
	"encoding/json"

	"contentedge/edgeserve/wire/address"
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
	r := referenceReader{src: fragment, visit: visit}
	r.members(0, func(name []byte, at int) int {
		if !spells(name, address.FieldData) {
			return skipValue(r.src, at)
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
	depth int
}

// value reads the value at i and returns the index after it; -1 ends the reading.
func (r *referenceReader) value(i int) int {
	if i >= len(r.src) || r.src[i] != '{' && r.src[i] != '[' || r.depth >= maxRefDepth {
		return skipValue(r.src, i)
	}
	if r.src[i] == '[' {
		return r.elements(i, r.value)
	}
	var isReference, isContent bool
	ids, mark := -1, len(r.path)
	end := r.members(i, func(name []byte, at int) int {
		r.path = appendName(append(r.path, '.'), name)
		end := r.value(at)
		r.path = r.path[:mark]
		if end < 0 {
			return -1
		}
		switch {
		case spells(name, refType):
			isReference = spells(r.src[at:end], refIs)
		case spells(name, refKind):
			isContent = spells(r.src[at:end], refContent)
		case spells(name, RefIDs) && r.src[at] == '[':
			ids = at
		}
		return end
	})
	if end < 0 || !isReference || !isContent || ids < 0 {
		return end
	}
	if r.elements(ids, r.id) < 0 {
		return -1
	}
	return end
}

// id visits the id at i.
func (r *referenceReader) id(i int) int {
	end := skipValue(r.src, i)
	if end > 0 && r.src[i] == '"' && !r.visit(r.path, appendName(nil, r.src[i:end])) {
		return -1
	}
	return end
}

// members calls read with the quoted name and the place of each member of the object at i.
func (r *referenceReader) members(i int, read func(name []byte, at int) int) int {
	return r.children(i, '}', func(i int) int {
		if i >= len(r.src) || r.src[i] != '"' {
			return -1
		}
		end := skipString(r.src, i)
		if end < 0 || end >= len(r.src) || r.src[end] != ':' {
			return -1
		}
		return read(r.src[i:end], end+1)
	})
}

func (r *referenceReader) elements(i int, read func(at int) int) int {
	return r.children(i, ']', read)
}

// children calls read with the place of each part of the object or array at i.
func (r *referenceReader) children(i int, end byte, read func(at int) int) int {
	r.depth++
	defer func() { r.depth-- }()
	if i++; i < len(r.src) && r.src[i] == end {
		return i + 1
	}
	for i < len(r.src) {
		if i = read(i); i < 0 || i >= len(r.src) {
			return -1
		}
		if r.src[i] == end {
			return i + 1
		}
		if r.src[i] != ',' {
			return -1
		}
		i++
	}
	return -1
}

// spells reports whether the JSON of a string represents a text.
func spells(quoted []byte, text string) bool {
	if len(quoted) < len(text)+2 || quoted[0] != '"' {
		return false
	}
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1:len(quoted)-1]) == text
	}
	var s string
	return json.Unmarshal(quoted, &s) == nil && s == text
}

// TextOf returns the text of a scalar field of a fragment; "" if it has no such member.
func TextOf(fragment []byte, field string) (text string) {
	r := referenceReader{src: fragment}
	r.members(0, func(name []byte, at int) int {
		end := skipValue(r.src, at)
		if end > 0 && r.src[at] == '"' && spells(name, field) {
			text = string(appendName(nil, r.src[at:end]))
			return -1
		}
		return end
	})
	return text
}
