// Package plaintext takes the text out of rich text: HTML, and the structured forms of content
// management systems. Each block is a line. It knows a form by its shape.
package plaintext

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"contentedge/generator/jsontree"
)

// Format is a form of rich text.
type Format string

// The forms, in the words of messages. None is any other value.
const (
	None         Format = ""
	HTML         Format = "HTML"
	Contentful   Format = "Contentful rich text"
	PortableText Format = "portable text"
	StrapiBlocks Format = "Strapi blocks"
	Lexical      Format = "Lexical"
	Mobiledoc    Format = "mobiledoc"
	ProseMirror  Format = "ProseMirror" // and TipTap, as Storyblok has it
	Slate        Format = "Slate"       // as Hygraph and older versions of Payload have it
	Prismic      Format = "Prismic rich text"
	Notion       Format = "Notion rich text"
)

// MaxText bounds a plain text in bytes. A longer text is cut: an index of more text finds everything, and an item has
// to hold the text and its source (documents.MaxSize).
const MaxText = 4 << 20

// FormatOf returns the form of a value. A string is HTML if it begins and ends with a tag.
func FormatOf(v *jsontree.Value) Format {
	f, _ := recognise(v)
	return f
}

// Of returns the plain text of a value, and the form that the value has.
func Of(v *jsontree.Value) (string, Format) {
	f, tree := recognise(v)
	if f == None {
		return "", None
	}
	return As(f, tree), f
}

// FromHTML returns the plain text of HTML.
func FromHTML(html string) string {
	var l lines
	l.html(html)
	return l.String()
}

// As returns the plain text of a value that is known to have a form. Parts of another shape have no
// text.
func As(f Format, v *jsontree.Value) string {
	var l lines
	v = unwrap(v)
	switch f {
	case HTML:
		l.html(v.Str())
	case Contentful:
		l.contentful(v)
	case PortableText:
		l.portable(v)
	case StrapiBlocks:
		l.blocks(v)
	case Lexical:
		l.lexical(v.Get("root"))
	case Mobiledoc:
		l.mobiledoc(v)
	case ProseMirror:
		l.proseMirror(v)
	case Slate:
		l.slate(v)
	case Prismic:
		l.runs(v, "text", true)
	case Notion:
		l.runs(v, "plain_text", false)
	}
	return l.String()
}

// lines builds a text of lines: white space is one space, no line is empty.
type lines struct {
	text  strings.Builder
	line  bool // the current line has a word
	space bool // a space comes before the next word
	full  bool
}

func (l *lines) String() string { return strings.TrimSuffix(l.text.String(), "\n") }

// softHyphen divides words only where they are displayed.
const softHyphen = '\u00ad'

// add adds text to the line. Line breaks in it end the line, if asked.
func (l *lines) add(text string, breaks bool) {
	for _, r := range text {
		switch {
		case l.full:
			return
		case r == softHyphen:
		case breaks && r == '\n':
			l.end()
		case unicode.IsSpace(r):
			l.space = l.line
		default:
			l.rune(r)
		}
	}
}

func (l *lines) rune(r rune) {
	if l.text.Len()+1+utf8.RuneLen(r) > MaxText {
		l.full = true
		return
	}
	if l.space {
		l.text.WriteByte(' ')
	}
	l.text.WriteRune(r)
	l.line, l.space = true, false
}

// end ends the line, unless it is empty.
func (l *lines) end() {
	if l.line && !l.full {
		l.text.WriteByte('\n')
	}
	l.line, l.space = false, false
}

// gap separates words of one line.
func (l *lines) gap() { l.space = l.line }
