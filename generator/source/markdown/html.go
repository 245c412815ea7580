// This file turns Markdown into HTML.

package markdown

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"contentedge/generator/safehtml"
	"contentedge/generator/source/mdx"
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

// Destination is the new destination of a link or an image in HTML.
type Destination struct {
	URL  string
	Item string // of a link: the id of the item that it leads to, which becomes an attribute; or ""
	Drop bool   // of a link: its text stays, and the link goes
}

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

// Options say how a text is written.
type Options struct {
	HTML RawHTML // what becomes of HTML in the text
	MDX  bool    // the text has components, which are left out
}

// Renderer turns bodies into HTML: CommonMark, GitHub's tables, task lists, strikethrough, links without marks,
// alerts and mathematics, and footnotes. Headings have ids: their own, or made of their text as on GitHub.
// It belongs to one goroutine and may be used again.
type Renderer struct {
	markdown goldmark.Markdown
	guard    *guard
	options  Options
}

// NewRenderer returns a Renderer.
func NewRenderer(options Options) *Renderer {
	g := &guard{}
	return &Renderer{guard: g, options: options, markdown: goldmark.New(
		goldmark.WithExtensions(extension.GFM, extension.Footnote),
		goldmark.WithParserOptions(
			parser.WithBlockParsers(
				util.Prioritized(blockGuard{g}, first),
				util.Prioritized(headingParser{parser.NewSetextHeadingParser(), g}, early),
				util.Prioritized(headingParser{parser.NewATXHeadingParser(), g}, early),
				util.Prioritized(mathBlocks{g}, early),
			),
			parser.WithParagraphTransformers(util.Prioritized(paragraphGuard{g}, first), util.Prioritized(alerts{}, early)),
			parser.WithInlineParsers(util.Prioritized(inlineGuard{g}, first), util.Prioritized(mathSpans{}, early)),
		),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(
			util.Prioritized(htmlWriter{}, first), util.Prioritized(alerts{}, first), util.Prioritized(mathSpans{}, first),
		)),
	)}
}

// The priorities of what comes before all else.
const (
	first = -2
	early = -1
)

// HTML is the result of Render.
type HTML struct {
	Text    []byte
	Heading string // the text of the first heading, or ""

	Removed   []string     // the elements and attributes of the body's HTML that Text leaves out, as "iframe" and "style="
	RemovedAt record.Place // of the first one

	Components   []string // of MDX: what Text leaves out
	ComponentsAt record.Place
}

// Render returns a body as HTML. at is where the body begins in its file. A nil rewrite keeps all
// destinations, as do destinations of more than 4,096 bytes. A body beyond the bounds is a fault and has no HTML.
func (r *Renderer) Render(body []byte, at record.Place, rewrite Rewrite) (HTML, []record.Fault) {
	if len(body) > MaxBody {
		return HTML{}, fault(at, fmt.Sprintf("the text has %d bytes; Markdown may have %d", len(body), MaxBody), "divide the file, or leave its HTML out, with body: {html: false} in a rule of _environment.yaml")
	}
	source := record.NewLines(body, at)
	body, left := r.withoutComponents(body)
	lines := record.NewLines(body, at)
	var out HTML
	var faults []record.Fault
	if beyond := r.guard.run(body, func() { out, faults = r.render(body, lines, rewrite) }); beyond != nil {
		return HTML{}, fault(lines.Place(beyond.at), beyond.message, "split the text, or leave its HTML out, with body: {html: false} in a rule of _environment.yaml")
	}
	if len(left.Names) > 0 {
		out.Components, out.ComponentsAt = left.Names, source.Place(left.At)
	}
	return out, faults
}

// withoutComponents returns the Markdown of a body.
func (r *Renderer) withoutComponents(body []byte) ([]byte, mdx.Left) {
	if !r.options.MDX {
		return body, mdx.Left{}
	}
	return mdx.Markdown(body)
}

