// This file makes HTML of content safe to show. The tokenizer needs no tree, so no nesting is too deep, and the work
// grows with the length of the text.

package richtext

import (
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"

	tokens "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/safehtml"
)

// noteClass is the class of words that preview writes in place of something.
const noteClass = "note"

// replaced are the elements that clean replaces by a few words.
var replaced = map[atom.Atom]bool{atom.Iframe: true, atom.Video: true, atom.Audio: true, atom.Object: true, atom.Embed: true}

// maxHosts bounds the hosts that are named.
const maxHosts = 20

type cleaner struct {
	out    strings.Builder
	inside atom.Atom // the element that is left out until its end
	depth  int       // how many such elements are open
	images bool
	page   Page
}

// clean returns HTML that has only what is allowed.
func clean(text string, images bool) Page {
	c := &cleaner{images: images}
	z := tokens.NewTokenizer(strings.NewReader(text))
	for {
		switch z.Next() {
		case tokens.ErrorToken:
			c.page.HTML = string(safehtml.Balance([]byte(c.out.String())))
			return c.page
		case tokens.TextToken:
			if c.inside == 0 {
				c.out.WriteString(html.EscapeString(string(z.Text())))
			}
		case tokens.StartTagToken, tokens.SelfClosingTagToken:
			c.start(z.Token())
		case tokens.EndTagToken:
			c.close(z.Token().DataAtom)
		}
	}
}

func (c *cleaner) start(t tokens.Token) {
	selfClosing := t.Type == tokens.SelfClosingTagToken
	if c.inside != 0 {
		if t.DataAtom == c.inside && !selfClosing {
			c.depth++
		}
		return
	}
	switch {
	case replaced[t.DataAtom]:
		c.note(t.Data, attribute(t, "src")+attribute(t, "data"))
		fallthrough
	case safehtml.DropsContent(t.DataAtom):
		if !selfClosing && t.DataAtom != atom.Embed {
			c.inside, c.depth = t.DataAtom, 1
		}
		return
	case t.DataAtom == atom.Img:
		c.image(t)
		return
	}
	if !safehtml.Allows(t.DataAtom) {
		return
	}
	c.out.WriteString("<" + t.Data)
	for _, a := range t.Attr {
		c.attribute(t.DataAtom, a)
	}
	c.out.WriteString(">")
}

func attribute(t tokens.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func (c *cleaner) attribute(element atom.Atom, a tokens.Attribute) {
	if !safehtml.AllowsAttribute(element, a.Key) {
		return
	}
	switch a.Key {
	case "href":
		c.link(a.Val)
		return
	case "class":
		if element != atom.Span || a.Val != noteClass {
			return
		}
	}
	c.write(a.Key, a.Val)
}

func (c *cleaner) write(name, value string) {
	c.out.WriteString(" " + name + `="` + html.EscapeString(value) + `"`)
}

// link writes the address of a link. Links open a new tab, those into the text stay. A link to a place of the
// site leads nowhere here: its title says where.
func (c *cleaner) link(href string) {
	href = strings.TrimSpace(href)
	u, err := url.Parse(href)
	switch {
	case err != nil:
	case strings.HasPrefix(href, "#"):
		c.write("href", href)
		c.write("target", "_self")
	case slices.Contains(safehtml.Schemes, u.Scheme), isMedia(href):
		c.write("href", href)
		c.write("target", "_blank")
		c.write("rel", "noreferrer noopener")
	case u.Scheme == "" && href != "":
		c.write("title", href)
	}
}

// isMedia reports whether an address belongs to a media file of a release.
func isMedia(text string) bool {
	route, ok := address.ParsePath(text)
	return ok && route.Kind == address.Media
}

// image writes an image, or a few words in its place if it is of another host, or of none.
func (c *cleaner) image(t tokens.Token) {
	src := strings.TrimSpace(attribute(t, "src"))
	if strings.HasPrefix(src, "//") {
		src = "https:" + src
	}
	u, err := url.Parse(src)
	foreign := err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
	switch {
	case foreign && !c.images:
		c.page.Images++
		if !slices.Contains(c.page.Hosts, u.Host) && len(c.page.Hosts) < maxHosts {
			c.page.Hosts = append(c.page.Hosts, u.Host)
		}
		c.note("image", attribute(t, "alt")+" ("+u.Host+")")
		return
	case !foreign && !safehtml.ImageData.MatchString(src) && !isMedia(src):
		c.note("image", attribute(t, "alt")+" ("+src+")")
		return
	}
	c.out.WriteString("<img")
	c.write("src", src)
	c.write("alt", attribute(t, "alt"))
	for _, name := range []string{"width", "height", "title"} {
		if value := attribute(t, name); value != "" {
			c.write(name, value)
		}
	}
	c.out.WriteString(` loading="lazy">`)
}

// note writes a few words in place of something.
func (c *cleaner) note(what, about string) {
	const longest = 200
	about = strings.TrimSpace(strings.ToValidUTF8(about[:min(len(about), longest)], ""))
	fmt.Fprintf(&c.out, `<span class="%s">[%s]</span>`, noteClass, html.EscapeString(strings.TrimSpace(what+" "+about)))
}

// close writes the end of an element, or ends what is left out.
func (c *cleaner) close(name atom.Atom) {
	switch {
	case c.inside == 0 && safehtml.Allows(name):
		c.out.WriteString("</" + name.String() + ">")
	case c.inside != 0 && name == c.inside:
		if c.depth--; c.depth == 0 {
			c.inside = 0
		}
	}
}
