// This file keeps mathematics as it is written, with GitHub's marks: $…$ in a line, $$…$$ in a line or in a block,
// and fenced code in the language math. HTML has the marks too, where scripts such as KaTeX and MathJax look for them.

package markdown

import (
	"bytes"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const dollars = "$$"

var (
	kindMathSpan  = ast.NewNodeKind("MathSpan")
	kindMathBlock = ast.NewNodeKind("MathBlock")
)

// mathSpan is mathematics in a paragraph. Its children are its text.
type mathSpan struct {
	ast.BaseInline
	mark string
}

func (*mathSpan) Kind() ast.NodeKind           { return kindMathSpan }
func (n *mathSpan) Dump(source []byte, at int) { ast.DumpHelper(n, source, at, nil, nil) }

// mathBlock is mathematics in lines of its own. Its lines have the marks, unless it was fenced.
type mathBlock struct {
	ast.BaseBlock
	fenced bool
}

func (*mathBlock) Kind() ast.NodeKind           { return kindMathBlock }
func (*mathBlock) IsRaw() bool                  { return true }
func (n *mathBlock) Dump(source []byte, at int) { ast.DumpHelper(n, source, at, nil, nil) }

// mathSpans is the parser of mathematics in paragraphs.
type mathSpans struct{}

func (mathSpans) Trigger() []byte { return []byte{'$'} }

// Parse reads $…$ and $$…$$. A dollar of a price is text: the next one cannot end what it begins.
func (mathSpans) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	if before := block.PrecendingCharacter(); isWord(before) || before == '$' {
		return nil
	}
	line, _ := block.PeekLine()
	n := &mathSpan{mark: "$"}
	switch {
	case bytes.HasPrefix(line, []byte("$$$")):
		return nil
	case bytes.HasPrefix(line, []byte(dollars)):
		n.mark = dollars
	case len(line) < 2 || util.IsSpace(line[1]):
		return nil
	}
	savedLine, saved := block.Position()
	block.Advance(len(n.mark))
	if !n.read(block) {
		block.SetPosition(savedLine, saved)
		return nil
	}
	return n
}

// read reads up to the next dollar, and reports whether it ends the mathematics.
func (n *mathSpan) read(block text.Reader) bool {
	blank := true
	for {
		line, segment := block.PeekLine()
		if line == nil {
			return false
		}
		end := nextDollar(line)
		if end < 0 {
			blank = blank && util.IsBlank(line)
			n.AppendChild(n, ast.NewRawTextSegment(segment))
			block.AdvanceLine()
			continue
		}
		if blank && util.IsBlank(line[:end]) || !n.ends(line, end) {
			return false
		}
		if end > 0 {
			n.AppendChild(n, ast.NewRawTextSegment(segment.WithStop(segment.Start+end)))
		}
		block.Advance(end + len(n.mark))
		n.unquote(block.Source())
		return true
	}
}

// ends reports whether the dollar at an offset of a line ends the mathematics.
func (n *mathSpan) ends(line []byte, end int) bool {
	after := line[end:]
	if n.mark == dollars {
		return bytes.HasPrefix(after, []byte(dollars))
	}
	return (end == 0 || !util.IsSpace(line[end-1])) && (len(after) < 2 || after[1] != '$' && !isWord(util.ToRune(after, 1)))
}

// unquote takes off the backticks of $`…`$, which GitHub reads too.
func (n *mathSpan) unquote(source []byte) {
	first, last := n.FirstChild().(*ast.Text), n.LastChild().(*ast.Text)
	long := first != last || first.Segment.Len() > 2
	if n.mark != dollars && long && source[first.Segment.Start] == '`' && source[last.Segment.Stop-1] == '`' {
		first.Segment = first.Segment.WithStart(first.Segment.Start + 1)
		last.Segment = last.Segment.WithStop(last.Segment.Stop - 1)
	}
}

