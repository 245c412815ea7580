// This file reads the pattern of the addresses that links get.

package environment

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"contentedge/generator/source/documents"
)

// Links is the pattern of the addresses of items, such as /{language}/{path}/. The zero Links has no pattern.
type Links struct{ pattern string }

// maxLinks bounds the pattern in bytes: each link of a text has it.
const maxLinks = 1000

// The placeholders of a pattern, and the members of an item that they stand for.
const (
	placePath     = "path"
	placeSlug     = "slug"
	placeLanguage = "language"
	placeID       = "id"
	placeTemplate = "template"
)

var (
	placeholders = []string{placePath, placeSlug, placeLanguage, placeID, placeTemplate}
	// telling are the placeholders that tell items apart.
	telling = []string{placePath, placeSlug, placeID}
)

// links decodes the pattern of links.
func (p *parser) links(at int) Links {
	text := p.text("links", at)
	if text == "" {
		return Links{}
	}
	if message, hint := checkLinks(text); message != "" {
		p.fault(at, message, hint)
		return Links{}
	}
	return Links{text}
}

// checkLinks returns what is wrong with a pattern, or "".
func checkLinks(text string) (message, hint string) {
	const example = "for example links: /{path}/"
	switch {
	case len(text) > maxLinks:
		return fmt.Sprintf("links has %d bytes; it may have %d", len(text), maxLinks), ""
	case !hasAnyPrefix(text, "/", "https://", "http://") || strings.HasPrefix(text, "//"):
		return "links is " + documents.Quoted(text) + ", which is not an address", "begin it with / or https://, " + example
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || strings.ContainsRune("\\\"<>\u007f", r) }):
		return "links is " + documents.Quoted(text) + ", which has a character that no address has", "escape it with %"
	}
	tells, unknown := false, ""
	wrong := !eachPart(text, func(literal, name string) {
		tells = tells || slices.Contains(telling, name)
		if unknown == "" && name != "" && !slices.Contains(placeholders, name) {
			unknown = name
		}
	})
	switch {
	case wrong:
		return "links is " + documents.Quoted(text) + ", whose braces do not close", "write a placeholder as {path}"
	case unknown != "":
		return "links has the placeholder " + documents.Quoted("{"+unknown+"}") + ", which is not known", choices(unknown, placeholders)
	case !tells:
		return "links is " + documents.Quoted(text) + ", which is the same for many items", "add {path}, {slug} or {id}, " + example
	}
	return "", ""
}

func hasAnyPrefix(text string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(text, prefix) })
}

// eachPart calls do with each piece of literal text, and the name of the placeholder after it; "" after the last piece. It
// returns false if a brace is wrong.
func eachPart(pattern string, do func(literal, name string)) bool {
	for {
		literal, rest, more := strings.Cut(pattern, "{")
		if strings.Contains(literal, "}") {
			return false
		}
		if !more {
			do(literal, "")
			return true
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed || name == "" || strings.Contains(name, "{") {
			return false
		}
		do(literal, name)
		pattern = after
	}
}

// Address returns the address of an item, or "" without a pattern. An empty value also removes a slash, so that
// /{language}/{path}/ is / for the first page of an environment without languages.
func (l Links) Address(of documents.Target) string {
	values := map[string]string{placePath: of.Path, placeSlug: of.Slug, placeLanguage: of.Language, placeID: of.ID, placeTemplate: of.Template}
	var b strings.Builder
	empty, name := false, ""
	eachPart(l.pattern, func(literal, next string) {
		if empty && name == placePath && strings.HasPrefix(literal, ".") { // /{path}.html
			b.WriteString("index")
		}
		if empty && strings.HasSuffix(b.String(), "/") {
			literal = strings.TrimPrefix(literal, "/")
		}
		b.WriteString(literal)
		name = next
		value := values[name]
		empty = name != "" && value == ""
		b.WriteString(escaped(value))
	})
	return b.String()
}

// escaped writes a value into an address. Slashes stay.
func escaped(value string) string {
	return strings.NewReplacer("%2F", "/", "+", "%20").Replace(url.QueryEscape(value))
}

// languages decodes a list of languages.
func (p *parser) languages(at int) (list []string) {
	p.texts("languages", at, func(text string, at int) {
		switch {
		case !IsLanguage(text):
			p.fault(at, "the language "+documents.Quoted(text)+" is not a code", "write codes such as en, pt-BR or zh-Hans")
		case slices.Contains(list, text):
			p.fault(at, "the language "+documents.Quoted(text)+" is given twice", "remove one of the two")
		default:
			list = append(list, text)
		}
	})
	return list
}
