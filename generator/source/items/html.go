// This file renders the text of Markdown files.

package items

import (
	"contentedge/generator/source/documents"
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
		m.renderer = markdown.NewRenderer()
	}
	if m.Rule.Body.HTML == "" || m.format.components {
		m.heading = m.renderer.Heading(m.from.text)
		return
	}
	out, faults := m.renderer.Render(m.from.text, m.from.textAt, m.rewrite)
	for _, f := range faults {
		m.findings = append(m.findings, findingOf(f))
	}
	if out.Raw {
		m.findings = append(m.findings, finding{Place: out.RawAt, kind: rawHTML})
	}
	m.html, m.heading = out.Text, out.Heading
}

// rawHTML counts texts whose HTML is not all that a browser would show of them.
var rawHTML = &documents.Kind{
	One: "the text has HTML, which html leaves out", Many: "%d texts have HTML, which html leaves out",
	Hint: "body keeps it; write it as Markdown where readers of html need it", Note: true,
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
