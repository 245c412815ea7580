// This file finds the scalars in an item's text, so that items can be split and
// rewritten without other changes.

package corpus

import "contentedge/edgeserve/wire/jsoncursor"

// Kind is the JSON type of a Leaf.
type Kind uint8

// The scalar JSON types. Null is not a leaf.
const (
	String Kind = iota
	Number
	Boolean
)

// Leaf is a scalar of an item. Raw is item[Start:End]; for a string it is the escaped
// text between the quotes.
type Leaf struct {
	Path       string // keys joined by dots; arrays add nothing
	Kind       Kind
	Raw        []byte
	Start, End int
}

// Text is the decoded value.
func (l Leaf) Text() string {
	if l.Kind != String {
		return string(l.Raw)
	}
	return string(jsoncursor.AppendUnquoted(nil, l.Raw))
}

// Leaves calls visit for every leaf of a valid JSON object, in order.
func Leaves(item []byte, visit func(Leaf)) {
	w := walker{item, visit}
	w.value("", 0)
}

type walker struct {
	item  []byte
	visit func(Leaf)
}

// value visits the leaves of the value at an offset, and returns its end.
func (w *walker) value(path string, at int) int {
	if w.item[at] == '{' || w.item[at] == '[' {
		return jsoncursor.Children(w.item, at, func(name []byte, at int) int {
			if name == nil {
				return w.value(path, at)
			}
			return w.value(join(path, string(name[1:len(name)-1])), at)
		})
	}
	end := jsoncursor.ScalarEnd(w.item, at)
	switch w.item[at] {
	case '"':
		w.give(path, String, at+1, end-1)
	case 'n':
	case 't', 'f':
		w.give(path, Boolean, at, end)
	default:
		w.give(path, Number, at, end)
	}
	return end
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func (w *walker) give(path string, kind Kind, from, to int) {
	w.visit(Leaf{Path: path, Kind: kind, Raw: w.item[from:to], Start: from, End: to})
}

// Rewrite copies an item and replaces every leaf's text by the result of change.
func Rewrite(item []byte, change func(Leaf) []byte) []byte {
	out := make([]byte, 0, len(item)+len(item)/8)
	copied := 0
	Leaves(item, func(l Leaf) {
		out = append(out, item[copied:l.Start]...)
		out = append(out, change(l)...)
		copied = l.End
	})
	return append(out, item[copied:]...)
}
