// This file makes an item of a record.

package items

import (
	"fmt"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/jsonscan"
	"contentedge/generator/source/markdown"
	"contentedge/generator/source/record"
)

// SlugMember is the member of Data that has the last part of an item's path, unless the file has one.
const SlugMember = "slug"

// maker makes one item after the other. It belongs to one goroutine.
type maker struct {
	Rules
	format *Format
	in     documents.Input
	base   string // the path of the file without extension, language and index
	suffix string // the language that the file's name ends in, or ""

	path     string // of the item, without slashes around it; see hasPath
	language string // of the item; "" if nothing says it

	renderer *markdown.Renderer              // nil before the first text
	html     []byte                          // of the text
	linked   map[string]markdown.Destination // of the text
	heading  string                          // the first of the text

	from     *entry
	members  []member // of the record
	b        record.Builder
	written  map[string]bool // members of Data
	findings []finding
	released bool            // the item has a time of publication
	words    map[string]bool // unknown statuses of the file
	origins  []documents.Origin
}

// member is a member of a record, by its offsets there.
type member struct {
	name       string
	nameAt     int
	start, end int // of the value
}

// make returns the item of an entry; nil if a finding is an error.
func (m *maker) make(from *entry) (*record.Record, []finding) {
	m.from, m.findings, m.written = from, nil, map[string]bool{}
	m.origins = []documents.Origin{}
	m.read()
	m.locate()
	m.render()
	m.b.Object(m.begin())
	m.identity()
	m.name()
	m.template()
	m.people()
	m.dates()
	m.status()
	m.expiry()
	m.cascades()
	m.given(address.FieldTemplateID)
	m.data()
	m.b.EndObject()
	item, fault := m.b.Record()
	if fault != nil {
		m.findings = append(m.findings, findingOf(*fault))
	}
	if failed(m.findings) {
		return nil, m.findings
	}
	return &item, m.findings
}

// begin is where the item begins: a Markdown file is an item as a whole.
func (m *maker) begin() record.Place {
	if m.format.Markdown {
		return record.Place{Line: 1, Col: 1}
	}
	return m.from.rec.Start()
}

// read lists the members of the record.
func (m *maker) read() {
	m.members = m.members[:0]
	json := m.from.rec.JSON
	jsoncursor.Children(json, 0, func(name []byte, at int) int {
		end := jsoncursor.ValueEnd(json, at)
		m.members = append(m.members, member{string(jsoncursor.Unquote(name)), at - 1 - len(name), at, end})
		return end
	})
}

// fault reports an error at an offset of the record.
func (m *maker) fault(at int, message, hint string) {
	m.findings = append(m.findings, finding{Place: m.from.rec.Place(at), message: message, hint: hint})
}

// repeat reports a finding of a kind about the item as a whole.
func (m *maker) repeat(kind *documents.Kind, value string) {
	m.findings = append(m.findings, finding{Place: m.begin(), kind: kind, value: value})
}

// top returns a member by its name, or nil if the member is missing or null.
func (m *maker) top(name string) *member {
	for i := range m.members {
		if f := &m.members[i]; f.name == name && string(m.value(f)) != "null" {
			return f
		}
	}
	return nil
}

// usual returns a member by a name that systems which publish Markdown know, as date. Without a member of that name it
// returns the first one in other capitals, as such systems read Date too, or nil.
func (m *maker) usual(name string) *member {
	if f := m.top(name); f != nil {
		return f
	}
	for i := range m.members {
		if f := &m.members[i]; strings.EqualFold(f.name, name) && string(m.value(f)) != "null" {
			return f
		}
	}
	return nil
}

// find returns a member by its name, or by the names that lead to it, joined by dots. It returns nil if the member is
// missing or null.
func (m *maker) find(path string) *member {
	if found := m.top(path); found != nil || path == "" {
		return found
	}
	name, rest, nested := strings.Cut(path, ".")
	outer := m.top(name)
	for nested && outer != nil && m.from.rec.JSON[outer.start] == '{' {
		name, rest, nested = strings.Cut(rest, ".")
		if outer = m.within(outer, name); !nested {
			return outer
		}
	}
	return nil
}

// within returns a member of an object.
func (m *maker) within(object *member, want string) (found *member) {
	json := m.from.rec.JSON
	jsoncursor.Children(json, object.start, func(name []byte, at int) int {
		end := jsoncursor.ValueEnd(json, at)
		if jsoncursor.Spells(name, want) && string(json[at:end]) != "null" {
			found = &member{want, at - 1 - len(name), at, end}
		}
		return end
	})
	return found
}

func (m *maker) value(f *member) []byte { return m.from.rec.JSON[f.start:f.end] }

// text returns the text of a string, a number or a boolean. Other values are a fault, unless they have one already.
func (m *maker) text(f *member) (string, bool) {
	switch value := m.value(f); value[0] {
	case '"':
		return string(jsoncursor.Unquote(value)), true
	case '{', '[':
		if at := m.from.rec.Place(f.start); !slices.ContainsFunc(m.findings, func(f finding) bool { return f.Place == at && f.kind == nil && !f.media }) {
			m.fault(f.start, fmt.Sprintf("%s must be a text, not %s", f.name, jsonscan.KindName(value[0])), "")
		}
		return "", false
	default:
		return string(value), true
	}
}

// given writes a field that the file gives by its own name, and reports whether it does.
func (m *maker) given(field string) bool {
	f := m.top(field)
	if f == nil {
		return false
	}
	m.b.Key(field, m.from.rec.Place(f.nameAt))
	m.b.Value(&m.from.rec, f.start, f.end)
	return true
}

// write writes a field with a text, at the place of the member that it comes from, or of the item.
func (m *maker) write(field, text string, from *member) {
	at := m.begin()
	if from != nil {
		at = m.from.rec.Place(from.start)
	}
	m.b.Key(field, at)
	m.b.String(text, at)
}
