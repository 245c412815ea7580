// This file counts what the values of items are, for each template and place. Searches need the paths of walk.go,
// which know neither templates nor arrays.

package mapping

import (
	"bytes"
	"slices"

	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/plaintext"
)

// shapeKind is the kind of a value. A survey decides for all values together whether strings are dates and numbers are
// integers.
type shapeKind uint8

const (
	shapeString shapeKind = iota
	shapeNumber
	shapeBoolean
	shapeNull
	shapeArray
	shapeObject
	shapeReference
	shapeMedia
	shapeDocument
	shapeBlock
	shapeKinds
)

// counts has the number of values of each kind.
type counts [shapeKinds]uint32

// kindsOfLeaves are the kinds of leaves as shapes count them.
var kindsOfLeaves = [Kinds]shapeKind{String: shapeString, Number: shapeNumber, Boolean: shapeBoolean}

// Node is a place in the items of a template: the keys that lead there, without the arrays on the way.
type Node struct {
	key    string
	path   *Path
	parent *Node
	owner  *shapes
	id     int // among the nodes of the owner
	at     int // among the children of the parent

	children []*Node          // in the order they were met, which most items of a template share
	byKey    map[string]*Node // nil while there are few
	role     role

	tally
}

// tally has the counts of the values at a node.
type tally struct {
	direct counts
	inside []counts // of arrays: the values in them, in arrays in these, and so on
	traits traits
}

// traits say what some values at a node are.
type traits uint8

const (
	someWords     traits = 1 << iota // a string that is not a date
	somePlain                        // a string that is no HTML
	someFraction                     // a number with a fraction, or of more than 64 bits
	touchedInItem                    // the node has values in the item that is recorded
)

// MaxNodes bounds the nodes of an environment, and so the memory for them: 64 MB a worker. The templates of an
// environment with more nodes are unreadable.
const MaxNodes = 1 << 18

// shapes owns the nodes of templates.
type shapes struct {
	paths *Paths
	roots map[string]*Node // by template
	nodes []*Node          // by id
	full  bool             // there would be more than MaxNodes
	bound int              // 0 means unlimited

	records bool    // values are of one item, until it is recorded
	touched []*Node // of that item

	current    *Node // the root of the current item; nil if its template would be too many
	references []RefersFrom
}

// Added are members that an object of an item gains: from its offset in the text on, as JSON of an object.
type Added struct {
	At      int
	Members []byte
}

// RefersFrom is a place that refers to a number of ids.
type RefersFrom struct {
	Node *Node
	IDs  int
}

func newShapes(paths *Paths, bound int, records bool) *shapes {
	return &shapes{paths: paths, roots: map[string]*Node{}, bound: bound, records: records}
}

// begin begins an item.
func (t *shapes) begin(template string) {
	t.references = t.references[:0]
	if t.current = t.rootOf(template); t.current != nil {
		t.count(t.current, 0, shapeObject)
	}
}

func (t *shapes) rootOf(template string) *Node {
	root := t.roots[template]
	if root == nil {
		if root = t.node(nil, template); root != nil {
			root.path = &t.paths.root
			t.roots[template] = root
		}
	}
	return root
}

func (t *shapes) node(parent *Node, key string) *Node {
	if t.bound > 0 && len(t.nodes) >= t.bound {
		t.full = true
		return nil
	}
	n := &Node{key: key, parent: parent, owner: t, id: len(t.nodes)}
	t.nodes = append(t.nodes, n)
	return n
}

func (t *shapes) count(n *Node, level int, k shapeKind) {
	if t.records && n.traits&touchedInItem == 0 {
		n.traits |= touchedInItem
		t.touched = append(t.touched, n)
	}
	n.tally.at(level)[k]++
}

// at returns the counts of a level: 0 is the place itself, 1 is in arrays there. The last has all deeper ones.
func (t *tally) at(level int) *counts {
	if level == 0 {
		return &t.direct
	}
	level = min(level, release.MaxNesting)
	for len(t.inside) < level {
		t.inside = append(t.inside, counts{})
	}
	return &t.inside[level-1]
}

const (
	fewChildren = 8 // are found without a map
	likely      = 4 // children after the last one are looked at first: items lack some
)

// child finds the member of a key. after is the number of the member before it, -1 at first: one of the next is
// likely the one. It returns nil if there would be too many nodes.
func (n *Node) child(key []byte, after int) *Node {
	for _, c := range n.children[after+1 : min(after+1+likely, len(n.children))] {
		if c.key == string(key) {
			return c
		}
	}
	if n.byKey != nil {
		if c := n.byKey[string(key)]; c != nil {
			return c
		}
	} else if i := slices.IndexFunc(n.children, func(c *Node) bool { return c.key == string(key) }); i >= 0 {
		return n.children[i]
	}
	return n.add(string(key))
}

