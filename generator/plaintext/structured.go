// This file takes the text out of the structured forms. A value is at most documents.MaxDepth deep, so
// recursion is bounded.

package plaintext

import (
	"slices"
	"strconv"
	"strings"

	"contentedge/generator/jsontree"
)

// recognise returns the form of a value, and the value without a string around it.
func recognise(v *jsontree.Value) (Format, *jsontree.Value) {
	if v.IsString() {
		inner := unwrap(v)
		if f := formOf(inner); f == Lexical || f == Mobiledoc {
			return f, inner
		}
		if IsHTML(v.Str()) {
			return HTML, v
		}
		return None, v
	}
	return formOf(v), v
}

// unwrap returns the value that a string holds as JSON text; Ghost and WordPress write structures so.
func unwrap(v *jsontree.Value) *jsontree.Value {
	if !v.IsString() {
		return v
	}
	text := strings.TrimSpace(v.Str())
	if !strings.HasPrefix(text, `{"`) || !strings.Contains(text, `"root"`) && !strings.Contains(text, `"sections"`) {
		return v
	}
	inner, err := jsontree.Parse([]byte(text))
	if err != nil {
		return v
	}
	return inner
}

func formOf(v *jsontree.Value) Format {
	switch {
	case v.IsObject() && v.Get("nodeType").Str() == "document" && v.Get("content").IsArray():
		return Contentful
	case v.IsObject() && v.Get("root", "type").Str() == "root" && v.Get("root", "children").IsArray():
		return Lexical
	case v.IsObject() && strings.HasPrefix(v.Get("version").Str(), "0.3") && v.Get("sections").IsArray():
		return Mobiledoc
	case v.IsObject() && v.Get("type").Str() == "doc" && v.Get("content").IsArray():
		return ProseMirror
	case v.IsObject() && len(v.Members) <= maxRootMembers && isSlate(v):
		return Slate
	case !v.IsArray() || len(v.Items) == 0:
		return None
	case slices.ContainsFunc(v.Items, isBlock):
		return PortableText
	case !slices.ContainsFunc(v.Items, func(item *jsontree.Value) bool { return !isStrapiBlock(item) }):
		return StrapiBlocks
	case every(v.Items, isNotionRun):
		return Notion
	case slices.ContainsFunc(v.Items, isPrismicBlock) && every(v.Items, func(item *jsontree.Value) bool { return item.Get("type").IsString() || item.Get("Type").IsString() }):
		return Prismic
	case every(v.Items, isSlate):
		return Slate
	}
	return None
}

func every(items []*jsontree.Value, is func(*jsontree.Value) bool) bool {
	return !slices.ContainsFunc(items, func(item *jsontree.Value) bool { return !is(item) })
}

// isNotionRun reports whether a value is a run of text of Notion.
func isNotionRun(v *jsontree.Value) bool {
	return v.Get("plain_text").IsString() && v.Get("annotations").IsObject()
}

// isPrismicBlock reports whether a value is a block of Prismic with text. Images are between the blocks.
func isPrismicBlock(v *jsontree.Value) bool {
	return v.Get("type").IsString() && v.Get("text").IsString() && v.Get("spans").IsArray()
}

// maxRootMembers bounds the members of an object around a text of Slate: children, and perhaps a type. Objects with more
// are content of another kind that has children.
const maxRootMembers = 2

// isSlate reports whether a value is an element of Slate: its first leaf is a text.
func isSlate(v *jsontree.Value) bool {
	for depth := 0; ; depth++ {
		children := v.Get("children")
		switch {
		case children == nil:
			return depth > 0 && v.Get("text").IsString()
		case len(children.List()) == 0:
			return false
		}
		v = children.Items[0]
	}
}

func isBlock(v *jsontree.Value) bool {
	return v.Get("_type").Str() == "block" && v.Get("children").IsArray()
}

var strapiTypes = []string{"paragraph", "heading", "list", "quote", "code", "image"}

func isStrapiBlock(v *jsontree.Value) bool {
	return IsBlockType(v.Get("type").Str()) && v.Get("children").IsArray()
}

// IsBlockType reports whether blocks of Strapi have a type.
func IsBlockType(name string) bool { return slices.Contains(strapiTypes, name) }

// inlineNodes are the nodes of the structured forms that end no line.
var inlineNodes = []string{
	"hyperlink", "entry-hyperlink", "asset-hyperlink", "resource-hyperlink", "embedded-entry-inline", "embedded-resource-inline", // Contentful
	"link", "autolink", "at-link", "hashtag", "mention", // Strapi, Lexical, Slate
	"emoji", // ProseMirror
}

func (l *lines) contentful(node *jsontree.Value) {
	kind := node.Get("nodeType").Str()
	if kind == "text" {
		l.add(node.Get("value").Str(), true)
		return
	}
	l.children(kind, node.Get("content"), l.contentful)
}