// nextDollar returns the offset of the first dollar without a backslash, or -1.
func nextDollar(line []byte) int {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '$':
			return i
		}
	}
	return -1
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// mathBlocks is the parser of mathematics in lines of its own. It looks ahead for the end, as mathematics without an
// end is text.
type mathBlocks struct{ *guard }

func (mathBlocks) Trigger() []byte { return []byte{'$'} }

func (p mathBlocks) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	if pc.BlockOffset() < 0 || !bytes.HasPrefix(line[pc.BlockOffset():], []byte(dollars)) {
		return nil, parser.NoChildren
	}
	content := bytes.TrimSpace(line[pc.BlockOffset()+len(dollars):])
	n := &mathBlock{}
	n.Lines().Append(segment)
	if at := bytes.Index(content, []byte(dollars)); at >= 0 {
		if at == 0 || at+len(dollars) < len(content) {
			return nil, parser.NoChildren
		}
		reader.AdvanceToEOL()
		return n, parser.NoChildren
	}
	if !p.closes(segment.Stop) {
		return nil, parser.NoChildren
	}
	reader.AdvanceToEOL()
	return n, parser.NoChildren
}

// mathEnd is what mathBlocks knows about the lines between two offsets: whether mathematics that begins there ends.
type mathEnd struct {
	from, to int
	closes   bool
}

// closes reports whether a line after an offset ends mathematics, before a blank line.
func (p mathBlocks) closes(at int) bool {
	known := &p.guard.math
	if known.from <= at && at < known.to {
		return known.closes
	}
	*known = mathEnd{at, len(p.guard.source), false}
	for rest := p.guard.source[at:]; len(rest) > 0; {
		var line []byte
		line, rest, _ = cutLine(rest)
		line = bytes.Trim(line, " \t>")
		if len(line) == 0 || bytes.HasSuffix(line, []byte(dollars)) {
			known.to, known.closes = len(p.guard.source)-len(rest), len(line) > 0
			break
		}
	}
	return known.closes
}

func (mathBlocks) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	line, segment := reader.PeekLine()
	lines := node.Lines()
	if last := lines.At(lines.Len() - 1); util.IsBlank(line) || endsMath(last.Value(reader.Source()), lines.Len() == 1) {
		return parser.Close
	}
	lines.Append(segment)
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}

// endsMath reports whether a line ends mathematics. The first line begins it.
func endsMath(line []byte, first bool) bool {
	line = bytes.TrimSpace(line)
	return bytes.HasSuffix(line, []byte(dollars)) && (!first || len(line) > len(dollars))
}

func (mathBlocks) Close(ast.Node, text.Reader, parser.Context) {}
func (mathBlocks) CanInterruptParagraph() bool                 { return true }
func (mathBlocks) CanAcceptIndentedLine() bool                 { return false }

// mathOfFence returns the block for fenced code in the language math.
func mathOfFence(code *ast.FencedCodeBlock) *mathBlock {
	n := &mathBlock{fenced: true}
	n.SetLines(code.Lines())
	return n
}

// RegisterFuncs registers the renderers of mathematics.
func (mathSpans) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) {
	to.Register(kindMathSpan, func(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		n := node.(*mathSpan)
		if entering {
			class := "math-inline"
			if n.mark == dollars {
				class = "math-display"
			}
			_, _ = w.WriteString(`<span class="` + class + `">` + n.mark)
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				_, _ = w.Write(util.EscapeHTML(c.(*ast.Text).Segment.Value(source)))
			}
			_, _ = w.WriteString(n.mark + "</span>")
		}
		return ast.WalkSkipChildren, nil
	})
	to.Register(kindMathBlock, func(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		if n := node.(*mathBlock); entering {
			value := bytes.TrimSpace(n.Lines().Value(source))
			if n.fenced {
				value = []byte(dollars + "\n" + string(value) + "\n" + dollars)
			}
			_, _ = w.WriteString(`<div class="math-display">`)
			_, _ = w.Write(util.EscapeHTML(value))
			_, _ = w.WriteString("</div>\n")
		}
		return ast.WalkSkipChildren, nil
	})
}
