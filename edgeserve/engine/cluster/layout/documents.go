// This file makes documents of items, and items of documents.

package layout

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/wire/release"
)

// original is the member with the bytes of an item that does not fit. The index does not look at it.
const original = "_item"

// Parts of the member that documents have beside their items.
const (
	begins = `"` + appended + `":{"rank` + mark + `":`
	sized  = `,"item` + mark + `":`
	kept   = `,"` + original + `":`
)

// Documents makes documents of the items of an environment. It is safe for concurrent use.
type Documents struct {
	both []string // paths that are values in one item and objects in another
	subs []release.Field
}

// NewDocuments returns the Documents of an environment with these fields.
func NewDocuments(fields []release.Field) *Documents {
	w := &Documents{both: Both(fields)}
	for _, f := range fields {
		if len(Subs(f)) > 0 {
			w.subs = append(w.subs, f)
		}
	}
	return w
}

// Append appends the document of an item: one line of JSON without its end. Rank is the item's place in default
// order. An error says why the item is none.
func (w *Documents) Append(dst, item []byte, rank int) ([]byte, error) {
	if n := len(item); n < 2 || item[0] != '{' || item[n-1] != '}' {
		return nil, errors.New("the item is no JSON object without space around it")
	}
	var members object
	dec := json.NewDecoder(bytes.NewReader(item))
	dec.UseNumber()
	if err := dec.Decode(&members); err != nil {
		return nil, err
	}
	picked := object{}
	for _, f := range w.subs {
		values := pick(members, strings.Split(f.Path, "."), nil)
		for _, s := range Subs(f) {
			kept := values
			if s == "boolean" { // it refuses an item whose value is none
				kept = slices.DeleteFunc(slices.Clone(values), func(v any) bool { return !isBoolean(v) })
			}
			if len(kept) > 0 {
				picked[strings.TrimPrefix(Hidden(f.Path, s), hidden)] = kept
			}
		}
	}
	if w.move("", members) {
		changed, err := json.Marshal(members)
		if err != nil {
			return nil, err
		}
		dst = append(dst, changed[:len(changed)-1]...)
		dst = append(dst, kept...)
		dst = append(dst, item...)
		dst = append(append(dst, ','), begins...)
		dst = strconv.AppendInt(dst, int64(rank), 10)
		dst = append(dst, sized...)
		dst = strconv.AppendInt(dst, int64(len(item)), 10)
	} else {
		dst = append(dst, item[:len(item)-1]...)
		if len(members) > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, begins...)
		dst = strconv.AppendInt(dst, int64(rank), 10)
	}
	if len(picked) > 0 {
		values, err := json.Marshal(picked)
		if err != nil {
			return nil, err
		}
		dst = append(append(dst, ','), values[1:len(values)-1]...)
	}
	return append(dst, "}}"...), nil
}

// ErrNoDocument is the error of a source that Append did not make.
var ErrNoDocument = errors.New("the source is no document of an item")

// Item appends the item of a document, byte for byte, and returns its rank. A source is what an index returns of a
// document that Append made, as a whole.
func Item(dst, source []byte) (item []byte, rank int, err error) {
	at := bytes.LastIndex(source, []byte(begins))
	if at < 1 || source[0] != '{' {
		return nil, 0, ErrNoDocument
	}
	rank, rest, ok := digits(source[at+len(begins):])
	if !ok {
		return nil, 0, ErrNoDocument
	}
	if rest, ok = bytes.CutPrefix(rest, []byte(sized)); ok {
		n, _, ok := digits(rest)
		if from := at - 1 - n; ok && from > 0 && bytes.HasSuffix(source[:from], []byte(kept)) {
			return append(dst, source[from:at-1]...), rank, nil
		}
		return nil, 0, ErrNoDocument
	}
	if at > 1 {
		at-- // the comma
	}
	return append(append(dst, source[:at]...), '}'), rank, nil
}

// digits reads a number from the start of a text.
func digits(text []byte) (n int, rest []byte, ok bool) {
	end := 0
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(string(text[:end]))
	return n, text[end:], err == nil
}

func isBoolean(v any) bool {
	if text, ok := v.(string); ok {
		_, ok = analysis.ReadBool(text)
		return ok
	}
	_, ok := v.(bool)
	return ok
}

// pick appends the values of a path.
func pick(v any, path []string, found []any) []any {
	switch v := v.(type) {
	case nil:
	case []any:
		for _, e := range v {
			found = pick(e, path, found)
		}
	case object:
		if len(path) > 0 {
			found = pick(v[path[0]], path[1:], found)
		}
	default:
		if len(path) == 0 {
			found = append(found, v)
		}
	}
	return found
}

// move puts values aside whose path is an object elsewhere. The objects stay.
// It reports whether there were some.
func (w *Documents) move(prefix string, members object) (moved bool) {
	for key, value := range members {
		path := prefix + key
		if slices.Contains(w.both, path) {
			if values, objects := split(value); values != nil {
				members[key], members[Aside(key)] = objects, values
				moved = true
			}
		}
		each(value, func(inner object) { moved = w.move(path+".", inner) || moved })
	}
	return moved
}

// split returns what a value has of values, and what of objects.
func split(value any) (values, objects any) {
	switch v := value.(type) {
	case object:
		return nil, v
	case []any:
		var vs, os []any
		for _, e := range v {
			ev, eo := split(e)
			if ev != nil {
				vs = append(vs, ev)
			}
			if eo != nil {
				os = append(os, eo)
			}
		}
		if vs != nil {
			values = vs
		}
		if os != nil {
			objects = os
		}
		return values, objects
	}
	return value, nil
}

// each visits the objects of a value.
func each(value any, visit func(object)) {
	switch v := value.(type) {
	case object:
		visit(v)
	case []any:
		for _, e := range v {
			each(e, visit)
		}
	}
}
