// Package mapping walks the JSON of items, names the path of each value and derives a path's type
// from the kinds of all its values.
package mapping

import (
	"contentedge/edgeserve/engine/snapshot"
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
	ids   map[string]int // by name, of those with leaves
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
	w.value(&ps.root)
}

// WalkMember is Walk for the value of one member of an item, at an offset.
func (ps *Paths) WalkMember(name string, text []byte, at int, visit func(*Leaf)) {
	w := walker{b: text, i: at, ps: ps, visit: visit}
	w.value(ps.child(&ps.root, []byte(name)))
}

type walker struct {
	b     []byte
	i     int
	ps    *Paths
	leaf  Leaf
	visit func(*Leaf)
}

func (w *walker) space() {
	for w.b[w.i] <= ' ' {
		w.i++
	}
}

func (w *walker) value(p *Path) {
	switch c := w.b[w.i]; c {
	case '{':
		w.object(p)
	case '[':
		w.array(p)
	case '"':
		text, plain := w.str()
		w.give(p, String, text, plain)
	case 'n':
		w.i += len("null")
	case 't', 'f':
		w.give(p, Boolean, w.scalar(), true)
	default:
		w.give(p, Number, w.scalar(), true)
	}
}

func (w *walker) array(p *Path) {
	w.i++
	for w.space(); w.b[w.i] != ']'; w.space() {
		w.value(p)
		if w.space(); w.b[w.i] == ',' {
			w.i++
		}
	}
	w.i++
}

func (w *walker) object(p *Path) {
	w.i++
	for w.space(); w.b[w.i] != '}'; w.space() {
		key, plain := w.str()
		if !plain {
			w.ps.keys = snapshot.AppendUnquoted(w.ps.keys[:0], key)
			key = w.ps.keys
		}
		c := w.ps.child(p, key)
		w.space()
		w.i++ // the colon
		w.space()
		w.value(c)
		if w.space(); w.b[w.i] == ',' {
			w.i++
		}
	}
	w.i++
}

func (w *walker) str() (text []byte, plain bool) {
	start := w.i + 1
	i, plain := start, true
	for b := w.b; b[i] != '"'; i++ {
		if b[i] == '\\' {
			plain = false
			i++
		}
	}
	w.i = i + 1
	return w.b[start:i], plain
}

func (w *walker) scalar() []byte {
	start := w.i
	for w.i < len(w.b) && w.b[w.i] > ' ' && w.b[w.i] != ',' && w.b[w.i] != '}' && w.b[w.i] != ']' {
		w.i++
	}
	return w.b[start:w.i]
}

func (w *walker) give(p *Path, kind Kind, text []byte, plain bool) {
	if p.ID < 0 {
		p.ID = w.ps.id(p.Name)
	}
	offset := w.i - len(text)
	if kind == String {
		offset--
	}
	w.leaf = Leaf{Path: p, Kind: kind, Text: text, Offset: offset, Plain: plain}
	w.visit(&w.leaf)
}