// children adds the content of a node: in lines of its own, unless the node is inline.
func (l *lines) children(kind string, nodes *jsontree.Value, add func(*jsontree.Value)) {
	own := !slices.Contains(inlineNodes, kind)
	if own {
		l.end()
	}
	for _, node := range nodes.List() {
		add(node)
	}
	if own {
		l.end()
	}
}

// portable adds blocks, and the blocks in the objects between them.
func (l *lines) portable(v *jsontree.Value) {
	switch {
	case isBlock(v):
		l.end()
		for _, span := range v.Get("children").Items {
			l.add(span.Get("text").Str(), true)
		}
		l.end()
	case v.IsObject():
		for _, m := range v.Members {
			l.portable(m.Value)
		}
	case v.IsArray():
		for _, item := range v.Items {
			l.portable(item)
		}
	}
}

func (l *lines) blocks(v *jsontree.Value) {
	for _, block := range v.List() {
		l.block(block)
	}
}

func (l *lines) block(node *jsontree.Value) {
	if text := node.Get("text"); text.IsString() {
		l.add(text.Str(), true)
		return
	}
	l.children(node.Get("type").Str(), node.Get("children"), l.block)
}

func (l *lines) lexical(node *jsontree.Value) {
	switch kind := node.Get("type").Str(); {
	case kind == "linebreak":
		l.end()
	case node.Get("text").IsString():
		l.add(node.Get("text").Str(), true)
	case node.Get("children").IsArray():
		l.children(kind, node.Get("children"), l.lexical)
	default:
		l.card(node)
	}
}

func (l *lines) proseMirror(node *jsontree.Value) {
	switch kind := node.Get("type").Str(); kind {
	case "text":
		l.add(node.Get("text").Str(), true)
	case "hard_break", "hardBreak":
		l.end()
	default:
		l.children(kind, node.Get("content"), l.proseMirror)
	}
}

func (l *lines) slate(node *jsontree.Value) {
	switch {
	case node.Get("text").IsString():
		l.add(node.Get("text").Str(), true)
	case node.IsArray():
		for _, item := range node.Items {
			l.slate(item)
		}
	default:
		l.children(node.Get("type").Str(), node.Get("children"), l.slate)
	}
}

// runs adds the texts of a list: each in lines of its own, or one after the other.
func (l *lines) runs(v *jsontree.Value, member string, own bool) {
	for _, item := range v.List() {
		l.add(item.Get(member).Str(), true)
		if own {
			l.end()
		}
	}
	l.end()
}

// cardTexts are the members of cards that readers see; the members in cardHTML are HTML.
var (
	cardTexts = []string{"heading", "subheading", "productTitle", "buttonText", "markdown", "code"}
	cardHTML  = []string{"html", "content", "calloutText", "productDescription", "caption"}
)

// card adds the text of a card, which is a block of an editor's own kind.
func (l *lines) card(payload *jsontree.Value) {
	l.end()
	if !payload.IsObject() {
		return
	}
	for _, m := range payload.Members {
		switch {
		case slices.Contains(cardTexts, m.Name):
			l.add(m.Value.Str(), true)
		case slices.Contains(cardHTML, m.Name):
			l.html(m.Value.Str())
		}
		l.end()
	}
}

// The kinds of sections and of markers of mobiledoc.
const (
	markupSection = "1"
	listSection   = "3"
	cardSection   = "10"

	atomMarker = "1"
)

func (l *lines) mobiledoc(v *jsontree.Value) {
	m := mobiledoc{l, unused(v.Get("cards")), unused(v.Get("atoms"))}
	for _, section := range v.Get("sections").List() {
		l.end()
		switch section.At(0).Text() {
		case markupSection:
			m.markers(section.At(2))
		case listSection:
			for _, markers := range section.At(2).List() {
				m.markers(markers)
				l.end()
			}
		case cardSection:
			l.card(m.cards.take(section.At(1)).At(1))
		}
	}
	l.end()
}

type mobiledoc struct {
	*lines
	cards, atoms table
}

// markers adds texts and atoms, such as a line break, of a section.
func (m mobiledoc) markers(list *jsontree.Value) {
	for _, marker := range list.List() {
		text := marker.At(3)
		if marker.At(0).Text() != atomMarker {
			m.add(text.Str(), true)
			continue
		}
		a := m.atoms.take(text)
		if a.At(0).Str() == "soft-return" {
			m.end()
			continue
		}
		m.add(a.At(1).Str(), true)
	}
}

// table holds the cards or the atoms of a document. A section uses each once: a text that names one
// again and again costs no more than its length.
type table []*jsontree.Value

func unused(list *jsontree.Value) table { return slices.Clone(list.List()) }

func (t table) take(index *jsontree.Value) *jsontree.Value {
	i, err := strconv.Atoi(index.Text())
	if err != nil || i < 0 || i >= len(t) {
		return nil
	}
	v := t[i]
	t[i] = nil
	return v
}
