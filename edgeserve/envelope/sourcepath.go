// This file remembers what the patterns of a source filter say of each path, so that a
// long list of them costs a member no more than a short one.

package envelope

import "strings"

// node is a path, by the names that lead to it as they are written in fragments.
type node struct {
	up     *node
	name   string // with its quotes
	nested bool   // it is not a member of the item itself

	excluded, included           bool // a pattern matches it
	excludesBelow, includesBelow bool // a pattern may match what is in it

	inOrder []*node          // what is below it, as it was met first
	byName  map[string]*node // the same
}

const (
	// maxNodes is how many paths a filter remembers. Those beyond cost their patterns each
	// time, which counts as work.
	maxNodes = 1 << 14
	// lookupSteps is what finding a path takes that is not where it was in the item before.
	lookupSteps = 3
	// globSteps and globBytesPerStep are what trying a pattern on a path takes.
	globSteps        = 4
	globBytesPerStep = 8
)

// below is the node of a member, the nth of the object at a node. Items mostly have the
// same members in the same order.
func (f *SourceFilter) below(around *node, name []byte, n int) *node {
	if n < len(around.inOrder) && around.inOrder[n].name == string(name) {
		f.work++
		return around.inOrder[n]
	}
	f.work += lookupSteps
	if found := around.byName[string(name)]; found != nil {
		return found
	}
	below := &node{up: around, name: string(name), nested: around != &f.root}
	f.ask(below)
	if f.known++; f.known <= maxNodes {
		if around.byName == nil {
			around.byName = map[string]*node{}
		}
		around.byName[below.name] = below
		around.inOrder = append(around.inOrder, below)
	}
	return below
}

// ask tries all patterns on a path.
func (f *SourceFilter) ask(n *node) {
	path := n.up.appendPath(nil)
	parent := len(path)
	if n.nested {
		path = append(path, '.')
	}
	path = appendName(path, []byte(n.name))
	n.excluded = f.excludes.match(path, parent)
	n.included = f.includes.match(path, parent)
	f.work += f.globWork(path, parent)
	path = append(path, '.')
	n.excludesBelow = f.excludes.reaches(path)
	n.includesBelow = f.includes.reaches(path)
}

// globWork is what asking about a path takes, each of its parts that match may look at.
func (f *SourceFilter) globWork(path []byte, parent int) int {
	parts := 1 + strings.Count(string(path[parent:]), ".")
	return (len(f.includes) + len(f.excludes)) * parts * (globSteps + len(path)/globBytesPerStep)
}

// appendPath appends the dotted path of a node.
func (n *node) appendPath(dst []byte) []byte {
	if n.up == nil {
		return dst
	}
	dst = n.up.appendPath(dst)
	if n.nested {
		dst = append(dst, '.')
	}
	return appendName(dst, []byte(n.name))
}
