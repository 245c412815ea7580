// This file bounds the work of the parser of Markdown, which needs time and memory beyond all measure for
// some texts and cannot be interrupted. Guards look at each block before its lines are parsed, and at
// each mark before its parser reads on. They end the parsing with a panic that run recovers.

package markdown

import (
	"bytes"
	"fmt"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

const (
	// maxNesting bounds the nesting of lists and quotes: the parser looks at every level for each line.
	maxNesting = 100
	// maxLineWork bounds looks at lines, each by one block that is open: 24 bytes each until the outermost
	// block ends.
	maxLineWork = 2_000_000
	// maxCells bounds the cells of all tables, as each row has as many as the head: 1,200 bytes each.
	maxCells = 100_000
	// maxMarks bounds marks in one paragraph, heading or cell: the parser looks for the partner of each mark among all
	// earlier ones.
	maxMarks = 5_000
	// maxScan bounds the bytes that marks of one text may read on for: of each mark, the rest of its block.
	maxScan = 400 << 20
	// maxFootnotes bounds notes and their marks: each mark is compared with all notes.
	maxFootnotes = 5_000
	// maxDefinitions bounds the link definitions of one paragraph: each is cut out of the others.
	maxDefinitions = 5_000
	// maxHeadings bounds headings, which have ids: 1,500 bytes each.
	maxHeadings = 50_000
	// maxEscapes bounds pipes with a backslash in tables: each is compared with all.
	maxEscapes = 5_000
)

// beyond is the value with which a guard panics: a bound is passed at an offset.
type beyond struct {
	at      int
	message string
}

type guard struct {
	source         []byte
	lineWork       int
	cells, escapes int
	headings       []*ast.Heading
	math           mathEnd
	block          ast.Node // whose marks are counted
	marks, scan    int
	linkEnd        int // the offset of the "]" of a plain link
}

// run calls parse, and returns the bound that ended it.
func (g *guard) run(source []byte, parse func()) (passed *beyond) {
	*g = guard{source: source}
	defer func() {
		g.source, g.block, g.headings = nil, nil, nil
		if p := recover(); p != nil {
			b, ours := p.(beyond)
			if !ours {
				b = beyond{0, fmt.Sprintf("the parser of Markdown cannot read this text: %v", p)}
			}
			passed = &b
		}
	}()
	if bytes.Count(source, []byte("[^")) > maxFootnotes {
		g.end(bytes.Index(source, []byte("[^")), "this text has more than %d footnotes and marks of footnotes", maxFootnotes)
	}
	parse()
	return nil
}

func (g *guard) end(at int, format string, limit ...any) {
	panic(beyond{at, fmt.Sprintf(format, limit...)})
}

// meteredReader counts how often blocks look at lines.
type meteredReader struct {
	text.Reader
	guard *guard
}

func (r *meteredReader) PeekLine() ([]byte, text.Segment) {
	line, segment := r.Reader.PeekLine()
	if r.guard.lineWork++; r.guard.lineWork > maxLineWork {
		r.guard.end(segment.Start, "this text has too many lines in its lists and quotes")
	}
	return line, segment
}

// blockGuard is asked wherever a quote or a list may begin. It opens none.
type blockGuard struct{ *guard }

func (blockGuard) Trigger() []byte { return []byte(">-+*0123456789") }

func (g blockGuard) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if blocks := len(pc.OpenedBlocks()); blocks > maxNesting {
		nested := 0
		for _, b := range pc.OpenedBlocks() {
			if k := b.Node.Kind(); k == ast.KindList || k == ast.KindBlockquote {
				nested++
			}
		}
		if nested > maxNesting {
			_, segment := reader.PeekLine()
			g.end(segment.Start, "lists and quotes are nested more than %d deep here", maxNesting)
		}
	}
	return nil, parser.NoChildren
}

func (blockGuard) Continue(ast.Node, text.Reader, parser.Context) parser.State { return parser.Close }
func (blockGuard) Close(ast.Node, text.Reader, parser.Context)                 {}
func (blockGuard) CanInterruptParagraph() bool                                 { return true }
func (blockGuard) CanAcceptIndentedLine() bool                                 { return true }

