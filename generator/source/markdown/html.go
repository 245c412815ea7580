// This file turns Markdown into HTML.

package markdown

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"contentedge/generator/source/record"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// MaxHTML bounds the HTML of a body in bytes: the least texts that grow most still fit.
const MaxHTML = record.MaxSize

// Destination is what becomes of the destination of a link or an image in HTML.
type Destination struct {
	URL  string
	Item string // of a link: the id of the item that it leads to, which becomes an attribute; "" if there is none
	Drop bool   // of a link: its text stays, and the link goes
}

// itemAttribute is the attribute of a link with the id of the item that it leads to.
const itemAttribute = "data-content-id"

// Rewrite returns what takes the place of the destination of a link or an image in HTML: the same
// destination for most. The destination is without escapes, as in a browser's address; at finds its
// place. An error becomes a fault there; if it is a *Warning, the destination stays.
type Rewrite func(destination string, image bool, at func() record.Place) (Destination, error)

// Warning is an error of a Rewrite that does not refuse the text.
type Warning struct{ Message, Hint string }

// Error returns the message.
func (w *Warning) Error() string { return w.Message }

// Refusal is an error of a Rewrite with a hint.
type Refusal struct{ Message, Hint string }

// Error returns the message.
func (r *Refusal) Error() string { return r.Message }

// Renderer turns bodies into HTML: CommonMark, GitHub's tables, task lists, strikethrough and links
// without marks, and footnotes. Raw HTML is left out. Headings have ids, made of their text as on GitHub.
// It belongs to one goroutine and may be used again.
type Renderer struct {
	markdown goldmark.Markdown
	guard    *guard
}

// NewRenderer returns a Renderer.
func NewRenderer() *Renderer {
	g := &guard{}
	return &Renderer{guard: g, markdown: goldmark.New(
		goldmark.WithExtensions(extension.GFM, extension.Footnote),
		goldmark.WithParserOptions(
			parser.WithAutoHeadingID(),
			parser.WithBlockParsers(util.Prioritized(blockGuard{g}, first)),
			parser.WithParagraphTransformers(util.Prioritized(paragraphGuard{g}, first)),
			parser.WithInlineParsers(util.Prioritized(inlineGuard{g}, first)),
		),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(withoutHTML{}, first))),
	)}
}

// first is the priority of what comes before all else.
const first = -1

// withoutHTML writes nothing for raw HTML.
type withoutHTML struct{}

func (withoutHTML) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) {
	nothing := func(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) { return ast.WalkSkipChildren, nil }
	to.Register(ast.KindHTMLBlock, nothing)
	to.Register(ast.KindRawHTML, nothing)
}

// HTML is what Render returns.
type HTML struct {
	Text    []byte
	Heading string // the text of the first heading; "" if there is none

	Raw   bool         // the body has raw HTML other than comments, which Text leaves out
	RawAt record.Place // the first such place
}

// Render returns a body as HTML. at is where the body begins in its file. A nil rewrite keeps all
// destinations, as do destinations of more than 4,096 bytes. A body beyond the bounds is a fault and has no HTML.
func (r *Renderer) Render(body []byte, at record.Place, rewrite Rewrite) (HTML, []record.Fault) {
	if len(body) > MaxBody {
		return HTML{}, fault(at, fmt.Sprintf("the text has %d bytes; Markdown may have %d", len(body), MaxBody), "divide the file, or leave its HTML out, with body: {html: false} in a rule of _environment.yaml")
	}
	lines := record.NewLines(body, at)
	var out HTML
	var faults []record.Fault
	if beyond := r.guard.run(body, func() { out, faults = r.render(body, lines, rewrite) }); beyond != nil {
		return HTML{}, fault(lines.Place(beyond.at), beyond.message, "write less of it in one text, or leave its HTML out, with body: {html: false} in a rule of _environment.yaml")
	}
	return out, faults
}

func (r *Renderer) render(body []byte, lines *record.Lines, rewrite Rewrite) (HTML, []record.Fault) {
	doc := r.parse(body)
	w := walk{body: body, lines: lines, rewrite: rewrite}
	_ = ast.Walk(doc, w.visit) // has no errors
	for _, link := range w.dropped {
		unwrap(link)
	}
	var out limitedBuffer
	if err := r.markdown.Renderer().Render(&out, body, doc); err != nil {
		return HTML{}, append(w.faults, record.Fault{Place: lines.Place(0), Message: "the text cannot be written as HTML: " + err.Error()})
	}
	return HTML{out.Bytes(), w.heading, w.raw, w.rawAt}, w.faults
}

func (r *Renderer) parse(body []byte) ast.Node {
	context := parser.NewContext(parser.WithIDs(&ids{guard: r.guard, used: map[string]int{}}))
	return r.markdown.Parser().Parse(&meteredReader{Reader: text.NewReader(body), guard: r.guard}, parser.WithContext(context))
}

