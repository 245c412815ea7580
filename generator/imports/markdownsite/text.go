// This file turns the text of a page into Markdown that every reader knows: tags of template languages, containers,
// admonitions and wikilinks. The number of lines stays, so that the places of faults are right.

package markdownsite

import (
	"bytes"
	"path"
	"regexp"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/jsontree"
	"contentedge/generator/source/markdown"
	"contentedge/generator/source/record"
	"contentedge/generator/source/shortcodes"
)

// prepare returns the text of a page as Markdown.
func (s *site) prepare(p *page, t markdown.Text) []byte {
	text := t.Body
	if s.profile.wikilinks {
		text = s.wikilinks(p, t)
	}
	if s.profile.tidy != nil {
		text = s.profile.tidy(text)
	}
	if s.profile.marks != 0 {
		lines := record.NewLines(text, t.BodyAt)
		s.front, _ = jsontree.Parse(t.FrontMatter.JSON) // this JSON was made here
		replaced := shortcodes.Replace(text, s.profile.marks, s)
		for _, u := range replaced.Left {
			at := lines.Place(u.First)
			s.warn("tags are left out, and what they enclose stays: "+cut(u.Name), p.file, at.Line, at.Col)
		}
		for _, u := range replaced.Links {
			at := lines.Place(u.First)
			s.warn("links to pages that do not exist", p.file, at.Line, at.Col)
		}
		text = replaced.Text
	}
	if s.profile.containers && bytes.Contains(text, []byte(":::")) {
		text = containers(text)
	}
	if s.profile.admonitions && (bytes.Contains(text, []byte("!!!")) || bytes.Contains(text, []byte("???")) || bytes.Contains(text, []byte("==="))) {
		text = admonitions(text)
	}
	return text
}

// dropping returns a function that leaves out what a pattern matches, or its first group. Lines stay.
func dropping(what *regexp.Regexp) func([]byte) []byte {
	return func(text []byte) []byte {
		return replacing(text, what, func(m []int) (start, end int, other string) {
			start, end = m[0], m[1]
			if len(m) > 2 && m[2] >= 0 {
				start, end = m[2], m[3]
			}
			return start, end, strings.Repeat("\n", bytes.Count(text[start:end], []byte{'\n'}))
		})
	}
}

// replacing replaces a part of each match of a pattern outside of code.
func replacing(text []byte, what *regexp.Regexp, part func(match []int) (start, end int, other string)) []byte {
	found := what.FindAllSubmatchIndex(text, -1)
	if found == nil {
		return text
	}
	code := shortcodes.CodeOf(text)
	var out []byte
	at := 0
	for _, m := range found {
		start, end, other := part(m)
		if code.EndAt(start) > 0 {
			continue
		}
		out = append(append(out, text[at:start]...), other...)
		at = end
	}
	return append(out, text[at:]...)
}

// alerts are GitHub's alerts by the names that systems give to boxes. Other boxes become their text.
var alerts = map[string]string{
	"note": "NOTE", "info": "NOTE", "abstract": "NOTE", "summary": "NOTE", "example": "NOTE", "question": "NOTE", "quote": "NOTE", "seealso": "NOTE",
	"tip": "TIP", "hint": "TIP", "success": "TIP", "important": "IMPORTANT",
	"warning": "WARNING", "caution": "WARNING", "attention": "WARNING",
	"danger": "CAUTION", "error": "CAUTION", "failure": "CAUTION", "bug": "CAUTION",
}

// maxNested bounds boxes in boxes: each makes the lines in it longer.
const maxNested = 8

// container begins or ends a box: :::name Title, :::name[Title], ::: name {attributes}.
var container = regexp.MustCompile(`^ {0,3}(:{3,})[ \t]*([A-Za-z][\w-]*)?[ \t]*(?:\[([^\]]*)\])?(.*?)[ \t]*\r?$`)

// box is an open container.
type box struct {
	colons int
	quoted bool // it is an alert, whose lines begin with "> "
}

// containers writes the boxes of Docusaurus and VitePress as alerts.
func containers(text []byte) []byte {
	code := shortcodes.CodeOf(text)
	var out bytes.Buffer
	var open []box
	prefix := ""
	at := 0
	for line := range bytes.Lines(text) {
		content, end := cutEnd(line)
		inCode := code.EndAt(at) > 0
		at += len(line)
		found := container.FindSubmatch(content)
		switch {
		case inCode || found == nil:
			out.WriteString(prefix)
			out.Write(content)
		case len(found[2]) == 0:
			if last := len(open) - 1; last >= 0 && len(found[1]) >= open[last].colons {
				if open[last].quoted {
					prefix = prefix[:len(prefix)-len("> ")]
				}
				open = open[:last]
			}
			out.WriteString(strings.TrimRight(prefix, " "))
		default:
			title := strings.TrimSpace(string(found[3]) + attributes.ReplaceAllString(string(found[4]), ""))
			kind := alerts[strings.ToLower(string(found[2]))]
			b := box{len(found[1]), kind != "" && len(open) < maxNested}
			if b.quoted {
				prefix += "> "
			}
			open = append(open, b)
			out.WriteString(prefix + headOf(b.quoted, kind, title))
		}
		out.Write(end)
	}
	return out.Bytes()
}

// attributes matches the attributes of a container: {#id .class}.
var attributes = regexp.MustCompile(`\{[^}]*\}`)

// headOf is the first line of a box.
func headOf(quoted bool, kind, title string) string {
	switch {
	case quoted:
		return strings.TrimRight("[!"+kind+"] "+title, " ")
	case title != "":
		return "**" + title + "**"
	}
	return ""
}