// paragraphGuard looks at paragraphs before they become tables and link definitions.
type paragraphGuard struct{ *guard }

func (g paragraphGuard) Transform(node *ast.Paragraph, reader text.Reader, _ parser.Context) {
	lines := node.Lines()
	definitions, escapes, isTable := 0, 0, false
	begins := false // with a label: definitions come first in a paragraph
	for i := range lines.Len() {
		segment := lines.At(i)
		line := segment.Value(g.source)
		begins = begins || i == 0 && bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("["))
		if begins && bytes.Contains(line, []byte("]:")) {
			if definitions++; definitions > maxDefinitions {
				g.end(segment.Start, "this paragraph has more than %d definitions of links", maxDefinitions)
			}
		}
		escapes += bytes.Count(line, []byte(`\|`))
		if columns := columnsOf(line); i > 0 && columns > 0 {
			isTable = true
			if g.cells += columns * (lines.Len() - i); g.cells > maxCells {
				g.end(segment.Start, "the tables of this text have more than %d cells", maxCells)
			}
		}
	}
	if isTable {
		if g.escapes += escapes; g.escapes > maxEscapes {
			g.end(lines.At(0).Start, `the tables of this text have more than %d cells with \|`, maxEscapes)
		}
	}
}

// heading records a heading.
func (g *guard) heading(heading *ast.Heading) {
	if g.headings = append(g.headings, heading); len(g.headings) > maxHeadings {
		g.end(max(0, heading.Pos()), "this text has more than %d headings", maxHeadings)
	}
}

// columnsOf returns the columns of a table if a line may be the one below its head.
func columnsOf(line []byte) int {
	if len(bytes.Trim(line, "-:| \t\r\n\v\f")) > 0 || bytes.IndexByte(line, '-') < 0 {
		return 0
	}
	return bytes.Count(line, []byte{'|'}) + 1
}

// inlineGuard is asked at each mark in a paragraph, a heading or a cell. It parses nothing.
type inlineGuard struct{ *guard }

func (inlineGuard) Trigger() []byte { return []byte("*_~[]!<`$(") }

func (g inlineGuard) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	if parent != g.block {
		g.block, g.marks = parent, 0
	}
	line, segment := block.PeekLine()
	if g.isPlainLink(line, segment.Start) {
		return nil
	}
	run := 1
	if c := line[0]; c != '(' { // a mark, except "(", after which linkify reads on
		for (c == '*' || c == '_' || c == '~' || c == '`') && run < len(line) && line[run] == c {
			run++ // the parser takes a run as one
		}
		if g.marks += run; g.marks > maxMarks {
			g.end(segment.Start, "this paragraph has more than %d marks such as * _ ~ [ ] < ` $", maxMarks)
		}
	}
	rest := len(line)
	if lines := parent.Lines(); lines.Len() > 0 {
		rest = max(rest, lines.At(lines.Len()-1).Stop-segment.Start)
	}
	if g.scan += rest; g.scan > maxScan {
		g.end(segment.Start, "this text has too many marks such as * [ ( < in long paragraphs")
	}
	return nil
}

const (
	// maxPlainLink bounds the plain links that are not counted, in bytes.
	maxPlainLink = 1000
	// notPlain are the characters that neither the text nor the destination of a plain link has: other marks.
	notPlain = "[]()<>*_~!`$\\\"'\t\r\n"
)

// isPlainLink reports whether a mark belongs to a link or an image such as [a b](c.md), which is read at once. It
// records where the text of the link ends.
func (g inlineGuard) isPlainLink(line []byte, at int) bool {
	if line[0] == ']' {
		return at == g.linkEnd && at > 0
	}
	near := line[:min(len(line), maxPlainLink)]
	open := len("[")
	if near[0] == '!' {
		open = len("![")
	}
	if len(near) < open || near[open-1] != '[' {
		return false
	}
	length := bytes.IndexAny(near[open:], notPlain)
	if length < 1 || !bytes.HasPrefix(near[open+length:], []byte("](")) {
		return false
	}
	destination := near[open+length+len("]("):]
	if end := bytes.IndexAny(destination, notPlain+" "); end < 1 || destination[end] != ')' {
		return false
	}
	g.linkEnd = at + open + length
	return true
}
