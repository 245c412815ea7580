// This file takes the text out of HTML. The tokenizer needs no tree, so no nesting is too deep.

package plaintext

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// inline are the elements within a line. The others end a line before and after them.
var inline = map[atom.Atom]bool{
	atom.A: true, atom.Abbr: true, atom.Acronym: true, atom.B: true, atom.Bdi: true, atom.Bdo: true, atom.Big: true, atom.Button: true,
	atom.Cite: true, atom.Code: true, atom.Data: true, atom.Del: true, atom.Dfn: true, atom.Em: true, atom.Font: true, atom.I: true,
	atom.Img: true, atom.Input: true, atom.Ins: true, atom.Kbd: true, atom.Label: true, atom.Mark: true, atom.Picture: true, atom.Q: true,
	atom.Rp: true, atom.Rt: true, atom.Ruby: true, atom.S: true, atom.Samp: true, atom.Select: true, atom.Small: true, atom.Source: true,
	atom.Span: true, atom.Strike: true, atom.Strong: true, atom.Sub: true, atom.Sup: true, atom.Svg: true, atom.Time: true,
	atom.Tt: true, atom.U: true, atom.Var: true, atom.Wbr: true,
}

// cells are the elements whose words share a line with the next elements.
var cells = map[atom.Atom]bool{atom.Td: true, atom.Th: true, atom.Option: true}

// dropped are the elements whose content no reader sees. The tokenizer gives it as one text.
var dropped = map[atom.Atom]bool{atom.Script: true, atom.Style: true, atom.Iframe: true, atom.Noembed: true, atom.Noframes: true}

func (l *lines) html(text string) {
	z := html.NewTokenizer(strings.NewReader(text))
	skip, pre := false, 0
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			l.end()
			return
		case html.TextToken:
			if !skip {
				l.add(string(z.Text()), pre > 0)
			}
			skip = false
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			name, _ := z.TagName()
			tag := atom.Lookup(name)
			l.tag(tag)
			skip = kind == html.StartTagToken && dropped[tag]
			if tag == atom.Pre && kind == html.StartTagToken {
				pre++
			} else if tag == atom.Pre && kind == html.EndTagToken && pre > 0 {
				pre--
			}
		}
		if l.full {
			return
		}
	}
}

// tag ends the line or a word where a tag does. Unknown elements, as in components, are inline.
func (l *lines) tag(tag atom.Atom) {
	switch {
	case cells[tag]:
		l.gap()
	case tag != 0 && !inline[tag]:
		l.end()
	}
}

// IsHTML reports whether a text begins with a tag of HTML and ends with a tag.
func IsHTML(text string) bool {
	text = strings.TrimSpace(text)
	if len(text) < 4 || text[0] != '<' || text[len(text)-1] != '>' {
		return false
	}
	const longest = 32 // bytes of a name and of a comment's or a tag's beginning
	name, _, _ := strings.Cut(strings.TrimPrefix(text[1:min(len(text), longest)], "/"), ">")
	name, _, _ = strings.Cut(name, " ")
	if strings.HasPrefix(name, "!--") || strings.EqualFold(name, "!doctype") {
		return true
	}
	return atom.Lookup([]byte(strings.ToLower(strings.TrimSuffix(name, "/")))) != 0
}
