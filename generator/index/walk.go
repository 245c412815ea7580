// This file walks the JSON of a fragment. The text is known to be valid, so the walk
// only has to find where values lie; it allocates nothing for a path it has met.

package index

import (
	"contentedge/edgeserve/snapshot"
)

// leafKind is the JSON type of a leaf.
type leafKind uint8

const (
	leafString leafKind = iota
	leafNumber
	leafBool
)

// leaf is a scalar of an item. For a string, text is what stands between the quotes,
// escapes and all, and offset is where that begins in the fragment.
type leaf struct {
	path   *path
	kind   leafKind
	text   []byte
	offset int
	plain  bool // a string without escapes
}

// path is a node of the tree of keys; leaves of arrays belong to the array's path.
type path struct {
	name     string
	id       int // number among the names with leaves, -1 until a leaf is met
	children map[string]*path
}

// paths is the tree of all keys met so far.
type paths struct {
	root path
	ids  map[string]int // by name, of those with leaves
	keys []byte         // scratch for escaped keys
}

func newPaths() *paths { return &paths{root: path{id: -1}, ids: map[string]int{}} }

func (ps *paths) child(p *path, key []byte) *path {
	if c := p.children[string(key)]; c != nil {
		return c
	}
	c := &path{name: string(key), id: -1}
	if p != &ps.root {
		c.name = p.name + "." + c.name
	}
	if p.children == nil {
		p.children = map[string]*path{}
	}
	p.children[string(key)] = c
	return c
}

// id numbers a name; nodes share a number where keys with dots spell the same name.
func (ps *paths) id(name string) int {
	id, ok := ps.ids[name]
	if !ok {
		id = len(ps.ids)
		ps.ids[name] = id
	}
	return id
}

// walk calls visit for every leaf of a fragment, in order.
func (ps *paths) walk(fragment []byte, visit func(*leaf)) {
	w := walker{b: fragment, ps: ps, visit: visit}
	w.value(&ps.root)
}

type walker struct {
	b     []byte
	i     int
	ps    *paths
	leaf  leaf
	visit func(*leaf)
}

func (w *walker) value(p *path) {
	switch c := w.b[w.i]; c {
	case '{':
		w.object(p)
	case '[':
		w.i++
		for w.b[w.i] != ']' {
			w.value(p)
			if w.b[w.i] == ',' {
				w.i++
			}
		}
		w.i++
	case '"':
		text, plain := w.str()
		w.give(p, leafString, text, plain)
	case 'n':
		w.i += len("null")
	case 't', 'f':
		w.give(p, leafBool, w.scalar(), true)
	default:
		w.give(p, leafNumber, w.scalar(), true)
	}
}

func (w *walker) object(p *path) {
	w.i++
	for w.b[w.i] != '}' {
		key, plain := w.str()
		if !plain {
			w.ps.keys = snapshot.AppendUnquoted(w.ps.keys[:0], key)
			key = w.ps.keys
		}
		c := w.ps.child(p, key)
		w.i++ // the colon
		w.value(c)
		if w.b[w.i] == ',' {
			w.i++
		}
	}
	w.i++
}

// str passes a string and returns what stands between its quotes.
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

// scalar passes a number or a boolean.
func (w *walker) scalar() []byte {
	start := w.i
	for w.i < len(w.b) && w.b[w.i] != ',' && w.b[w.i] != '}' && w.b[w.i] != ']' {
		w.i++
	}
	return w.b[start:w.i]
}

func (w *walker) give(p *path, kind leafKind, text []byte, plain bool) {
	if p.id < 0 {
		p.id = w.ps.id(p.name)
	}
	offset := w.i - len(text)
	if kind == leafString {
		offset--
	}
	w.leaf = leaf{path: p, kind: kind, text: text, offset: offset, plain: plain}
	w.visit(&w.leaf)
}