// Heading returns the text of the first heading of a body, as Render does.
func (r *Renderer) Heading(body []byte) string {
	if len(body) > MaxBody {
		return ""
	}
	heading := ""
	_ = r.guard.run(body, func() {
		doc := r.parse(body)
		w := walk{body: body}
		_ = ast.Walk(doc, w.visit)
		heading = w.heading
	})
	return heading
}

// limitedBuffer ends the rendering of HTML that is too large.
type limitedBuffer struct{ bytes.Buffer }

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > MaxHTML {
		panic(beyond{0, fmt.Sprintf("the HTML of the text has more than %d bytes", MaxHTML)})
	}
	return b.Buffer.Write(p)
}

// walk finds the first heading and the first raw HTML, and rewrites destinations.
type walk struct {
	body    []byte
	lines   *record.Lines
	rewrite Rewrite
	heading string
	found   bool
	raw     bool
	rawAt   record.Place
	faults  []record.Fault
	dropped []ast.Node // links whose texts stay without them
}

// unwrap puts the children of a node into its place.
func unwrap(n ast.Node) {
	parent := n.Parent()
	for child := n.FirstChild(); child != nil; child = n.FirstChild() {
		parent.InsertBefore(parent, n, child)
	}
	parent.RemoveChild(parent, n)
}

func (w *walk) visit(n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	switch n := n.(type) {
	case *ast.Heading:
		if !w.found {
			w.found, w.heading = true, strings.TrimSpace(plain(n, w.body))
		}
	case *ast.Link:
		w.link(n)
	case *ast.Image:
		if to, changed := w.destination(n, n.Destination, true); changed {
			n.Destination = to.written
		}
	case *ast.HTMLBlock:
		w.rawHTML(n.Lines())
	case *ast.RawHTML:
		w.rawHTML(n.Segments)
	}
	return ast.WalkContinue, nil
}

// rawHTML notes the first raw HTML. Comments are meant to be left out.
func (w *walk) rawHTML(lines *text.Segments) {
	if w.raw || w.lines == nil || lines.Len() == 0 {
		return
	}
	first := lines.At(0)
	if !bytes.HasPrefix(bytes.TrimLeft(first.Value(w.body), " "), []byte("<!--")) {
		w.raw, w.rawAt = true, w.lines.Place(first.Start)
	}
}

const (
	maxFaults = 20 // of one text
	// maxDestination bounds what is asked for: longer ones, as of images in the text itself, name no
	// files, and a definition may be used thousands of times.
	maxDestination = 4096
)

// link rewrites the destination of a link.
func (w *walk) link(n *ast.Link) {
	to, changed := w.destination(n, n.Destination, false)
	if !changed {
		return
	}
	n.Destination = to.written
	if to.Item != "" {
		n.SetAttributeString(itemAttribute, []byte(to.Item))
	}
	if to.Drop {
		w.dropped = append(w.dropped, n)
	}
}

// destination returns what becomes of a destination, and false if it stays as it is written.
func (w *walk) destination(n ast.Node, written []byte, image bool) (to rewritten, changed bool) {
	if w.rewrite == nil || len(written) > maxDestination || len(w.faults) >= maxFaults {
		return to, false
	}
	destination := string(util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(written))))
	other, err := w.rewrite(destination, image, func() record.Place { return w.place(n, written) })
	switch {
	case err != nil:
		w.faults = append(w.faults, faultOf(err, w.place(n, written)))
		return to, false
	case other.URL == destination:
		return rewritten{other, written}, true
	}
	return rewritten{other, []byte(other.URL)}, true
}

// rewritten is a Destination, and its URL as the parser writes it.
type rewritten struct {
	Destination
	written []byte
}

func faultOf(err error, at record.Place) record.Fault {
	f := record.Fault{Place: at, Message: err.Error()}
	var warning *Warning
	var refusal *Refusal
	if errors.As(err, &warning) {
		f.Hint, f.Warning = warning.Hint, true
	} else if errors.As(err, &refusal) {
		f.Hint = refusal.Hint
	}
	return f
}

// maxLink bounds the bytes in which the destination of a link is looked for.
const maxLink = 4 << 10

// place returns the place of a destination that stands behind the beginning of its link, else that of the
// link: the destination is in a definition.
func (w *walk) place(n ast.Node, destination []byte) record.Place {
	at := max(n.Pos(), 0)
	if i := bytes.Index(w.body[at:min(at+maxLink, len(w.body))], append([]byte("]("), destination...)); i >= 0 {
		return w.lines.Place(at + i + 2)
	}
	return w.lines.Place(at)
}

// plain returns the text of a node without its marks.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			value := n.Segment.Value(source)
			if !n.IsRaw() {
				value = util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(value)))
			}
			b.Write(value)
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