func cutEnd(line []byte) (content, end []byte) {
	content = bytes.TrimRight(line, "\r\n")
	return content, line[len(content):]
}

// admonition begins a box of MkDocs: !!! name "Title", also ??? and ???+; === "Title" is a tab.
var admonition = regexp.MustCompile(`^([ \t]*)(!!!|\?\?\?\+?|===[+!]?)[ \t]+(?:([A-Za-z][\w-]*)(?:[ \t]+[A-Za-z][\w -]*)?)?[ \t]*(?:"([^"]*)")?[ \t]*$`)

// admonitions writes the boxes and tabs of MkDocs as alerts and bold titles. Their content is indented by four spaces.
func admonitions(text []byte) []byte {
	code := shortcodes.CodeOf(text)
	var out bytes.Buffer
	var open []indented
	at := 0
	for line := range bytes.Lines(text) {
		content, end := cutEnd(line)
		inCode := code.EndAt(at) > 0
		at += len(line)
		indent := len(content) - len(bytes.TrimLeft(content, " "))
		for len(open) > 0 && len(content) > indent && indent < open[len(open)-1].content {
			open = open[:len(open)-1]
		}
		prefix, taken := prefixOf(open)
		bare := content[min(taken, indent):]
		found := admonition.FindSubmatch(bare)
		if found == nil || inCode {
			if len(bare) == 0 {
				prefix = strings.TrimRight(prefix, " ")
			}
			out.WriteString(prefix)
			out.Write(bare)
			out.Write(end)
			continue
		}
		b := indented{content: indent + 4, before: string(found[1])}
		kind := alerts[strings.ToLower(string(found[3]))]
		b.quoted = kind != "" && len(open) < maxNested
		open = append(open, b)
		out.WriteString(prefix + b.before)
		if b.quoted {
			out.WriteString("> ")
		}
		out.WriteString(headOf(b.quoted, kind, string(found[4])))
		out.Write(end)
	}
	return out.Bytes()
}

// prefixOf returns what begins the lines in some boxes, and the indent that it takes the place of.
func prefixOf(open []indented) (prefix string, taken int) {
	for _, b := range open {
		taken = b.content
		if prefix += b.before; b.quoted {
			prefix += "> "
		}
	}
	return prefix, taken
}

// indented is an open box of MkDocs.
type indented struct {
	content int    // the indent of its lines
	before  string // the indent that stays, of a box in a list
	quoted  bool
}

// wikilink is [[Page#Heading|text]], and ![[file|size]].
var wikilink = regexp.MustCompile(`(!?)\[\[([^\[\]|#\n]*)(#[^\[\]|\n]*)?(?:\|([^\[\]\n]*))?\]\]|%%`)

// wikilinks writes the links, the images and the comments of Obsidian as Markdown.
func (s *site) wikilinks(p *page, t markdown.Text) []byte {
	text := t.Body
	if !bytes.Contains(text, []byte("[[")) && !bytes.Contains(text, []byte("%%")) {
		return text
	}
	code, lines := shortcodes.CodeOf(text), record.NewLines(text, t.BodyAt)
	var out bytes.Buffer
	at, comment := 0, -1
	for _, m := range wikilink.FindAllSubmatchIndex(text, -1) {
		start, end := m[0], m[1]
		if code.EndAt(start) > 0 {
			continue
		}
		mark := string(text[start:end]) == "%%"
		switch {
		case mark && comment < 0:
			comment = start
			out.Write(text[at:start])
		case mark:
			out.WriteString(strings.Repeat("\n", bytes.Count(text[comment:end], []byte{'\n'})))
			comment = -1
		case comment >= 0:
			continue
		default:
			out.Write(text[at:start])
			w := wikilinkOf(text, m)
			out.WriteString(s.wikilink(p, &w, lines.Place(start)))
		}
		at = end
	}
	if comment >= 0 { // without an end, it ends with the text
		return append(out.Bytes(), bytes.Repeat([]byte{'\n'}, bytes.Count(text[comment:], []byte{'\n'}))...)
	}
	out.Write(text[at:])
	return out.Bytes()
}

// wiki is a link of Obsidian.
type wiki struct {
	embedded            bool
	name, heading, text string
}

// wikilinkOf returns the link that a match of wikilink is.
func wikilinkOf(text []byte, match []int) wiki {
	part := func(i int) string {
		if match[i] < 0 {
			return ""
		}
		return strings.TrimSpace(string(text[match[i]:match[i+1]]))
	}
	return wiki{part(2) == "!", part(4), part(6), part(8)}
}

// wikilink is a link or an image of Obsidian as Markdown. A page that is embedded becomes a link.
func (s *site) wikilink(p *page, w *wiki, at record.Place) string {
	name, text := w.name, w.text
	if address.MediaType(name) != "" {
		if strings.Trim(text, "0123456789x") == "" { // a size
			text = ""
		}
		if w.embedded {
			return shortcodes.Image(text, name, "")
		}
		return shortcodes.Link(orElse(text, path.Base(name)), name)
	}
	text = orElse(text, path.Base(name))
	fragment := ""
	if w.heading != "" {
		last := w.heading[strings.LastIndexByte(w.heading, '#')+1:]
		if text == "." {
			text = last
		}
		fragment = "#" + markdown.Slug(last)
	}
	if name == "" {
		return shortcodes.Link(text, fragment)
	}
	to := s.named(p, strings.TrimSuffix(name, path.Ext(extensionOfPage(name))))
	if to == nil {
		s.warn("links to pages that do not exist", p.file, at.Line, at.Col)
		return text
	}
	return shortcodes.Link(text, "/"+to.input()+fragment)
}

func orElse(text, otherwise string) string {
	if text != "" {
		return text
	}
	return otherwise
}
