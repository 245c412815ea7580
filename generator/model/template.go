// This file derives the template ids that items leave out. Items of one template
// must share an id, in every build and on every machine, so the id is the
// version 5 UUID (RFC 9562, section 5.5) of the template's name in a name space
// of ours.

package model

import (
	"crypto/sha1" // version 5 UUIDs are made of it; nothing here is secret
	"fmt"
)

// templateSpace is the name space, a random UUID. Changing it changes the
// TemplateID of all items that leave it out.
var templateSpace = [16]byte{0x5a, 0x4e, 0x01, 0xad, 0x77, 0x0e, 0x47, 0xf1, 0xb9, 0xed, 0x77, 0xe8, 0x5e, 0xe9, 0x45, 0x1f}

// TemplateID returns the id of a template for which none is given.
func TemplateID(name string) string {
	sum := sha1.Sum(append(templateSpace[:len(templateSpace):len(templateSpace)], name...))
	u := sum[:16]
	u[6] = u[6]&0x0f | 0x50
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("Template_%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

// template checks TemplateID, or derives it.
func (p *parser) template(d *draft) {
	if d.Raw[fieldTemplateID] != nil {
		id, _ := p.textOf(d, fieldTemplateID)
		d.TemplateID = p.intern(id)
		return
	}
	raw, ok := p.templates[d.TemplateName]
	if !ok {
		raw = []byte(`"` + TemplateID(d.TemplateName) + `"`)
		p.templates[d.TemplateName] = raw
	}
	d.Raw[fieldTemplateID] = raw
	d.TemplateID = p.intern(raw[1 : len(raw)-1])
}
