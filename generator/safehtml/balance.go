// This file closes elements where a browser would close them. It needs no tree: no nesting is too deep, and the work
// grows with the length of the text.

package safehtml

import (
	"bytes"
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// MaxOpen bounds the elements that are open at a time: browsers give up at about as many. Further ones are left out.
const MaxOpen = 400

// group is a set of elements that rules name together: one bit, or several.
type group uint16

const (
	paragraph group = 1 << iota
	list
	item
	termList
	term
	table
	section
	row
	caption
	cell
	heading
	anchor
	ruby
	block // other elements that end a paragraph
)

const anyBlock = paragraph | list | item | termList | term | table | heading | block

var groups = map[atom.Atom]group{
	atom.P: paragraph, atom.Ul: list, atom.Ol: list, atom.Li: item, atom.Dl: termList, atom.Dd: term, atom.Dt: term,
	atom.Table: table, atom.Tbody: section, atom.Thead: section, atom.Tfoot: section, atom.Colgroup: section, atom.Col: section,
	atom.Tr: row, atom.Caption: caption, atom.Td: cell, atom.Th: cell, atom.A: anchor, atom.Ruby: ruby,
	atom.H1: heading, atom.H2: heading, atom.H3: heading, atom.H4: heading, atom.H5: heading, atom.H6: heading,
	atom.Address: block, atom.Article: block, atom.Aside: block, atom.Blockquote: block, atom.Details: block, atom.Div: block, atom.Figcaption: block,
	atom.Figure: block, atom.Footer: block, atom.Header: block, atom.Hr: block, atom.Pre: block, atom.Section: block, atom.Summary: block,
}

// beginning says what the beginning of an element of a group does.
type beginning struct {
	of      group
	ends    group // which open elements it ends,
	borders group // unless an element of the group is open in between
	within  group // what must be open around it: otherwise a browser takes it as a part of the page around the text
}

var beginnings = []beginning{
	{of: anyBlock, ends: paragraph, borders: table | caption | cell},
	{of: item, ends: item, borders: list, within: list},
	{of: term, ends: term, borders: termList, within: termList},
	{of: cell, ends: cell | caption, borders: table, within: table},
	{of: row, ends: row | cell | caption, borders: table, within: table},
	{of: section | caption, ends: section | row | cell | caption, borders: table, within: table},
	{of: heading, ends: heading, borders: anyBlock | cell},
	{of: anchor, ends: anchor, borders: table | caption | cell},
}

// open is an element that has not ended.
type open struct {
	element atom.Atom
	group   group
}

type balancer struct {
	out  bytes.Buffer
	open []open
}

// Balance returns HTML in which all elements end, each where browsers end it, and in which nothing ends that it has not
// begun. The HTML may have only allowed elements, and inputs.
func Balance(text []byte) []byte {
	var b balancer
	b.out.Grow(len(text))
	z := html.NewTokenizer(bytes.NewReader(text))
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			b.closeTo(0)
			return b.out.Bytes()
		case html.StartTagToken, html.SelfClosingTagToken:
			raw := z.Raw()
			end := len(raw)
			name, _ := z.TagName()
			b.start(atom.Lookup(name), raw[:end:end], kind == html.SelfClosingTagToken)
		case html.EndTagToken:
			name, _ := z.TagName()
			b.end(atom.Lookup(name))
		default:
			b.out.Write(z.Raw())
		}
	}
}

// start writes the tag of an element. A tag such as <a/> is an element without content, as its author meant.
func (b *balancer) start(element atom.Atom, tag []byte, empty bool) {
	o := open{element, groups[element]}
	for _, rule := range beginnings {
		if rule.of&o.group == 0 {
			continue
		}
		b.imply(rule)
		if rule.within != 0 && !slices.ContainsFunc(b.open, func(outer open) bool { return outer.group&rule.within != 0 }) {
			return
		}
	}
	switch {
	case IsVoid(element):
		b.out.Write(tag)
	case len(b.open) < MaxOpen:
		if empty {
			tag = append(bytes.TrimRight(tag, "/> "), '>')
		}
		b.out.Write(tag)
		if b.open = append(b.open, o); empty {
			b.closeTo(len(b.open) - 1)
		}
	}
}

// imply closes the outermost element that a beginning ends, with all in it.
func (b *balancer) imply(rule beginning) {
	last := len(b.open)
	for i := last - 1; i >= 0; i-- {
		if b.open[i].group&rule.ends != 0 {
			last = i
		} else if b.open[i].group&rule.borders != 0 {
			break
		}
	}
	b.closeTo(last)
}

// end closes an element and the open elements inside. An end in a cell does not end elements around the table.
func (b *balancer) end(element atom.Atom) {
	own := groups[element]
	for i := len(b.open) - 1; i >= 0; i-- {
		switch {
		case b.open[i].element == element:
			b.closeTo(i)
			return
		case b.open[i].group&(cell|caption) != 0 && own&(table|section|row|cell|caption) == 0:
			return
		}
	}
}

func (b *balancer) closeTo(n int) {
	for len(b.open) > n {
		b.out.WriteString("</" + b.open[len(b.open)-1].element.String() + ">")
		b.open = b.open[:len(b.open)-1]
	}
}
