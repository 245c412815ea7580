// Package mapping walks the JSON of items, names the path of each value and derives a path's type
// from the kinds of all its values.
package mapping

import (
	"bytes"

	"contentedge/edgeserve/wire/jsoncursor"
)

// Kind is the JSON type of a leaf.
type Kind uint8

// The kinds of leaves.
const (
	String Kind = iota
	Number
	Boolean
	Kinds // the number of kinds
)

var kindNames = [Kinds]string{"string", "number", "boolean"}

// String names the kind.
func (k Kind) String() string { return kindNames[k] }

// Leaf is a scalar of an item. Text, from Offset on, has a string's escapes but no quotes.
type Leaf struct {
	Path   *Path
	Kind   Kind
	Text   []byte
	Offset int
	Plain  bool // a string without escapes

	Node  *Node // the place among the items of its template; nil if shapes are not counted
	Level int   // how many arrays it is in, there
}

// Path is a node of the tree of keys; leaves of arrays belong to the array's path.
type Path struct {
	Name     string
	ID       int // number among the names with leaves, -1 until a leaf is met
	children map[string]*Path
}

// Paths is the tree of all known keys. It belongs to one goroutine.
type Paths struct {
	root  Path
	ids   map[string]int // by name, of the ones with leaves
	names []string       // by id
	keys  []byte         // scratch for escaped keys
}

// NewPaths returns an empty tree.
func NewPaths() *Paths { return &Paths{root: Path{ID: -1}, ids: map[string]int{}} }

func (ps *Paths) child(p *Path, key []byte) *Path {
	if c := p.children[string(key)]; c != nil {
		return c
	}
	c := &Path{Name: string(key), ID: -1}
	if p != &ps.root {
		c.Name = p.Name + "." + c.Name
	}
	if p.children == nil {
		p.children = map[string]*Path{}
	}
	p.children[string(key)] = c
	return c
}

// id numbers a name; nodes share a number where keys with dots spell the same name.
func (ps *Paths) id(name string) int {
	id, ok := ps.ids[name]
	if !ok {
		id = len(ps.ids)
		ps.ids[name] = id
		ps.names = append(ps.names, name)
	}
	return id
}

// Walk calls visit for every leaf of an item of valid JSON, in order. A known path costs no
// allocation.
func (ps *Paths) Walk(item []byte, visit func(*Leaf)) {
	w := walker{b: item, ps: ps, visit: visit}
	w.value(&ps.root, nil, 0, 0)
}

// WalkMember is Walk for the value of one member of an item, at an offset.
func (ps *Paths) WalkMember(name string, text []byte, at int, visit func(*Leaf)) {
	w := walker{b: text, ps: ps, visit: visit}
	w.value(ps.child(&ps.root, []byte(name)), nil, at, 0)
}

// walkMember is WalkMember for a member of the current item of shapes, which are counted too.
func (t *shapes) walkMember(name string, text []byte, at int, added []Added, visit func(*Leaf)) {
	w := walker{b: text, ps: t.paths, visit: visit, shapes: t, added: added}
	if t.current != nil {
		if n := t.current.child([]byte(name), -1); n != nil {
			w.value(n.path, n, at, 0)
			return
		}
	}
	w.value(t.paths.child(&t.paths.root, []byte(name)), nil, at, 0)
}

type walker struct {
	b      []byte
	ps     *Paths
	leaf   Leaf
	visit  func(*Leaf)
	shapes *shapes // of the nodes; nil if shapes are not counted
	added  []Added // to objects of the text

	fixed   int   // added members: the offset that their leaves have; 0: their own
	strings int   // in the array that ended last
	marks   marks // of the object that ended last
}

// value walks the value of a path at an offset, and returns the value's end. n is the path's node, or nil; level is how
// many arrays the value is in, there.
func (w *walker) value(p *Path, n *Node, at, level int) int {
	switch w.b[at] {
	case '{':
		return w.object(p, n, at, level)
	case '[':
		return w.array(p, n, at, level)
	case '"':
		end := jsoncursor.StringEnd(w.b, at)
		text := w.b[at+1 : end-1]
		w.give(p, n, level, String, text, at+1, bytes.IndexByte(text, '\\') < 0)
		return end
	}
	end := jsoncursor.ScalarEnd(w.b, at)
	switch w.b[at] {
	case 'n':
		w.count(n, level, shapeNull)
	case 't', 'f':
		w.give(p, n, level, Boolean, w.b[at:end], at, true)
	default:
		w.give(p, n, level, Number, w.b[at:end], at, true)
	}
	return end
}

func (w *walker) count(n *Node, level int, k shapeKind) {
	if n != nil {
		w.shapes.count(n, level, k)
	}
}

func (w *walker) array(p *Path, n *Node, at, level int) int {
	w.count(n, level, shapeArray)
	strings := 0
	end := jsoncursor.Children(w.b, at, func(_ []byte, at int) int {
		if w.b[at] == '"' {
			strings++
		}
		return w.value(p, n, at, level+1)
	})
	w.strings = strings
	return end
}

func (w *walker) object(p *Path, n *Node, start, level int) int {
	said, ids, end := w.members(p, n, start)
	if len(w.added) > 0 {
		w.gained(p, n, start)
	}
	if n == nil {
		return end
	}
	kind := said.kind(level)
	w.shapes.count(n, level, kind)
	if kind == shapeReference {
		w.shapes.references = append(w.shapes.references, RefersFrom{n, ids})
	}
	w.marks = said
	return end
}

// gained walks the members that an object gains. Their leaves have the offset of the object.
func (w *walker) gained(p *Path, n *Node, start int) {
	for _, a := range w.added {
		if a.At == start {
			in := walker{b: a.Members, ps: w.ps, visit: w.visit, shapes: w.shapes, fixed: start}
			in.members(p, n, 0)
		}
	}
}

// members walks the members of the object at an offset. It returns what they say about the object, how many ids it
// refers to, and its end.
func (w *walker) members(p *Path, n *Node, start int) (said marks, ids, end int) {
	last := -1
	end = jsoncursor.Children(w.b, start, func(quoted []byte, at int) int {
		key := quoted[1 : len(quoted)-1]
		if bytes.IndexByte(key, '\\') >= 0 {
			w.ps.keys = jsoncursor.AppendUnquoted(w.ps.keys[:0], key)
			key = w.ps.keys
		}
		var path *Path
		var node *Node
		if n != nil {
			node = n.child(key, last)
		}
		if node != nil {
			path, last = node.path, node.at
		} else {
			path = w.ps.child(p, key)
		}
		end := w.value(path, node, at, 0)
		if node != nil && node.role != noRole {
			m := mark(node.role, w.b[at:end], w.marks)
			if said |= m; m == hasIDs {
				ids = w.strings
			}
		}
		return end
	})
	return said, ids, end
}

func (w *walker) give(p *Path, n *Node, level int, kind Kind, text []byte, offset int, plain bool) {
	if p.ID < 0 {
		p.ID = w.ps.id(p.Name)
	}
	if w.fixed > 0 {
		if offset = w.fixed; kind == String {
			offset++ // the offset of a string is after its quote
		}
	}
	w.leaf = Leaf{Path: p, Kind: kind, Text: text, Offset: offset, Plain: plain, Node: n, Level: level}
	w.visit(&w.leaf)
}
