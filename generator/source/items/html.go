// This file renders the text of Markdown files.

package items

import (
	"strings"

	"contentedge/generator/source/documents"
	"contentedge/generator/source/environment"
	"contentedge/generator/source/markdown"
	"contentedge/generator/source/record"
)

// render finds the first heading of the text, and the HTML if the rule asks for it. Images and links to
// media files lead to the files of the release, and links to items to their pages; other destinations stay.
func (m *maker) render() {
	m.html, m.heading, m.linked = nil, "", nil
	if !m.format.Markdown {
		return
	}
	m.tags()
	if m.renderer == nil {
		m.renderer = markdown.NewRenderer(m.options())
	}
	if m.Rule.Body.HTML == "" {
		m.heading = m.renderer.Heading(m.from.text)
		return
	}
	out, faults := m.renderer.Render(m.from.text, m.from.textAt, m.rewrite)
	for _, f := range faults {
		m.findings = append(m.findings, findingOf(f))
	}
	if len(out.Removed) > 0 {
		m.findings = append(m.findings, finding{Place: out.RemovedAt, kind: unsafeHTML, value: strings.Join(out.Removed, documents.ValueSeparator)})
	}
	if len(out.Components) > 0 {
		m.findings = append(m.findings, finding{Place: out.ComponentsAt, kind: components, value: strings.Join(out.Components, documents.ValueSeparator)})
	}
	m.html, m.heading = out.Text, out.Heading
}

// options returns the options for the file's format. In MDX, HTML is left over from a program, so it is never kept
// unchecked.
func (m *maker) options() markdown.Options {
	if m.format.components {
		return markdown.Options{MDX: true}
	}
	return markdown.Options{HTML: m.Settings.HTML}
}

// components counts texts of MDX of which a site's framework shows more than html.
var components = &documents.Kind{
	One: "components are left out of html: %v", Many: "components are left out of html: %d texts (%v)",
	Hint: "body keeps them, for the framework of the site; the text in them is in html", Note: true,
}

// unsafeHTML counts texts whose HTML is not all that their authors wrote.
var unsafeHTML = &documents.Kind{
	One: "the text has HTML that html leaves out: %v", Many: "%d texts have HTML that html leaves out: %v",
	Hint: "body keeps it; write it in another way, or set html: raw in " + environment.Name + " if you trust all authors", Note: true,
}

// rewrite is the markdown.Rewrite of a text. A URL that is relative to the root of the site and leads to no file stays, as
// the site may have the file.
func (m *maker) rewrite(destination string, image bool, at func() record.Place) (markdown.Destination, error) {
	if !documents.NamesMedia(destination) {
		if image {
			return markdown.Destination{URL: destination}, nil
		}
		return m.link(destination, at), nil
	}
	target, ok := documents.AskMedia(m.in, destination)
	if ok || !documents.RootedURL(destination) {
		m.findings = append(m.findings, finding{Place: at(), value: destination, media: true})
	}
	if !ok {
		target = destination
	}
	return markdown.Destination{URL: target}, nil
}
