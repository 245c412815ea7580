// Package safehtml has the list of what HTML of authors may contain: elements, attributes and schemes of addresses.
// Clean filters a piece of HTML by the list, and Balance closes what a text leaves open, so that the page around
// the text keeps its structure.
package safehtml

import (
	"bytes"
	"net/url"
	"regexp"
	"slices"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html/atom"
)

// ItemAttribute is the attribute of a link with the id of the item that it leads to.
const ItemAttribute = "data-content-id"

// elements are the elements that are kept, with their attributes in addition to common.
var elements = func() map[atom.Atom][]string {
	cell := []string{"colspan", "rowspan", "align", "valign"}
	list := map[atom.Atom][]string{
		atom.A: {"href", "name", ItemAttribute}, atom.Img: {"src", "alt", "width", "height", "align"}, atom.Ol: {"start", "reversed", "type"}, atom.Li: {"value"},
		atom.Td: cell, atom.Th: append([]string{"scope"}, cell...), atom.Col: {"span"}, atom.Colgroup: {"span"}, atom.Table: {"align"}, atom.Tr: {"align", "valign"},
		atom.Time: {"datetime"}, atom.Del: {"datetime"}, atom.Ins: {"datetime"}, atom.Details: {"open"},
	}
	for _, a := range []atom.Atom{atom.Div, atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6} {
		list[a] = []string{"align"}
	}
	for _, a := range []atom.Atom{
		atom.Abbr, atom.Address, atom.Article, atom.Aside, atom.B, atom.Bdi, atom.Bdo, atom.Blockquote, atom.Br, atom.Caption, atom.Cite, atom.Code,
		atom.Dd, atom.Dfn, atom.Dl, atom.Dt, atom.Em, atom.Figcaption, atom.Figure, atom.Footer, atom.Header, atom.Hr, atom.I, atom.Kbd, atom.Mark,
		atom.Pre, atom.Q, atom.Rp, atom.Rt, atom.Ruby, atom.S, atom.Samp, atom.Section, atom.Small, atom.Span, atom.Strong, atom.Sub, atom.Summary,
		atom.Sup, atom.Tbody, atom.Tfoot, atom.Thead, atom.U, atom.Ul, atom.Var, atom.Wbr,
	} {
		list[a] = nil
	}
	return list
}()

// common are the attributes that every allowed element may have.
var common = []string{"id", "class", "lang", "dir", "title"}

// withContent are the elements that are left out together with everything in them. Other elements that are not
// allowed leave their text.
var withContent = []atom.Atom{
	atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Svg, atom.Math, atom.Head, atom.Title, atom.Select, atom.Textarea,
	atom.Iframe, atom.Video, atom.Audio, atom.Object, atom.Noembed, atom.Noframes, atom.Xmp, atom.Plaintext,
}

// void are the allowed elements without an end.
var void = []atom.Atom{atom.Br, atom.Hr, atom.Img, atom.Wbr, atom.Col, atom.Input}

// Schemes are the schemes of the addresses that links may lead to.
var Schemes = []string{"http", "https", "mailto", "tel"}

// ImageData matches the data: addresses that are allowed, all of images that run nothing.
var ImageData = regexp.MustCompile(`^data:image/(png|jpeg|gif|webp)[;,]`)

// Allows reports whether an element is kept.
func Allows(element atom.Atom) bool {
	_, ok := elements[element]
	return ok
}

// AllowsAttribute reports whether an allowed element may have an attribute. Addresses are checked separately.
func AllowsAttribute(element atom.Atom, name string) bool {
	return IsCommon(name) || slices.Contains(elements[element], name)
}

// IsCommon reports whether every allowed element may have an attribute.
func IsCommon(name string) bool { return slices.Contains(common, name) }

// DropsContent reports whether an element is left out together with everything in it.
func DropsContent(element atom.Atom) bool { return slices.Contains(withContent, element) }

// IsVoid reports whether an element has no end.
func IsVoid(element atom.Atom) bool { return slices.Contains(void, element) }

var policy = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	for element, attributes := range elements {
		name := element.String()
		p.AllowNoAttrs().OnElements(name)
		p.AllowAttrs(append(slices.Clone(attributes), common...)...).OnElements(name)
	}
	for _, element := range withContent {
		p.SkipElementsContent(element.String())
	}
	p.RequireParseableURLs(true)
	p.AllowRelativeURLs(true)
	p.AllowURLSchemes(Schemes...)
	p.AllowURLSchemeWithCustomPolicy("data", func(u *url.URL) bool { return ImageData.MatchString(u.String()) })
	return p
}()

// Clean returns a piece of HTML with only what is allowed. What the piece leaves open stays open: Balance closes it.
func Clean(piece []byte) []byte {
	if !bytes.ContainsAny(piece, "<&") {
		return piece
	}
	return policy.SanitizeBytes(piece)
}
