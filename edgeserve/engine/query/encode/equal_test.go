// This file compares trees by reflection.

package encode

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/script"
)

// comparison compares the trees of two bodies.
type comparison struct {
	names, otherNames map[query.Node]string
}

// difference returns the path at which two bodies differ with both values, or "".
func difference(a, b *query.Body) string {
	c := comparison{a.Names, b.Names}
	if len(a.Names) != len(b.Names) {
		return fmt.Sprintf("Names: %d, %d", len(a.Names), len(b.Names))
	}
	return c.values("", reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem())
}

// notWritten are the fields that Body does not write, with the reason.
var notWritten = map[string]string{
	"Body.HasOtherMembers":   "it refuses bodies of a count, before a search",
	"HitOptions.AsHits":      "it decides the envelope of our own response",
	"Totals.AsInt":           "a URL parameter sets it, for our own response",
	"Body.Names":             "their nodes are compared instead: each has another address",
	"Body.Profile":           "the edge profiles its own work",
	"Agg.Typed":              "a URL parameter sets it, for our own response",
	"QueryString.Expr":       "Text says it",
	"QueryString.Err":        "Text says it; its place depends on the body",
	"SimpleQueryString.Expr": "Text says it",
}

func (c *comparison) values(path string, a, b reflect.Value) string {
	if n, ok := nodeOf(a); ok {
		other, _ := nodeOf(b)
		if x, y := c.names[n], c.otherNames[other]; x != y {
			return fmt.Sprintf("%s: _name %q, %q", path, x, y)
		}
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return unless(a.IsNil() == b.IsNil(), path, a, b)
		}
		if a.Elem().Type() != b.Elem().Type() {
			return fmt.Sprintf("%s: %s, %s", path, a.Elem().Type(), b.Elem().Type())
		}
		return c.values(path, a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Len() != b.Len() || a.IsNil() != b.IsNil() && a.Type() != reflect.TypeFor[[]query.Agg]() {
			return unless(false, path, a, b)
		}
		a, b = ordered(a), ordered(b)
		for i := range a.Len() {
			if d := c.values(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i)); d != "" {
				return d
			}
		}
		return ""
	case reflect.Struct:
		return c.structs(path, a, b)
	case reflect.Map, reflect.Func, reflect.Chan:
		return path + ": " + a.Type().String() + " cannot be compared"
	}
	return unless(a.Equal(b), path, a, b)
}

func (c *comparison) structs(path string, a, b reflect.Value) string {
	switch a.Type() {
	case reflect.TypeFor[script.Script](): // its names are numbered in the order of the paths
		return sameJSON(path, a.FieldByName("JSON").String(), b.FieldByName("JSON").String())
	case reflect.TypeFor[query.Error]():
		return c.values(path, a.FieldByName("Code"), b.FieldByName("Code"))
	}
	for i := range a.NumField() {
		name := a.Type().Field(i).Name
		below := path + "." + name
		var d string
		switch key := a.Type().Name() + "." + name; {
		case key == "Agg.Meta":
			d = sameJSON(below, a.Field(i).String(), b.Field(i).String())
		case notWritten[key] == "" || strings.HasSuffix(key, "Expr") || strings.HasSuffix(key, "Err"):
			d = c.values(below, a.Field(i), b.Field(i))
		}
		if d != "" {
			return d
		}
	}
	return ""
}

// ordered returns a list whose elements are members of an object in a body in the order of their names.
func ordered(list reflect.Value) reflect.Value {
	if !list.CanInterface() {
		return list
	}
	var sorted any
	switch l := list.Interface().(type) {
	case []query.Agg:
		sorted = slices.SortedStableFunc(slices.Values(l), func(a, b query.Agg) int { return cmp.Compare(a.Name, b.Name) })
	case []query.NamedFilter:
		sorted = slices.SortedStableFunc(slices.Values(l), func(a, b query.NamedFilter) int { return cmp.Compare(a.Name, b.Name) })
	case []query.Suggestion:
		sorted = slices.SortedStableFunc(slices.Values(l), func(a, b query.Suggestion) int { return cmp.Compare(a.Name, b.Name) })
	case []query.NamedPath:
		sorted = slices.SortedStableFunc(slices.Values(l), func(a, b query.NamedPath) int { return cmp.Compare(a.Name, b.Name) })
	case query.Highlight:
		sorted = slices.SortedStableFunc(slices.Values(l), func(a, b query.HighlightField) int { return cmp.Compare(a.Name, b.Name) })
	case []query.TextLeaf:
		sorted = slices.SortedStableFunc(slices.Values(l), func(a, b query.TextLeaf) int { return cmp.Compare(a.Path, b.Path) })
	default:
		return list
	}
	return reflect.ValueOf(sorted)
}

func nodeOf(v reflect.Value) (query.Node, bool) {
	if v.Kind() != reflect.Pointer || v.IsNil() || !v.CanInterface() {
		return nil, false
	}
	n, ok := v.Interface().(query.Node)
	return n, ok
}

func unless(equal bool, path string, a, b reflect.Value) string {
	if equal {
		return ""
	}
	return fmt.Sprintf("%s: %#v, %#v", path, a, b)
}

// sameJSON compares two texts, whose members may have any order.
func sameJSON(path, a, b string) string {
	if a == b || reflect.DeepEqual(decoded(a), decoded(b)) {
		return ""
	}
	return fmt.Sprintf("%s: %s, %s", path, a, b)
}

func decoded(text string) (v any) {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return err.Error() + text
	}
	return v
}