func (n *Node) add(key string) *Node {
	c := n.owner.node(n, key)
	if c == nil {
		return nil
	}
	c.path, c.role, c.at = n.owner.paths.child(n.path, []byte(key)), roles[key], len(n.children)
	n.children = append(n.children, c)
	switch {
	case n.byKey != nil:
		n.byKey[key] = c
	case len(n.children) > fewChildren:
		n.byKey = make(map[string]*Node, 2*len(n.children))
		for _, c := range n.children {
			n.byKey[c.key] = c
		}
	}
	return c
}

// undecided reports whether shapes need to know if a leaf is plainer than others.
func (l *Leaf) undecided() bool {
	if l.Node == nil || l.Kind == Boolean {
		return false
	}
	return l.Node.traits&[Kinds]traits{String: someWords, Number: someFraction}[l.Kind] == 0
}

// leaf counts a leaf. plainer says what the function of that name says, if it is undecided.
func (t *shapes) leaf(l *Leaf, plainer, beyondLong bool) {
	n := l.Node
	if n == nil {
		return
	}
	t.count(n, l.Level, kindsOfLeaves[l.Kind])
	switch l.Kind {
	case String:
		if plainer {
			n.traits |= someWords
		}
		if n.traits&somePlain == 0 && !isHTML(l) {
			n.traits |= somePlain
		}
	case Number:
		if plainer || beyondLong {
			n.traits |= someFraction
		}
	}
}

// isHTML reports whether a string is HTML. It looks at the first and the last bytes, as texts are long.
func isHTML(l *Leaf) bool {
	const head, tail = 64, 16
	text := l.Text
	if len(text) == 0 || text[0] != '<' && text[0] != '\\' && text[0] != ' ' {
		return false
	}
	switch {
	case !l.Plain:
		text = jsoncursor.AppendUnquoted(nil, text)
	case len(text) > head+tail:
		text = slices.Concat(text[:head], text[len(text)-tail:])
	}
	return plaintext.IsHTML(string(text))
}

// role is a hint that the key of a member may give about its object.
type role uint8

const (
	noRole role = iota
	roleReference
	roleReferenceType
	roleIDs
	roleNodeType
	roleContent
	roleRoot
	roleVersion
	roleSections
	roleBlockType
	roleType
	roleChildren
)

var roles = map[string]role{
	"Type": roleReference, "ReferenceType": roleReferenceType, "ContentIDs": roleIDs, "nodeType": roleNodeType, "content": roleContent,
	"root": roleRoot, "version": roleVersion, "sections": roleSections, "_type": roleBlockType, "type": roleType, "children": roleChildren,
}

// marks are the hints that the members of an object have given.
type marks uint16

const (
	isReference marks = 1 << iota
	toContent
	toMedia
	hasIDs
	isDocument
	hasContent
	isRoot
	hasRoot
	isMobiledoc
	hasSections
	isPortable
	isStrapi
	hasChildren
)

// mark returns the hint of a member with a role: from its value's text, or from inner, the marks of its value's
// members.
func mark(r role, value []byte, inner marks) marks {
	array, is := value[0] == '[', func(text string) bool { return string(value) == text }
	said := func(m marks, yes bool) marks {
		if yes {
			return m
		}
		return 0
	}
	switch r {
	case roleReference:
		return said(isReference, is(`"Reference"`))
	case roleReferenceType:
		return said(toContent, is(`"Content"`)) | said(toMedia, is(`"Media"`))
	case roleIDs:
		return said(hasIDs, array)
	case roleNodeType:
		return said(isDocument, is(`"document"`))
	case roleContent:
		return said(hasContent, array)
	case roleRoot:
		return said(hasRoot, value[0] == '{' && inner.all(isRoot|hasChildren))
	case roleVersion:
		return said(isMobiledoc, bytes.HasPrefix(value, []byte(`"0.3`)))
	case roleSections:
		return said(hasSections, array)
	case roleBlockType:
		return said(isPortable, is(`"block"`))
	case roleType:
		return said(isRoot, is(`"root"`)) | said(isStrapi, len(value) > 2 && plaintext.IsBlockType(string(value[1:len(value)-1])))
	case roleChildren:
		return said(hasChildren, array)
	}
	return 0
}

func (m marks) all(of marks) bool { return m&of == of }

// kind returns the kind of an object.
func (m marks) kind(level int) shapeKind {
	switch {
	case m == 0:
		return shapeObject
	case m.all(isReference | toContent | hasIDs):
		return shapeReference
	case m.all(isReference | toMedia):
		return shapeMedia
	case m.all(isDocument | hasContent), m.all(hasRoot), m.all(isMobiledoc | hasSections):
		return shapeDocument
	case level > 0 && m.all(hasChildren) && m&(isPortable|isStrapi) != 0:
		return shapeBlock
	}
	return shapeObject
}
