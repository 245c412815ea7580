// This file reads the attributes of headings, and gives headings their ids.

package markdown

import (
	"bytes"
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"contentedge/generator/safehtml"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// headingParser reads headings, and the attributes at their end.
type headingParser struct {
	parser.BlockParser
	guard *guard
}

// Close ends a heading. Underlined text that is only definitions of links has become none.
func (p headingParser) Close(node ast.Node, reader text.Reader, pc parser.Context) {
	p.BlockParser.Close(node, reader, pc)
	if heading, ok := node.(*ast.Heading); ok && node.Parent() != nil {
		p.guard.heading(heading)
		takeAttributes(heading, reader.Source())
	}
}

// maxAttributes bounds the attributes of a heading in bytes.
const maxAttributes = 1000

// headingAttributes is {#id .class title="…"} at the end of a line, or {: #id}.
var (
	headingAttributes = regexp.MustCompile(`(^|[^\\])\{:?[ \t]*((?:(?:` + headingAttribute.String() + `)[ \t]*)+)\}$`)
	headingAttribute  = regexp.MustCompile(`#[\p{L}\p{N}_][\p{L}\p{N}_:.-]*|\.[\p{L}_-][\p{L}\p{N}_-]*|[a-z]+="[^"{}]*"`)
	closingMarks      = regexp.MustCompile(`[ \t]+#+$`)
)

// takeAttributes cuts the attributes off the text of a heading. A heading that would have no text keeps them as text.
func takeAttributes(heading *ast.Heading, source []byte) {
	last := heading.Lines().Len() - 1
	if last < 0 {
		return
	}
	line := heading.Lines().At(last)
	line = line.TrimRightSpace(source)
	value := line.Value(source)
	value = value[max(0, len(value)-maxAttributes):]
	if !bytes.HasSuffix(value, []byte{'}'}) {
		return
	}
	found := headingAttributes.FindSubmatchIndex(value)
	if found == nil {
		return
	}
	rest := line.WithStop(line.Stop - len(value) + found[3])
	rest = rest.TrimRightSpace(source)
	if marks := closingMarks.Find(rest.Value(source)); marks != nil && last == 0 {
		rest = rest.WithStop(rest.Stop - len(marks))
	}
	if rest.IsEmpty() {
		return
	}
	heading.Lines().Set(last, rest)
	for _, attribute := range headingAttribute.FindAll(value[found[4]:found[5]], -1) {
		setAttribute(heading, attribute)
	}
}

func setAttribute(heading *ast.Heading, attribute []byte) {
	name, value, _ := bytes.Cut(attribute, []byte{'='})
	switch attribute[0] {
	case '#':
		name, value = []byte("id"), attribute[1:]
	case '.':
		name, value = []byte("class"), attribute[1:]
	default:
		value = bytes.Trim(value, `"`)
	}
	if !safehtml.IsCommon(string(name)) {
		return
	}
	if before, ok := heading.Attribute(name); ok && string(name) == "class" {
		value = bytes.Join([][]byte{before.([]byte), value}, []byte{' '})
	}
	heading.SetAttribute(name, value)
}

// ids has the ids of the headings in a text, with the number for the next heading that would have the same id.
type ids map[string]int

// setIDs gives each heading an id of its own: its attribute, if no earlier heading has the same id, otherwise an id
// from its text.
func setIDs(headings []*ast.Heading, source []byte) {
	used := ids{}
	var others []*ast.Heading
	for _, heading := range headings {
		id, ok := heading.AttributeString("id")
		if ok && used[string(id.([]byte))] == 0 {
			used[string(id.([]byte))] = 1
		} else {
			others = append(others, heading)
		}
	}
	for _, heading := range others {
		base := cmp.Or(Slug(plain(heading, source)), "heading")
		if id, ok := heading.AttributeString("id"); ok {
			base = string(id.([]byte))
		}
		heading.SetAttributeString("id", []byte(used.unique(base)))
	}
}

// Slug makes an id of a heading's text as GitHub does: lower-case letters, digits, "_" and "-", with "-" for spaces.
func Slug(value string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(value))
}

// unique returns an id, with a number if it is taken. The number is found at once.
func (used ids) unique(id string) string {
	n, again := used[id]
	used[id] = max(n, 0) + 1
	for again {
		numbered := id + "-" + strconv.Itoa(n)
		if _, taken := used[numbered]; !taken {
			used[numbered], used[id] = 1, n+1
			return numbered
		}
		n++
	}
	return id
}
