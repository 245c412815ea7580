// This file writes the structured forms of rich text as HTML. A value is at most documents.MaxDepth deep, so
// recursion is bounded. Nodes of other kinds show what is in them.

package richtext

import (
	"slices"
	"strconv"

	"contentedge/generator/jsontree"
)

// contentfulElements are the elements of Contentful's nodes.
var contentfulElements = map[string]string{
	"paragraph": "p", "ordered-list": "ol", "unordered-list": "ul", "list-item": "li", "blockquote": "blockquote",
	"table": "table", "table-row": "tr", "table-cell": "td", "table-header-cell": "th",
	"heading-1": "h1", "heading-2": "h2", "heading-3": "h3", "heading-4": "h4", "heading-5": "h5", "heading-6": "h6",
}

// contentfulMarks are the elements of Contentful's marks, by the member type of each.
var contentfulMarks = map[string]string{
	"bold": "strong", "italic": "em", "underline": "u", "code": "code", "superscript": "sup", "subscript": "sub", "strikethrough": "s",
}

func (w *writer) contentful(node *jsontree.Value) {
	inside := func() {
		for _, child := range node.Get("content").List() {
			w.contentful(child)
		}
	}
	target := node.Get("data", "target")
	switch kind := node.Get("nodeType").Str(); kind {
	case "text":
		var marks []string
		for _, m := range node.Get("marks").List() {
			marks = append(marks, contentfulMarks[m.Get("type").Str()])
		}
		w.all(distinct(marks), func() { w.text(node.Get("value").Str()) })
	case "hr":
		w.b.WriteString("<hr>")
	case "hyperlink":
		w.element("a", inside, "href", node.Get("data", "uri").Str())
	case "asset-hyperlink":
		w.element("a", inside, "href", target.Get("MediaUrl").Str())
	case "embedded-asset-block":
		w.element("figure", func() { w.embedded("asset", target) })
	case "embedded-entry-block":
		w.element("p", func() { w.embedded("entry", target) })
	case "embedded-entry-inline":
		w.embedded("entry", target)
	default:
		w.element(contentfulElements[kind], inside)
	}
}

// distinct returns the names that are not empty, each once: a mark that is there a thousand times counts once.
func distinct(names []string) (out []string) {
	for _, name := range names {
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// portableStyles are the elements of blocks by style, portableMarks the elements of marks.
var (
	portableStyles = map[string]string{"h1": "h1", "h2": "h2", "h3": "h3", "h4": "h4", "h5": "h5", "h6": "h6", "blockquote": "blockquote"}
	portableMarks  = map[string]string{"strong": "strong", "em": "em", "code": "code", "underline": "u", "strike-through": "s", "sup": "sup", "sub": "sub"}
	portableLists  = map[string]string{"number": "ol"} // others are ul
)

// maxListLevel bounds the depth of lists, which a number in a block gives.
const maxListLevel = 10

// portable writes blocks. Blocks of a list follow each other with their levels.
func (w *writer) portable(v *jsontree.Value) {
	var open []string // the lists around the next block
	level := func(n int, list string) {
		for len(open) > n || n > 0 && len(open) == n && open[n-1] != list {
			w.b.WriteString("</" + open[len(open)-1] + ">")
			open = open[:len(open)-1]
		}
		for len(open) < n {
			w.b.WriteString("<" + list + ">")
			open = append(open, list)
		}
	}
	for _, block := range v.List() {
		if block.Get("_type").Str() != "block" || block.Get("listItem").IsNull() {
			level(0, "")
			w.portableBlock(block)
			continue
		}
		list, ok := portableLists[block.Get("listItem").Str()]
		if !ok {
			list = "ul"
		}
		n, _ := strconv.Atoi(block.Get("level").Text())
		level(min(max(n, 1), maxListLevel), list)
		w.element("li", func() { w.portableSpans(block) })
	}
	level(0, "")
}

func (w *writer) portableBlock(block *jsontree.Value) {
	if block.Get("_type").Str() != "block" {
		medium := block
		for _, m := range block.Members {
			if m.Value.Get("MediaUrl").IsString() {
				medium = m.Value
			}
		}
		w.element("p", func() { w.embedded(block.Get("_type").Str(), medium) })
		return
	}
	name, ok := portableStyles[block.Get("style").Str()]
	if !ok {
		name = "p"
	}
	w.element(name, func() { w.portableSpans(block) })
}

func (w *writer) portableSpans(block *jsontree.Value) {
	links := map[string]string{} // by the key of a mark
	for _, def := range block.Get("markDefs").List() {
		if href := def.Get("href").Str(); href != "" {
			links[def.Get("_key").Str()] = href
		}
	}
	for _, span := range block.Get("children").List() {
		if !span.Get("text").IsString() {
			w.embedded(span.Get("_type").Str(), span)
			continue
		}
		var marks []string
		link := ""
		for _, m := range span.Get("marks").List() {
			marks = append(marks, portableMarks[m.Str()])
			if href := links[m.Str()]; href != "" {
				link = href
			}
		}
		text := func() { w.all(distinct(marks), func() { w.text(span.Get("text").Str()) }) }
		if link == "" {
			text()
		} else {
			w.element("a", text, "href", link)
		}
	}
}

// strapiMarks are the members of a text that mark it, with their elements.
var strapiMarks = [][2]string{{"bold", "strong"}, {"italic", "em"}, {"underline", "u"}, {"strikethrough", "s"}, {"code", "code"}}

func (w *writer) blocks(v *jsontree.Value) {
	for _, block := range v.List() {
		w.block(block)
	}
}

func (w *writer) block(node *jsontree.Value) {
	if text := node.Get("text"); text.IsString() {
		var marks []string
		for _, m := range strapiMarks {
			if node.Get(m[0]).IsTrue() {
				marks = append(marks, m[1])
			}
		}
		w.all(marks, func() { w.text(text.Str()) })
		return
	}
	inside := func() { w.blocks(node.Get("children")) }
	switch node.Get("type").Str() {
	case "heading":
		level, _ := strconv.Atoi(node.Get("level").Text())
		w.element("h"+strconv.Itoa(min(max(level, 1), 6)), inside)
	case "list":
		name := "ul"
		if node.Get("format").Str() == "ordered" {
			name = "ol"
		}
		w.element(name, inside)
	case "list-item":
		w.element("li", inside)
	case "quote":
		w.element("blockquote", inside)
	case "code":
		w.element("pre", func() { w.element("code", inside) })
	case "link":
		w.element("a", inside, "href", node.Get("url").Str())
	case "image":
		w.strapiImage(node.Get("image"))
	default:
		w.element("p", inside)
	}
}

// strapiImage writes an image, which the importer may have made a reference to a media file.
func (w *writer) strapiImage(image *jsontree.Value) {
	if image.Get("MediaUrl").IsString() {
		w.medium(image)
		return
	}
	w.element("figure", func() {
		w.element("img", func() {}, "src", image.Get("url").Str(), "alt", image.Get("alternativeText").Str())
	})
}