func (r *Renderer) render(body []byte, lines *record.Lines, rewrite Rewrite) (HTML, []record.Fault) {
	doc := r.parse(body)
	setIDs(r.guard.headings, body)
	w := walk{body: body, lines: lines, rewrite: rewrite, raw: r.options.HTML}
	_ = ast.Walk(doc, w.visit) // has no errors
	for _, link := range w.dropped {
		unwrap(link)
	}
	for _, code := range w.math {
		code.Parent().ReplaceChild(code.Parent(), code, mathOfFence(code))
	}
	var out limitedBuffer
	if err := r.markdown.Renderer().Render(&out, body, doc); err != nil {
		return HTML{}, append(w.faults, record.Fault{Place: lines.Place(0), Message: "the text cannot be written as HTML: " + err.Error()})
	}
	html := HTML{Text: out.Bytes(), Heading: w.heading, Removed: w.removed, RemovedAt: w.removedAt}
	if w.hasHTML {
		html.Text = safehtml.Balance(html.Text)
	}
	return html, w.faults
}

func (r *Renderer) parse(body []byte) ast.Node {
	return r.markdown.Parser().Parse(&meteredReader{Reader: text.NewReader(body), guard: r.guard})
}

// Heading returns the text of the first heading of a body, as Render does.
func (r *Renderer) Heading(body []byte) string {
	if len(body) > MaxBody {
		return ""
	}
	body, _ = r.withoutComponents(body)
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

// walk finds the first heading, rewrites destinations, and prepares HTML.
type walk struct {
	body    []byte
	lines   *record.Lines // nil: only the heading is wanted
	rewrite Rewrite
	heading string
	found   bool
	faults  []record.Fault
	math    []*ast.FencedCodeBlock // that is mathematics
	dropped []ast.Node             // links whose texts stay without them

	raw       RawHTML
	hasHTML   bool              // safe HTML, which may leave elements open
	cleaned   map[string][]byte // short pieces without attributes, as <kbd>
	unended   unended
	removed   []string
	removedAt record.Place
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
	if heading, ok := n.(*ast.Heading); ok && !w.found {
		w.found, w.heading = true, strings.TrimSpace(plain(heading, w.body))
	}
	if w.lines == nil {
		return ast.WalkContinue, nil
	}
	switch n := n.(type) {
	case *ast.Link:
		w.link(n)
	case *ast.Image:
		if to, changed := w.destination(n, n.Destination, true); changed {
			n.Destination = to.written
		}
	case *ast.HTMLBlock, *ast.RawHTML:
		w.rawHTML(n)
	case *ast.FencedCodeBlock:
		if string(n.Language(w.body)) == "math" {
			w.math = append(w.math, n)
		}
	}
	return ast.WalkContinue, nil
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
		n.SetAttributeString(safehtml.ItemAttribute, []byte(to.Item))
	}
	if to.Drop {
		w.dropped = append(w.dropped, n)
	}
}

// destination returns what becomes of a destination of Markdown, and false if it stays as it is written.
func (w *walk) destination(n ast.Node, written []byte, image bool) (to rewritten, changed bool) {
	if len(written) > maxDestination {
		return to, false
	}
	destination := string(util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(written))))
	other := w.ask(destination, image, func() record.Place { return w.place(n, written) })
	if other.URL == destination {
		return rewritten{other, written}, true
	}
	return rewritten{other, []byte(other.URL)}, true
}

// rewritten is a Destination, and its URL as the parser writes it.
type rewritten struct {
	Destination
	written []byte
}

// ask returns what becomes of an address.
func (w *walk) ask(address string, image bool, at func() record.Place) Destination {
	if w.rewrite == nil || len(address) > maxDestination || len(w.faults) >= maxFaults {
		return Destination{URL: address}
	}
	other, err := w.rewrite(address, image, at)
	if err != nil {
		w.faults = append(w.faults, faultOf(err, at()))
		return Destination{URL: address}
	}
	return other
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

// place returns the place of a link's destination, or of the link if the destination is in a reference definition.
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
