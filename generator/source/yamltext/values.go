// This file writes the nodes of a record as JSON.

package yamltext

import (
	"fmt"
	"strings"

	"contentedge/generator/source/documents"
	"contentedge/generator/source/jsonscan"
	"contentedge/generator/source/record"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

type writer struct{ *reader }

// stops reports whether the record has failed in a way that makes its rest pointless.
func (w *writer) stops() bool { return w.stopped() || w.b.Fault() != nil }

// top writes the node that is the record.
func (w *writer) top(node ast.Node) {
	bare := w.bare(node)
	if m, ok := bare.(*ast.MappingNode); ok {
		w.mapping(m)
		return
	}
	if !w.failed { // a tag that is not read has its fault
		what := "an item"
		if w.single {
			what = "this text"
		}
		at := placeOfNode(node)
		w.fault(at, what+" must be a mapping of keys and values, not "+kindName(bare), w.strayCharacter(at.Line))
	}
}

func kindName(node ast.Node) string {
	switch node.(type) {
	case *ast.SequenceNode:
		return "a sequence"
	case *ast.NullNode:
		return "nothing"
	}
	return "a single value"
}

// bare returns a node without its anchor and its tag, and the node that an alias stands for.
func (w *writer) bare(node ast.Node) ast.Node {
	for {
		switch n := node.(type) {
		case *ast.AnchorNode:
			node = n.Value
		case *ast.AliasNode:
			node = w.anchors.targets[n]
		case *ast.MappingKeyNode:
			node = n.Value
		case *ast.TagNode:
			tag := n.Start.Value
			if tag == nonSpecific && !isCollection(n.Value) {
				return n
			}
			if tag != "!!map" && tag != "!!seq" && tag != "!!str" && tag != nonSpecific {
				w.fault(placeOf(n.Start), fmt.Sprintf("the tag %s is not read", documents.Quoted(tag)), "remove it; only !!str, !!map, !!seq and ! are")
				return n
			} else if tag == "!!str" {
				return n
			}
			node = n.Value
		default:
			return node
		}
	}
}

// nonSpecific is the tag that makes a string of a value: Ruby wrote it before texts in quotes, and so
// front matter of Jekyll has it.
const nonSpecific = "!"

func isCollection(node ast.Node) bool {
	switch node.(type) {
	case *ast.MappingNode, *ast.SequenceNode:
		return true
	}
	return false
}

func (w *writer) value(node ast.Node) {
	if w.stops() {
		return
	}
	at := placeOfNode(node)
	switch n := w.bare(node).(type) {
	case *ast.MappingNode:
		w.mapping(n)
	case *ast.SequenceNode:
		w.b.Array(w.place(placeOf(n.Start)))
		for _, value := range n.Values {
			w.value(value)
		}
		w.b.EndArray()
	default:
		literal, text := w.scalar(n, at)
		if literal != "" {
			w.b.Literal(literal, w.place(at))
		} else {
			w.b.String(text, w.place(at))
		}
	}
}

func (w *writer) place(at record.Place) record.Place { return w.first.Plus(at) }

// scalar returns the JSON of a value, or the text of a string.
func (w *writer) scalar(node ast.Node, at record.Place) (literal, text string) {
	switch n := node.(type) {
	case *ast.StringNode:
		if n.Token.Type != token.StringType {
			return "", n.Value
		}
	case *ast.LiteralNode:
		return "", n.Value.Value
	case *ast.TagNode: // !!str, or one that has its fault
		return "", w.tagged(n)
	case nil:
		return "null", ""
	}
	if t := node.GetToken(); t != nil && node.Type() != ast.MergeKeyType {
		return w.plain(t, at)
	}
	w.fault(at, "a value is not allowed here", "")
	return "null", ""
}

// tagged returns the text of a value that a tag makes a string.
func (w *writer) tagged(tag *ast.TagNode) string {
	if tag.Start.Value != "!!str" && tag.Start.Value != nonSpecific {
		return ""
	}
	switch n := w.bare(tag.Value).(type) {
	case nil:
	case *ast.LiteralNode:
		return n.Value.Value
	case *ast.StringNode:
		return n.Value
	case *ast.MappingNode, *ast.SequenceNode, *ast.TagNode:
		w.fault(placeOf(tag.Start), "the tag "+tag.Start.Value+" is of a single value", "remove it")
	default:
		if t := n.GetToken(); t != nil && t.Type != token.ImplicitNullType {
			return t.Value
		}
	}
	return ""
}

// plain returns the JSON of a value without quotes.
func (w *writer) plain(t *token.Token, at record.Place) (literal, text string) {
	text = t.Value
	switch text {
	case "", "~":
		return "null", ""
	case "null", "true", "false":
		return text, ""
	case "Null", "NULL", "True", "TRUE", "False", "FALSE":
		w.warn(at, fmt.Sprintf("%s stays a text here", text), fmt.Sprintf("write %s, or put it in quotes if it is a text", strings.ToLower(text)))
		return "", text
	case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF", ".nan", ".NaN", ".NAN":
		w.fault(at, fmt.Sprintf("JSON has no number %s", text), "put it in quotes if it is a text")
		return "null", ""
	}
	if jsonscan.IsNumber(text) {
		return text, ""
	}
	if jsonscan.ResemblesNumber(text) {
		w.warn(at, fmt.Sprintf("%s stays a text here, as JSON has no such number", documents.Quoted(text)), "put it in quotes, or write the number as in JSON")
	}
	return "", text
}

func (w *writer) mapping(m *ast.MappingNode) {
	at := w.place(placeOf(m.Start))
	if !m.IsFlowStyle && len(m.Values) > 0 {
		at = w.place(placeOfNode(m.Values[0].Key)) // Start is the colon
	}
	w.b.Object(at)
	for _, member := range w.members(m) {
		if w.stops() {
			return
		}
		w.b.Key(member.name, w.place(member.at))
		w.value(member.value)
	}
	w.b.EndObject()
}

type member struct {
	name  string
	at    record.Place
	value ast.Node
}

// members returns the members of a mapping, with merged members in the place of the merge key. Its own members win,
// then the mappings that are merged first.
func (w *writer) members(m *ast.MappingNode) []member {
	own := make(map[string]record.Place, len(m.Values))
	merges := false
	list := make([]member, 0, len(m.Values))
	for _, v := range m.Values {
		if v.Key.IsMergeKey() {
			merges = true
			list = append(list, member{value: v.Value, at: placeOfNode(v.Key)})
			continue
		}
		at := placeOfNode(v.Key)
		name, ok := w.key(v.Key, at)
		if !ok {
			continue
		}
		if first, twice := own[name]; twice {
			first = w.place(first)
			w.fault(at, fmt.Sprintf("the key %s is given twice in this mapping", documents.Quoted(name)), fmt.Sprintf("it is given first at %d:%d; keep one of the two", first.Line, first.Col))
			continue
		}
		own[name] = at
		list = append(list, member{name, at, v.Value})
	}
	if !merges {
		return list
	}
	return w.merged(m, own)
}

// merged is members for a mapping that merges others; own are its own keys.
func (w *writer) merged(m *ast.MappingNode, own map[string]record.Place) (list []member) {
	taken := map[string]bool{}
	for _, v := range m.Values {
		if w.stopped() {
			break
		}
		at := placeOfNode(v.Key)
		if !v.Key.IsMergeKey() {
			if name, ok := w.keyText(v.Key); ok && own[name] == at {
				list = append(list, member{name, at, v.Value})
			}
			continue
		}
		for _, from := range w.sources(v.Value) {
			for _, more := range w.members(from) {
				if _, hidden := own[more.name]; !hidden && !taken[more.name] {
					taken[more.name] = true
					list = append(list, more)
				}
			}
		}
	}
	return list
}

// sources are the mappings that a merge key names.
func (w *writer) sources(node ast.Node) (list []*ast.MappingNode) {
	nodes := []ast.Node{node}
	if s, ok := w.bare(node).(*ast.SequenceNode); ok {
		nodes = s.Values
	}
	for _, n := range nodes {
		m, ok := w.bare(n).(*ast.MappingNode)
		if !ok {
			w.fault(placeOfNode(n), "the key << merges only mappings", `write "<<" in quotes if it is a key`)
			return nil
		}
		list = append(list, m)
	}
	return list
}

func (w *writer) key(node ast.MapKeyNode, at record.Place) (name string, ok bool) {
	name, ok = w.keyText(node)
	if !ok {
		hint := ""
		if t := w.bare(node).GetToken(); t != nil && t.Value != "" {
			hint = "put it in quotes: " + documents.Quoted(t.Value)
		}
		w.fault(at, "this key is not a string", hint)
	}
	return name, ok
}

// keyText returns the text of a key that is a string.
func (w *writer) keyText(node ast.MapKeyNode) (name string, ok bool) {
	switch n := w.bare(node).(type) {
	case *ast.MappingNode, *ast.SequenceNode, nil:
		return "", false
	case *ast.StringNode, *ast.LiteralNode:
		literal, text := w.quietly(n)
		return text, literal == ""
	case *ast.TagNode:
		return w.tagged(n), true
	default:
		literal, text := w.quietly(n)
		return text, literal == ""
	}
}

// quietly is scalar without its faults and warnings, which a key does not need.
func (w *writer) quietly(node ast.Node) (literal, text string) {
	failed, n, warned := w.failed, len(w.faults), len(w.warnings)
	literal, text = w.scalar(node, record.Place{})
	w.failed, w.faults, w.warnings = failed, w.faults[:n], w.warnings[:warned]
	return literal, text
}

// placeOf returns the place of a token. The token of a block scalar's text has no column.
func placeOf(t *token.Token) record.Place {
	return record.Place{Line: max(t.Position.Line, 1), Col: max(t.Position.Column, 1)}
}

// placeOfNode returns the place where a value begins, or a tag or an anchor before it.
func placeOfNode(node ast.Node) record.Place {
	switch n := node.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return placeOfNode(n.Values[0].Key)
		}
	case *ast.MappingKeyNode:
		return placeOf(n.Start)
	}
	if node != nil {
		if t := node.GetToken(); t != nil && t.Position != nil {
			return placeOf(t)
		}
	}
	return start
}
