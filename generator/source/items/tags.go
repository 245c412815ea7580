// This file counts the tags of template languages in Markdown, which readers of its HTML see as text.

package items

import (
	"strings"

	"contentedge/generator/source/documents"
	"contentedge/generator/source/record"
	"contentedge/generator/source/shortcodes"
)

const tagHint = "generator import markdown reads a site with its tags; or write what the tag stands for as Markdown"

var (
	tagKinds  kindsByText
	otherTags = &documents.Kind{One: "html shows the tag %s of a template language as text", Many: "%d texts have further tags of template languages, which html shows as text", Hint: tagHint}
)

// tags reports the tags of the text, each name once.
func (m *maker) tags() {
	uses := shortcodes.Uses(m.from.text)
	if len(uses) == 0 || m.Rule.Body.HTML == "" || m.format.components {
		return
	}
	lines := record.NewLines(m.from.text, m.from.textAt)
	for _, u := range uses {
		kind := otherTags
		if len(u.Name) <= maxWord {
			kind = tagKinds.of(u.Name, func() *documents.Kind {
				quoted := strings.ReplaceAll(documents.Quoted(u.Name), "%", "%%")
				return &documents.Kind{One: otherTags.One, Many: "%d texts have the tag " + quoted + " of a template language, which html shows as text", Hint: tagHint}
			})
		}
		m.findings = append(m.findings, finding{Place: lines.Place(u.First), kind: kind, value: u.Name})
	}
}
