// This file makes alerts of quotes, as GitHub does, and callouts, as Obsidian does.

package markdown

import (
	"bytes"
	"regexp"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// alerts is a transformer of the first paragraph of a quote, and the renderer of quotes.
type alerts struct{}

// alertMark is the first line of an alert: its kind, and a title. Obsidian writes + or - for one that can be folded.
var alertMark = regexp.MustCompile(`^\[!([A-Za-z][A-Za-z-]{0,29})\][+-]?(?:[ \t]+(.*))?$`)

// The attributes of a quote that is an alert: its kind, and whether its first child is the title.
const (
	alertKind  = "alert"
	alertTitle = "alert-title"
)

// Transform takes the mark of an alert off the first paragraph of a quote.
func (alerts) Transform(node *ast.Paragraph, reader text.Reader, _ parser.Context) {
	quote, ok := node.Parent().(*ast.Blockquote)
	if !ok || node.PreviousSibling() != nil || quote.Attributes() != nil {
		return
	}
	line := node.Lines().At(0)
	line = line.TrimRightSpace(reader.Source())
	line = line.TrimLeftSpace(reader.Source())
	found := alertMark.FindSubmatchIndex(line.Value(reader.Source()))
	if found == nil {
		return
	}
	quote.SetAttributeString(alertKind, bytes.ToLower(reader.Source()[line.Start+found[2]:line.Start+found[3]]))
	if found[4] >= 0 {
		title := ast.NewParagraph()
		title.Lines().Append(text.NewSegment(line.Start+found[4], line.Start+found[5]))
		title.SetAttributeString("class", []byte("markdown-alert-title"))
		quote.SetAttributeString(alertTitle, true)
		quote.InsertBefore(quote, node, title)
	}
	if node.Lines().Len() == 1 {
		quote.RemoveChild(quote, node)
		return
	}
	node.Lines().SetSliced(1, node.Lines().Len())
}

// RegisterFuncs registers the renderer of quotes.
func (alerts) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) {
	to.Register(ast.KindBlockquote, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		value, ok := n.AttributeString(alertKind)
		kind, _ := value.([]byte)
		_, titled := n.AttributeString(alertTitle)
		switch {
		case ok && !entering:
			_, _ = w.WriteString("</div>\n")
		case ok:
			_, _ = w.WriteString(`<div class="markdown-alert markdown-alert-` + string(kind) + "\">\n")
			if !titled {
				_, _ = w.WriteString(`<p class="markdown-alert-title">` + string(bytes.ToUpper(kind[:1])) + string(kind[1:]) + "</p>\n")
			}
		case entering:
			_, _ = w.WriteString("<blockquote>\n")
		default:
			_, _ = w.WriteString("</blockquote>\n")
		}
		return ast.WalkContinue, nil
	})
}
