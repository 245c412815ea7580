// This file is the list of what HTML of content may have. The tokenizer needs no tree, so no nesting is too deep,
// and the work grows with the length of the text.

package richtext

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"

	tokens "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"contentedge/edgeserve/wire/address"
)

// noteClass is the class of words that preview writes in place of something.
const noteClass = "note"

// allowed are the elements that are kept, with their attributes beside those of all elements. What stands in others
// is kept without them.
var allowed = func() map[atom.Atom][]string {
	list := map[atom.Atom][]string{
		atom.A: {"href"}, atom.Img: {"src", "alt", "width", "height"}, atom.Ol: {"start", "reversed", "type"}, atom.Li: {"value"},
		atom.Td: {"colspan", "rowspan"}, atom.Th: {"colspan", "rowspan", "scope"}, atom.Col: {"span"}, atom.Colgroup: {"span"},
		atom.Time: {"datetime"}, atom.Del: {"datetime"}, atom.Ins: {"datetime"}, atom.Details: {"open"}, atom.Span: {"class"},
	}
	for _, a := range []atom.Atom{
		atom.Abbr, atom.Address, atom.Article, atom.Aside, atom.B, atom.Bdi, atom.Bdo, atom.Blockquote, atom.Br, atom.Caption, atom.Cite, atom.Code,
		atom.Dd, atom.Dfn, atom.Div, atom.Dl, atom.Dt, atom.Em, atom.Figcaption, atom.Figure, atom.Footer, atom.H1, atom.H2, atom.H3, atom.H4,
		atom.H5, atom.H6, atom.Header, atom.Hr, atom.I, atom.Kbd, atom.Mark, atom.P, atom.Pre, atom.Q, atom.Rp, atom.Rt, atom.Ruby, atom.S,
		atom.Samp, atom.Section, atom.Small, atom.Strong, atom.Sub, atom.Summary, atom.Sup, atom.Table, atom.Tbody, atom.Tfoot, atom.Thead,
		atom.Tr, atom.U, atom.Ul, atom.Var, atom.Wbr,
	} {
		list[a] = nil
	}
	return list
}()

// common are the attributes that every allowed element may have.
var common = []string{"id", "lang", "dir", "title"}

// void are the elements without an end.
var void = map[atom.Atom]bool{atom.Br: true, atom.Hr: true, atom.Img: true, atom.Wbr: true, atom.Col: true}

// dropped are the elements that go with all that is in them, and replaced those of them that a few words stand for.
var (
	dropped  = map[atom.Atom]bool{atom.Script: true, atom.Style: true, atom.Template: true, atom.Noscript: true, atom.Svg: true, atom.Math: true, atom.Head: true, atom.Title: true, atom.Select: true, atom.Textarea: true}
	replaced = map[atom.Atom]bool{atom.Iframe: true, atom.Video: true, atom.Audio: true, atom.Object: true, atom.Embed: true}
)

// maxOpen bounds the elements that are open at a time: browsers give up at about as many.
const maxOpen = 400

// maxHosts bounds the hosts that are named.
const maxHosts = 20

type cleaner struct {
	out    strings.Builder
	open   []atom.Atom
	inside atom.Atom // of dropped or replaced: all is left out until its end
	depth  int       // how many of it are open
	images bool
	page   Page
}

// clean returns HTML that has what is allowed alone.
func clean(text string, images bool) Page {
	c := &cleaner{images: images}
	z := tokens.NewTokenizer(strings.NewReader(text))
	for {
		switch z.Next() {
		case tokens.ErrorToken:
			for i := range slices.Backward(c.open) {
				c.end(i)
			}
			c.page.HTML = c.out.String()
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
	case dropped[t.DataAtom]:
		if !selfClosing && t.DataAtom != atom.Embed {
			c.inside, c.depth = t.DataAtom, 1
		}
		return
	case t.DataAtom == atom.Img:
		c.image(t)
		return
	}
	attributes, ok := allowed[t.DataAtom]
	if !ok || len(c.open) == maxOpen {
		return
	}
	c.out.WriteString("<" + t.Data)
	for _, a := range t.Attr {
		c.attribute(t.DataAtom, attributes, a)
	}
	c.out.WriteString(">")
	if !void[t.DataAtom] {
		c.open = append(c.open, t.DataAtom)
	}
}

func attribute(t tokens.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func (c *cleaner) attribute(element atom.Atom, names []string, a tokens.Attribute) {
	if !slices.Contains(common, a.Key) && !slices.Contains(names, a.Key) {
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
	case slices.Contains([]string{"http", "https", "mailto", "tel"}, strings.ToLower(u.Scheme)), isMedia(href):
		c.write("href", href)
		c.write("target", "_blank")
		c.write("rel", "noreferrer noopener")
	case u.Scheme == "" && href != "":
		c.write("title", href)
	}
}

// isMedia reports whether an address is that of a media file of a release.
func isMedia(text string) bool {
	route, ok := address.ParsePath(text)
	return ok && route.Kind == address.Media
}

var imageData = regexp.MustCompile(`^data:image/(png|jpeg|gif|webp)[;,]`)

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
	case !foreign && !imageData.MatchString(src) && !isMedia(src):
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

// close ends an element, and those that are open in it. Ends of elements that are not open are dropped.
func (c *cleaner) close(name atom.Atom) {
	if c.inside != 0 {
		if name == c.inside {
			if c.depth--; c.depth == 0 {
				c.inside = 0
			}
		}
		return
	}
	for i := range slices.Backward(c.open) {
		if c.open[i] != name {
			continue
		}
		for j := len(c.open) - 1; j >= i; j-- {
			c.end(j)
		}
		c.open = c.open[:i]
		return
	}
}

func (c *cleaner) end(i int) { c.out.WriteString("</" + c.open[i].String() + ">") }
