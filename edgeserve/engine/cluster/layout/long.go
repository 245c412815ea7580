// This file says which paths have texts that no keyword of an index holds, and what the index has instead.

package layout

import (
	"encoding/json"
	"reflect"
	"slices"

	"contentedge/edgeserve/wire/jsoncursor"
)

// AnyPath in a list of Meta stands for all paths of text, where the names of the paths with long texts are too long.
const AnyPath = "*"

// maxLong bounds each list of paths of Meta, in bytes of JSON: both are a half of MaxState.
const maxLong = MaxState / 4

// LongPaths returns the Long or Ties of a Meta for these paths.
func LongPaths(paths []string) []string {
	if text, _ := json.Marshal(paths); len(text) > maxLong { // no strings fail
		return []string{AnyPath}
	}
	return slices.Sorted(slices.Values(paths))
}

// Equal reports whether two indices have the same.
func (m *Meta) Equal(o *Meta) bool { return reflect.DeepEqual(m, o) }

// Long reports whether the keyword of a path may lack values, because they are longer than MaxKeyword.
func (n *Names) Long(path string) bool {
	if len(n.long) == 0 {
		return false
	}
	f, ok := n.fields[path]
	return n.long[path] || n.long[AnyPath] && ok && slices.Contains(f.SubFields, "keyword")
}

// HasLong reports whether some path is Long.
func (n *Names) HasLong() bool { return len(n.long) > 0 }

// StartOf returns the first MaxStart characters of a text. cut reports whether it may have more: a text of MaxStart
// characters ties with longer texts that begin with it.
func StartOf(text string) (start string, cut bool) {
	if len(text) < MaxStart {
		return text, false
	}
	n := 0
	for at := range text {
		if n == MaxStart {
			return text[:at], true
		}
		n++
	}
	return text, n == MaxStart
}

// appendStart appends the JSON of a value's beginning.
func appendStart(dst, value []byte) []byte {
	if value[0] != '"' || len(value) <= MaxStart {
		return append(dst, value...)
	}
	start, cut := StartOf(string(jsoncursor.Unquote(value)))
	if !cut {
		return append(dst, value...)
	}
	text, _ := json.Marshal(start) // no string fails
	return append(dst, text...)
}
