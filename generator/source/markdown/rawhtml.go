// This file writes the HTML that a Markdown text has: as far as it is safe, as text, or as it is.

package markdown

import (
	"bytes"
	"slices"
	"strings"

	"contentedge/generator/safehtml"
	"contentedge/generator/source/record"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// RawHTML says what becomes of HTML in a text.
type RawHTML string

// The values. The zero value is SafeHTML.
const (
	SafeHTML      RawHTML = "safe"   // what package safehtml allows is kept
	EscapedHTML   RawHTML = "escape" // shown as text
	UncheckedHTML RawHTML = "raw"    // kept as written
)

// RawHTMLs are all values.
var RawHTMLs = []string{string(SafeHTML), string(EscapedHTML), string(UncheckedHTML)}

// piece is HTML between Markdown, and where its lines are in the body.
type piece struct {
	text     []byte
	segments []text.Segment
}

func pieceOf(n ast.Node, body []byte) (p piece) {
	add := func(s text.Segment) {
		if !s.IsEmpty() {
			p.text, p.segments = append(p.text, s.Value(body)...), append(p.segments, s)
		}
	}
	lines := (*text.Segments)(nil)
	switch n := n.(type) {
	case *ast.HTMLBlock:
		lines = n.Lines()
		defer func() {
			if n.HasClosure() {
				add(n.ClosureLine)
			}
		}()
	case *ast.RawHTML:
		lines = n.Segments
	}
	for i := range lines.Len() {
		add(lines.At(i))
	}
	return p
}

// offset returns the offset in the body of an offset in the piece.
func (p *piece) offset(at int) int {
	for _, s := range p.segments {
		if length := s.Len() + s.Padding; at >= length {
			at -= length
			continue
		}
		return s.Start + max(0, at-s.Padding)
	}
	return 0
}

// preparedHTML is the attribute of a node of HTML with its rewritten HTML.
const preparedHTML = "html"

// rawHTML prepares what is written for a node of HTML.
func (w *walk) rawHTML(n ast.Node) {
	p := pieceOf(n, w.body)
	_, isBlock := n.(*ast.HTMLBlock)
	isComment := bytes.HasPrefix(bytes.TrimLeft(p.text, " "), []byte("<!--"))
	switch {
	case w.raw == UncheckedHTML:
		n.SetAttributeString(preparedHTML, w.rewriteHTML(&p))
	case w.raw == EscapedHTML && isComment:
	case w.raw == EscapedHTML && isBlock:
		n.SetAttributeString(preparedHTML, slices.Concat([]byte("<p>"), util.EscapeHTML(bytes.TrimSpace(p.text)), []byte("</p>\n")))
	case w.raw == EscapedHTML:
		n.SetAttributeString(preparedHTML, util.EscapeHTML(p.text))
	default:
		clean := w.cleanHTML(&p)
		n.SetAttributeString(preparedHTML, clean)
		if !isBlock && len(clean) == 0 {
			w.dropContent(n, tagName(p.text, "<"))
		}
	}
}

// tagName returns the element of a tag that begins with a mark, as "</", or 0 for other texts.
func tagName(text []byte, mark string) atom.Atom {
	name, ok := bytes.CutPrefix(text, []byte(mark))
	if end := bytes.IndexAny(name, " \t\r\n/>"); ok && end > 0 {
		return atom.Lookup(bytes.ToLower(name[:end]))
	}
	return 0
}

// unended are the elements that have no end in the rest of a paragraph.
type unended struct {
	parent   ast.Node
	elements map[atom.Atom]bool
}

// dropContent removes what is in an element of a paragraph that goes with its content, as a script. Without an end in
// the paragraph, its text stays.
func (w *walk) dropContent(n ast.Node, element atom.Atom) {
	if !safehtml.DropsContent(element) {
		return
	}
	if w.unended.parent != n.Parent() {
		w.unended = unended{n.Parent(), map[atom.Atom]bool{}}
	}
	if w.unended.elements[element] {
		return
	}
	end := n.NextSibling()
	for ; end != nil; end = end.NextSibling() {
		if raw, ok := end.(*ast.RawHTML); ok && tagName(raw.Segments.Value(w.body), "</") == element {
			break
		}
	}
	if end == nil {
		w.unended.elements[element] = true
		return
	}
	for next := n.NextSibling(); next != end; next = n.NextSibling() {
		n.Parent().RemoveChild(n.Parent(), next)
	}
}

const (
	maxCleaned      = 1000 // pieces
	maxCleanedPiece = 100  // bytes
)

// cleanHTML returns what is safe of a piece.
func (w *walk) cleanHTML(p *piece) []byte {
	w.hasHTML = true
	if len(p.text) > maxCleanedPiece || bytes.IndexByte(p.text, '=') >= 0 {
		return safehtml.Clean(w.rewriteHTML(p))
	}
	clean, ok := w.cleaned[string(p.text)]
	if !ok {
		clean = safehtml.Clean(w.rewriteHTML(p))
		if w.cleaned == nil || len(w.cleaned) >= maxCleaned {
			w.cleaned = map[string][]byte{}
		}
		w.cleaned[string(p.text)] = clean
	}
	return clean
}

// addresses are the attributes with the addresses that a Rewrite is asked about.
var addresses = map[atom.Atom]string{atom.A: "href", atom.Img: "src", atom.Video: "src", atom.Audio: "src", atom.Source: "src", atom.Track: "src"}

// rewriteHTML rewrites the addresses of a piece, and records unsafe parts.
func (w *walk) rewriteHTML(p *piece) []byte {
	var out bytes.Buffer
	var inside atom.Atom // what safe HTML leaves out with its content
	z := html.NewTokenizer(bytes.NewReader(p.text))
	for at := 0; ; {
		kind := z.Next()
		raw := bytes.Clone(z.Raw())
		switch kind {
		case html.ErrorToken:
			out.Write(raw)
			return out.Bytes()
		case html.EndTagToken:
			if name, _ := z.TagName(); inside != 0 && atom.Lookup(name) == inside {
				inside = 0
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			tag := z.Token()
			if inside == 0 {
				raw = w.tag(p, at, raw, tag)
			}
			if inside == 0 && w.raw != UncheckedHTML && kind == html.StartTagToken && safehtml.DropsContent(tag.DataAtom) {
				inside = tag.DataAtom
			}
		}
		out.Write(raw)
		at += len(z.Raw())
	}
}

// tag returns a tag with its address rewritten.
func (w *walk) tag(p *piece, at int, raw []byte, tag html.Token) []byte {
	if w.raw != UncheckedHTML && !w.safe(p, at, tag) {
		return raw
	}
	name := addresses[tag.DataAtom]
	for i := range tag.Attr {
		a := &tag.Attr[i]
		if name == "" || a.Key != name {
			continue
		}
		written := strings.TrimSpace(a.Val)
		to := w.ask(written, name == "src", func() record.Place {
			return w.lines.Place(p.offset(at + max(0, bytes.Index(raw, []byte(written)))))
		})
		if w.raw != UncheckedHTML { // a filter of HTML takes an address with spaces for none
			to.URL = string(util.URLEscape([]byte(to.URL), false))
		}
		if to.Drop || to.Item != "" || to.URL != written {
			return []byte(withDestination(tag, i, to).String())
		}
	}
	return raw
}

// withDestination returns a tag with the address of one of its attributes rewritten. For a dropped link it removes the
// address, so that the text stays.
func withDestination(tag html.Token, address int, to Destination) html.Token {
	name := tag.Attr[address].Key
	tag.Attr = slices.DeleteFunc(tag.Attr, func(a html.Attribute) bool {
		return a.Key == name && to.Drop || a.Key == safehtml.ItemAttribute && to.Item != ""
	})
	if to.Drop {
		return tag
	}
	for i := range tag.Attr {
		if tag.Attr[i].Key == name {
			tag.Attr[i].Val = to.URL
		}
	}
	if to.Item != "" {
		tag.Attr = append(tag.Attr, html.Attribute{Key: safehtml.ItemAttribute, Val: to.Item})
	}
	return tag
}

const (
	maxRemoved     = 20 // names
	maxRemovedName = 30 // bytes
)

// safe reports whether an element is kept, and records removed ones.
func (w *walk) safe(p *piece, at int, tag html.Token) bool {
	if !safehtml.Allows(tag.DataAtom) {
		w.remove(p, at, tag.Data)
		return false
	}
	for _, a := range tag.Attr {
		if !safehtml.AllowsAttribute(tag.DataAtom, a.Key) {
			w.remove(p, at, a.Key+"=")
		}
	}
	return true
}

func (w *walk) remove(p *piece, at int, name string) {
	if len(name) > maxRemovedName {
		name = strings.ToValidUTF8(name[:maxRemovedName], "") + "…"
	}
	if len(w.removed) == 0 {
		w.removedAt = w.lines.Place(p.offset(at))
	}
	if len(w.removed) < maxRemoved && !slices.Contains(w.removed, name) {
		w.removed = append(w.removed, name)
	}
}

// htmlWriter writes nodes of HTML as they are prepared.
type htmlWriter struct{}

func (htmlWriter) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) {
	write := func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if prepared, ok := n.AttributeString(preparedHTML); ok && entering {
			_, _ = w.Write(prepared.([]byte))
		}
		return ast.WalkSkipChildren, nil
	}
	to.Register(ast.KindHTMLBlock, write)
	to.Register(ast.KindRawHTML, write)
}
