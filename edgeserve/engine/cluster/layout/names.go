// This file names the fields of an index.

package layout

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
)

// The sub-fields that a release does not have.
const (
	// Words analyzes the text of a number, date or boolean.
	Words = "words"
	// Own has the numbers, dates or booleans of the path itself, each once. Sorts and aggregations read them.
	Own = "own"
	// Order is text in the order of REST lists, where a path holds texts and also numbers or booleans.
	Order = "order"
	// Start has the first MaxStart characters of each text, where a path has texts that are longer than keywords. Sorts
	// read it.
	Start = "start"
)

// A pattern such as * reaches every field of an index, but of a release only the paths and the keywords of text.
// So the other sub-fields have names that such a pattern does not match, or that an engine takes for its own: it
// leaves names that begin with _ out of *.
const (
	appended = "_sub"
	hidden   = appended + "."
	mark     = "·"
)

// Rank is the field with an item's place in default order, from 0: the number of its document in a snapshot. Ties
// of hits go by it, and it is what _seq_no and _doc mean in a release.
const Rank = hidden + "rank" + mark

// None is a field of texts that no item has. Aggregations and sorts of a name that all items share read it, with the
// name as the value that is missing.
const None = hidden + "none" + mark

// Names are the names of an environment's fields in its index. They are safe for concurrent use.
type Names struct {
	fields map[string]release.Field // by path
	to     map[string]string        // the name in the index of each path and sub-field
	from   map[string]string        // the reverse
	sub    map[[2]string]string     // the name in the index of a path's sub-field
	aside  map[string]string        // of paths that are values in one item and objects in another: what their names end in
	long   map[string]bool          // paths with values that are longer than keywords, or AnyPath
}

// NewNames names the fields of an environment. Long are the paths of Meta.
func NewNames(fields []release.Field, long ...string) *Names {
	fields = slices.SortedFunc(slices.Values(fields), func(a, b release.Field) int { return strings.Compare(a.Path, b.Path) })
	n := &Names{map[string]release.Field{}, map[string]string{}, map[string]string{}, map[[2]string]string{}, map[string]string{}, map[string]bool{}}
	for _, path := range long {
		n.long[path] = true
	}
	taken := map[string]bool{} // by paths, and by objects above them
	for _, f := range fields {
		n.fields[f.Path] = f
		for path := f.Path; path != "" && !taken[legal(path)]; path = above(path) {
			taken[legal(path)] = true
		}
	}
	for _, f := range fields {
		name := legal(f.Path)
		if objectToo(fields, f.Path) {
			more := mark
			for taken[name+more] {
				more += mark
			}
			n.aside[f.Path] = more
			name += more
		}
		n.to[f.Path], n.from[name] = name, f.Path
	}
	for _, f := range fields {
		if f.Type == "text" && slices.Contains(f.SubFields, "keyword") {
			n.addSub(f.Path, "keyword", n.to[f.Path]+".keyword")
		}
		for _, s := range n.subs(f) {
			n.addSub(f.Path, s, Hidden(legal(f.Path), s))
		}
	}
	return n
}

// addSub names a sub-field. A path wins over a sub-field of its name. No body can name a sub-field that a release
// lacks.
func (n *Names) addSub(path, sub, name string) {
	field := path + "." + sub
	n.sub[[2]string{path, sub}] = name
	if sub == Words || sub == Order || sub == Own || sub == Start {
		n.from[name] = path
		return
	}
	if _, ok := n.fields[field]; !ok {
		n.to[field] = name
	}
	n.from[name] = field
}

// objectToo reports whether some item has an object at a path.
func objectToo(fields []release.Field, path string) bool {
	i, _ := slices.BinarySearchFunc(fields, path+".", func(f release.Field, below string) int { return strings.Compare(f.Path, below) })
	return i < len(fields) && strings.HasPrefix(fields[i].Path, path+".")
}

// above returns the path of the object that holds a path.
func above(path string) string { return path[:max(strings.LastIndexByte(path, '.'), 0)] }

// legal is a path as an index takes it, which refuses blank parts: they begin with a mark. So does a part of marks,
// so that it is not taken for a blank one.
func legal(path string) string {
	parts := strings.Split(path, ".")
	if !slices.ContainsFunc(parts, blank) {
		return path
	}
	for i, part := range parts {
		parts[i] = legalPart(part)
	}
	return strings.Join(parts, ".")
}

func legalPart(part string) string {
	if blank(part) {
		return mark + part
	}
	return part
}

func blank(part string) bool { return strings.TrimSpace(strings.TrimLeft(part, mark)) == "" }

// Field returns the field of a path.
func (n *Names) Field(path string) (release.Field, bool) {
	f, ok := n.fields[path]
	return f, ok
}

// Fields are the fields by path, in no order.
func (n *Names) Fields() iter.Seq2[string, release.Field] { return maps.All(n.fields) }

// ToIndex returns the name in the index of a path or sub-field. Other names stay.
func (n *Names) ToIndex(field string) string {
	if name, ok := n.to[field]; ok {
		return name
	}
	return field
}

// Sub returns the name in the index of a path's sub-field.
func (n *Names) Sub(path, sub string) (name string, ok bool) {
	name, ok = n.sub[[2]string{path, sub}]
	return name, ok
}

// ToRelease returns the name in the release of a field of the index.
func (n *Names) ToRelease(name string) (field string, ok bool) {
	field, ok = n.from[name]
	return field, ok
}

// Aside reports whether a path is a value in one item and an object in another, so that values have another name.
func (n *Names) Aside(path string) bool { return n.aside[path] != "" }

// Hidden is the name of a sub-field that patterns do not reach. The path may be a pattern.
func Hidden(path, sub string) string { return hidden + path + "." + sub + mark }

// IsHidden reports whether a field, or a member of a document, is not in a release.
func IsHidden(name string) bool { return strings.HasPrefix(name+".", hidden) || name == original }

// subs returns the names of a path's sub-fields that patterns do not reach.
func (n *Names) subs(f release.Field) (names []string) {
	for _, s := range f.SubFields {
		if s != "keyword" || f.Type != "text" {
			names = append(names, s)
		}
	}
	if f.Type == "text" && n.Long(f.Path) {
		names = append(names, Start)
	}
	switch {
	case f.Type != "text":
		names = append(names, Words)
		if !address.IsScalar(f.Path) { // such members have one value
			names = append(names, Own)
		}
	case slices.ContainsFunc(f.SubFields, func(s string) bool { return s == "long" || s == "double" || s == "boolean" }):
		names = append(names, Order)
	}
	return names
}
