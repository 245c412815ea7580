// This file rewrites items for an index, with the values of sub-fields below their own names.

package index

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/wire/release"
)

// writer changes items.
type writer struct {
	both []string // paths that are values here and objects there
	subs []release.Field
}

func newWriter(fields []release.Field) writer {
	w := writer{both: Both(fields)}
	for _, f := range fields {
		if len(Subs(f)) > 0 {
			w.subs = append(w.subs, f)
		}
	}
	return w
}

// item returns an item as it is sent: with its values once more for the sub-fields that patterns do
// not reach.
func (w writer) item(item []byte) ([]byte, error) {
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
	w.move("", members)
	if len(picked) > 0 {
		members[strings.TrimSuffix(hidden, ".")] = picked
	}
	return json.Marshal(members)
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
func (w writer) move(prefix string, members object) {
	for key, value := range members {
		path := prefix + key
		if slices.Contains(w.both, path) {
			values, objects := split(value)
			members[key] = objects
			if values != nil {
				members[Aside(key)] = values
			}
		}
		each(value, func(inner object) { w.move(path+".", inner) })
	}
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
