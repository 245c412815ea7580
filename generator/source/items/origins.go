// This file records which members decide who sees an item.

package items

import (
	"contentedge/edgeserve/wire/address"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/jsonscan"
)

// origin records that a member of the file gives a field; nil means that no member does.
func (m *maker) origin(field string, from *member) {
	if !m.in.Origins || from == nil {
		return
	}
	at := m.from.rec.Place(from.start)
	m.origins = append(m.origins, documents.Origin{Field: field, Member: from.name, Value: string(jsonscan.ScalarText(m.value(from))), Line: at.Line, Col: at.Col})
}

// originInRule records that the rule of the file gives the Status.
func (m *maker) originInRule(member, value string) {
	if at := m.Rule.Status.Place; m.in.Origins {
		m.origins = append(m.origins, documents.Origin{Field: address.FieldStatus, Member: member, Value: value, Settings: true, Line: at.Line, Col: at.Col})
	}
}
