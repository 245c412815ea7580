// This file reads names of people.

package items

import (
	"strings"

	"contentedge/edgeserve/wire/jsoncursor"
)

// names returns the names in a value: a text, an object with a name, or a list of texts and objects.
func (m *maker) names(f *member) string {
	switch m.value(f)[0] {
	case '[':
		var all []string
		json := m.from.rec.JSON
		jsoncursor.Children(json, f.start, func(_ []byte, at int) int {
			end := jsoncursor.ValueEnd(json, at)
			if json[at] == '[' {
				m.fault(at, f.name+" must be a name or a list of names", "")
			} else if name := m.names(&member{f.name, at, at, end}); name != "" {
				all = append(all, name)
			}
			return end
		})
		return strings.Join(all, ", ")
	case '{':
		if name := m.within(f, "name"); name != nil && m.value(name)[0] == '"' {
			text, _ := m.text(name)
			return text
		}
		m.fault(f.start, f.name+" must be a name, not an object", "an object may have a member name")
		return ""
	case 'n':
		return ""
	}
	text, _ := m.text(f)
	return strings.TrimSpace(text)
}
