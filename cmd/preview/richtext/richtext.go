// Package richtext renders rich text of items as HTML for preview. Package plaintext knows which form a value has.
// The structured forms become HTML first. All HTML then passes the same list of allowed elements, attributes and
// addresses (clean.go). The HTML is still content of strangers: show it in a sandbox, with a policy that loads
// nothing.
package richtext

import (
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"contentedge/generator/jsontree"
	"contentedge/generator/plaintext"
)

// MaxText bounds the JSON text of a value that is rendered, in bytes.
const MaxText = 1 << 20

// maxTexts bounds the rich texts that are listed of an item.
const maxTexts = 100

// Text is a rich text of an item.
type Text struct {
	Pointer string           // where it is in the item: a JSON pointer
	Format  plaintext.Format // HTML, a structured form, or Markdown
	Lines   int              // about how many lines of a page it fills
}

// Find lists the rich texts of a value: the texts that plaintext recognises, and strings that look like Markdown.
func Find(v *jsontree.Value) []Text {
	var f finder
	f.value(v, "")
	return f.texts
}

type finder struct{ texts []Text }

func (f *finder) value(v *jsontree.Value, pointer string) {
	if v == nil || len(f.texts) == maxTexts {
		return
	}
	format := plaintext.FormatOf(v)
	if format == plaintext.None && v.IsString() && looksLikeMarkdown(v.Str()) {
		format = Markdown
	}
	if format != plaintext.None {
		f.texts = append(f.texts, Text{pointer, format, linesOf(format, v)})
		return
	}
	for _, m := range v.Members {
		f.value(m.Value, pointer+"/"+escapePointer.Replace(m.Name))
	}
	for i, item := range v.Items {
		f.value(item, pointer+"/"+strconv.Itoa(i))
	}
}

var (
	escapePointer   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")
)

// At returns the value at a JSON pointer, or nil if no value is there.
func At(v *jsontree.Value, pointer string) *jsontree.Value {
	if pointer == "" {
		return v
	}
	if pointer[0] != '/' {
		return nil
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		if v.IsArray() {
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v.Items) || strconv.Itoa(i) != token {
				return nil
			}
			v = v.Items[i]
		} else if v = v.Get(unescapePointer.Replace(token)); v == nil {
			return nil
		}
	}
	return v
}

// linesOf estimates the lines of a page that a text fills.
func linesOf(f plaintext.Format, v *jsontree.Value) (n int) {
	const width = 90 // letters of a line
	text := v.Str()
	if f != Markdown {
		text = plaintext.As(f, v)
	}
	for line := range strings.SplitSeq(text, "\n") {
		n += 1 + len(line)/width
	}
	return n
}

// Page is a rendered text.
type Page struct {
	HTML   string
	Hosts  []string // of images that were left out, in order
	Images int      // how many images were left out
}

// Render renders a value in a format. With images it keeps images of other hosts. A value of another shape
// becomes an empty page; an error says why a text cannot be shown.
func Render(f plaintext.Format, v *jsontree.Value, images bool) (Page, error) {
	text, err := toHTML(f, v)
	if err != nil {
		return Page{}, err
	}
	if len(text) > 4*MaxText {
		return Page{}, fmt.Errorf("the text is too long to be shown: %d bytes of HTML", len(text))
	}
	return clean(text, images), nil
}

func toHTML(f plaintext.Format, v *jsontree.Value) (string, error) {
	if n := len(v.Append(nil)); n > MaxText {
		return "", fmt.Errorf("the text is too long to be shown: %d bytes of %d", n, MaxText)
	}
	w := &writer{}
	switch f {
	case plaintext.None:
		return "", nil
	case plaintext.HTML:
		return v.Str(), nil
	case Markdown:
		return fromMarkdown(v.Str())
	case plaintext.Contentful:
		w.contentful(v)
	case plaintext.PortableText:
		w.portable(v)
	case plaintext.StrapiBlocks:
		w.blocks(v)
	case Medium:
		w.medium(v)
	default:
		for line := range strings.SplitSeq(plaintext.As(f, v), "\n") {
			w.element("p", func() { w.text(line) })
		}
	}
	return w.b.String(), nil
}

// writer writes HTML.
type writer struct{ b strings.Builder }

func (w *writer) text(s string) {
	w.b.WriteString(strings.ReplaceAll(html.EscapeString(s), "\n", "<br>"))
}

// element writes an element around what inside writes. An empty name means no element. attributes are pairs of name
// and value.
func (w *writer) element(name string, inside func(), attributes ...string) {
	if name == "" {
		inside()
		return
	}
	w.b.WriteString("<" + name)
	for pair := range slices.Chunk(attributes, 2) {
		w.b.WriteString(" " + pair[0] + `="` + html.EscapeString(pair[1]) + `"`)
	}
	w.b.WriteString(">")
	inside()
	w.b.WriteString("</" + name + ">")
}

// all writes elements around what inside writes, the first outermost.
func (w *writer) all(names []string, inside func()) {
	if len(names) == 0 {
		inside()
		return
	}
	w.element(names[0], func() { w.all(names[1:], inside) })
}

// Medium is the format of a reference to a media file.
const Medium plaintext.Format = "media"

// medium writes the image of a reference to a media file.
func (w *writer) medium(v *jsontree.Value) {
	w.b.WriteString(`<img src="` + html.EscapeString(v.Get("MediaUrl").Str()) + `" alt="` + html.EscapeString(v.Get("AltText").Str()) + `">`)
}

// embedded writes what stands for something between the blocks of a text: an image, or a few words.
func (w *writer) embedded(what string, v *jsontree.Value) {
	if v.Get("MediaUrl").IsString() {
		w.medium(v)
		return
	}
	for _, id := range v.Get("ContentIDs").List() {
		what += " " + id.Str()
	}
	w.element("span", func() { w.text("[" + what + "]") }, "class", noteClass)
}
