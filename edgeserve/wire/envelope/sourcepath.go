// This file caches pattern results by path, so that long lists of patterns cost no more per member.

package envelope

import (
	"strings"

	"contentedge/edgeserve/wire/jsoncursor"
)

// node is a path: a member name, spelled as in fragments, and its parent.
type node struct {
	parent *node
	name   string // with its quotes
	nested bool   // the member belongs to a nested object, not to the item

	excluded, included           bool // a pattern matches the path
	excludesBelow, includesBelow bool // a pattern may match a longer path
	levels                       levelNode

	ordered []*node          // members in the order of their first occurrence
	byName  map[string]*node // the same nodes by name
}

const (
	// maxNodes limits the cached paths. For further paths, a filter matches all patterns each time and
	// charges the work.
	maxNodes = 1 << 14
	// lookupSteps is the work of finding the node of a member that has another index than in the
	// previous item.
	lookupSteps = 3
	// globSteps and globBytesPerStep are the work of matching a pattern with a path.
	globSteps        = 4
	globBytesPerStep = 8
)

// child returns the node of the nth member. Most items have the same members in the same order.
func (f *SourceFilter) child(parent *node, name []byte, n int) *node {
	if n < len(parent.ordered) && parent.ordered[n].name == string(name) {
		f.work++
		return parent.ordered[n]
	}
	f.work += lookupSteps
	if found := parent.byName[string(name)]; found != nil {
		return found
	}
	below := &node{parent: parent, name: string(name), nested: parent != &f.root}
	f.matchPatterns(below)
	if f.known++; f.known <= maxNodes {
		if parent.byName == nil {
			parent.byName = map[string]*node{}
		}
		parent.byName[below.name] = below
		parent.ordered = append(parent.ordered, below)
	}
	return below
}

func (f *SourceFilter) matchPatterns(n *node) {
	if f.levels != nil {
		f.work += f.levels.match(n)
		return
	}
	path := n.parent.appendPath(nil)
	parent := len(path)
	if n.nested {
		path = append(path, '.')
	}
	path = append(path, jsoncursor.Unquote([]byte(n.name))...)
	n.excluded = f.excludes.match(path, parent)
	n.included = f.includes.match(path, parent)
	f.work += f.globWork(path, parent)
	path = append(path, '.')
	n.excludesBelow = f.excludes.mayMatchBelow(path)
	n.includesBelow = f.includes.mayMatchBelow(path)
}

// globWork is the work of matching a path, including all prefixes that match may test.
func (f *SourceFilter) globWork(path []byte, parent int) int {
	parts := 1 + strings.Count(string(path[parent:]), ".")
	return (len(f.includes) + len(f.excludes)) * parts * (globSteps + len(path)/globBytesPerStep)
}

func (n *node) appendPath(dst []byte) []byte {
	if n.parent == nil {
		return dst
	}
	dst = n.parent.appendPath(dst)
	if n.nested {
		dst = append(dst, '.')
	}
	return append(dst, jsoncursor.Unquote([]byte(n.name))...)
}
