// This file finds what aliases stand for, and counts what they multiply before anything is written.

package yamltext

import (
	"fmt"

	"contentedge/generator/source/documents"

	"github.com/goccy/go-yaml/ast"
)

// maxAliased bounds the values that aliases add to a record: a text of 300 bytes can add thousands of
// millions.
const maxAliased = 100_000

// anchors has the anchors of a document.
type anchors struct {
	named   map[string]*anchor // the last of each name
	targets map[*ast.AliasNode]ast.Node
	aliased int // values that aliases add to the current record
}

type anchor struct {
	node ast.Node
	size int  // values in it, including the values that aliases add; at most a little more than maxAliased
	open bool // it contains the node that is looked at
}

// resolve finds the anchor of each alias in a record. It is false after a fault.
func (a *anchors) resolve(r *reader, node ast.Node) bool {
	a.aliased = 0
	n, faults := a.size(r, node), len(r.faults)
	_ = n
	return !r.failed && len(r.faults) == faults
}

// size counts the values of a node.
func (a *anchors) size(r *reader, node ast.Node) (n int) {
	switch node := node.(type) {
	case *ast.AnchorNode:
		return a.define(r, node)
	case *ast.AliasNode:
		return a.follow(r, node)
	case *ast.TagNode:
		return a.size(r, node.Value)
	case *ast.MappingKeyNode:
		return a.size(r, node.Value)
	case *ast.MappingNode:
		for _, v := range node.Values {
			n += a.size(r, v.Key) + a.size(r, v.Value)
		}
	case *ast.SequenceNode:
		for _, v := range node.Values {
			n += a.size(r, v)
		}
	}
	return min(n+1, maxAliased+1)
}

func (a *anchors) define(r *reader, node *ast.AnchorNode) int {
	if a.named == nil {
		a.named, a.targets = map[string]*anchor{}, map[*ast.AliasNode]ast.Node{}
	}
	defined := &anchor{node: node.Value, open: true}
	a.named[nameOf(node.Name)] = defined
	defined.size = a.size(r, node.Value)
	defined.open = false
	return defined.size
}

func (a *anchors) follow(r *reader, node *ast.AliasNode) int {
	name := nameOf(node.Value)
	at := placeOf(node.Start)
	found := a.named[name]
	switch {
	case r.stopped():
		return 1
	case found == nil:
		r.fault(at, fmt.Sprintf("no anchor before this has the name %s", documents.Quoted(name)), fmt.Sprintf("write &%s before the value that is meant, or put the text in quotes", documents.Cut(name)))
		return 1
	case found.open:
		r.fault(at, fmt.Sprintf("the value of the anchor %s contains itself here", documents.Quoted(name)), "")
		return 1
	}
	a.targets[node] = found.node
	before := a.aliased
	if a.aliased += found.size; a.aliased > maxAliased && before <= maxAliased {
		r.fault(at, fmt.Sprintf("aliases add more than %d values to this record", maxAliased), "write the values themselves, or fewer aliases")
	}
	return found.size
}

func nameOf(node ast.Node) string {
	if t := node.GetToken(); t != nil {
		return t.Value
	}
	return ""
}
