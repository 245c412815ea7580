// This file turns the members of an object into an Item and checks each field.

package model

import (
	"fmt"
	"strings"
)

// The JSON text of what is filled in.
var (
	noText     = []byte(`""`)
	noData     = []byte(`{}`)
	publishedQ = []byte(`"Published"`)
)

// draft is an item under construction, with the places of its fields.
type draft struct {
	Item
	Labels
	Text
	start int             // offset of the item
	at    [fieldCount]int // offsets of the values that are given
}

// item checks the members of an item and keeps it.
func (p *parser) item(start, end int, members []member) {
	if end-start > MaxItemSize {
		p.fail(start, fmt.Sprintf("this item has %d bytes; an item may have %d", end-start, MaxItemSize), "")
		return
	}
	if deep := tooDeep(p.text[start:end], MaxDepth); deep >= 0 {
		p.failDepth(start + deep)
		return
	}
	d := draft{start: start}
	d.File, d.Line = p.file, int64(p.lineOf(start))
	p.sort(&d, members)
	p.identity(&d)
	p.texts(&d)
	p.data(&d)
	p.timestamps(&d)
	p.template(&d)
	p.survey(&d, members)
	p.keep(&d)
	d.Item.Labels = p.share(&d.Labels)
	p.items = append(p.items, d.Item)
	p.known = false
}

// keep hands the text of an item on, unless something is wrong and nothing will be
// made of it.
func (p *parser) keep(d *draft) {
	if p.keeper == nil || p.err != nil || p.out.report.errors > 0 {
		return
	}
	d.Item.Text, p.err = p.keeper.Keep(&d.Text)
}

// sort puts each member where it belongs: a field, or the extras.
func (p *parser) sort(d *draft, members []member) {
	for i := range members {
		m := &members[i]
		field := fieldOf(unquote(m.name))
		if field < 0 {
			p.extra(d, m)
			continue
		}
		if string(m.value) == "null" && field != fieldStatus {
			continue // the same as leaving it out
		}
		d.Raw[field], d.at[field] = m.value, m.valueAt
	}
}

// extra keeps a member that is no field, unless it was meant to be one.
func (p *parser) extra(d *draft, m *member) {
	name := string(unquote(m.name))
	for _, field := range FieldNames {
		if equalFold(name, field) {
			p.fail(m.nameAt, fmt.Sprintf("the key %s is no field, but %s is", quoted(name), field), "write "+field+"; keys are case-sensitive")
			return
		}
	}
	d.Extra = append(append(d.Extra, ','), m.name...)
	d.Extra = appendCompact(append(d.Extra, ':'), m.value)
}

// identity checks ContentID.
func (p *parser) identity(d *draft) {
	text, ok := p.required(d, fieldContentID)
	id := string(text)
	p.known = ok && validID(id)
	switch {
	case !ok:
		return
	case !p.known:
		p.fail(d.at[fieldContentID], "the ContentID "+quoted(id)+" is not valid", `an id is 1 to 128 letters, digits, "_" or "-" and begins with a letter or digit`)
		return
	case !isContentUUID(id):
		p.warn(otherID, d.at[fieldContentID], id)
	}
	d.ContentID, d.idAt = id, int64(d.at[fieldContentID])
}

// texts checks the fields that are any text.
func (p *parser) texts(d *draft) {
	if name, ok := p.required(d, fieldName); ok {
		d.Name = string(name)
	}
	if name, ok := p.required(d, fieldTemplateName); ok {
		d.TemplateName = p.intern(name)
	}
	creator, _ := p.optional(d, fieldCreatedBy, noText)
	d.CreatedBy = p.intern(creator)
	updater, _ := p.optional(d, fieldUpdatedBy, noText)
	publisher, _ := p.optional(d, fieldPublishedBy, noText)
	d.UpdatedBy, d.PublishedBy = p.intern(updater), p.intern(publisher)
	p.status(d)
}

// status checks Status, which decides who sees the item.
func (p *parser) status(d *draft) {
	if string(d.Raw[fieldStatus]) == "null" {
		p.fail(d.at[fieldStatus], "the Status is null", `give it a text, or leave it out for "Published"`)
		return
	}
	status, ok := p.optional(d, fieldStatus, publishedQ)
	d.Status = p.intern(status)
	if ok && len(status) == 0 {
		p.warn(emptyStatus, d.at[fieldStatus], "")
	}
}

// required returns the text of a field that must be there.
func (p *parser) required(d *draft, field int) ([]byte, bool) {
	if d.Raw[field] == nil {
		p.fail(d.start, FieldNames[field]+" is missing", examples[field])
		return nil, false
	}
	text, ok := p.textOf(d, field)
	if k, warned := emptyKinds[field]; ok && warned && len(text) == 0 {
		p.warn(k, d.at[field], "")
	}
	return text, ok
}

// emptyKinds are the warnings about required fields that are empty; an empty ContentID
// is an error.
var emptyKinds = map[int]kind{fieldName: emptyName, fieldTemplateName: emptyTemplateName}

// examples show the required fields.
var examples = map[int]string{
	fieldContentID:    `every item needs an id of its own, "ContentID":"Content_<uuid>"`,
	fieldName:         `every item needs a name, for example "Name":"About us"`,
	fieldTemplateName: `every item needs the name of its template, for example "TemplateName":"Page"`,
}

// optional returns the text of a field that is filled in when missing.
func (p *parser) optional(d *draft, field int, missing []byte) ([]byte, bool) {
	if d.Raw[field] == nil {
		d.Raw[field] = missing
	}
	return p.textOf(d, field)
}

// textOf returns the text of a field that is there and must be a string.
func (p *parser) textOf(d *draft, field int) ([]byte, bool) {
	raw := d.Raw[field]
	if raw[0] != '"' {
		p.wrongKind(d, field, "a string")
		return nil, false
	}
	return unquote(raw), true
}

// wrongKind reports a field that is not of its kind.
func (p *parser) wrongKind(d *draft, field int, kind string) {
	p.fail(d.at[field], fmt.Sprintf("%s must be %s, not %s", FieldNames[field], kind, kindName(d.Raw[field][0])), "")
}

// data checks Data and takes the white space off it.
func (p *parser) data(d *draft) {
	raw := d.Raw[fieldData]
	if raw == nil {
		d.Raw[fieldData] = noData
		return
	}
	if raw[0] != '{' {
		p.wrongKind(d, fieldData, "an object")
		return
	}
	p.gather(d, raw, d.at[fieldData])
	p.scratch = appendCompact(p.scratch[:0], raw)
	if len(p.scratch) < len(raw) {
		d.Raw[fieldData] = p.scratch
	}
}

// share returns one copy of the labels that many items share.
func (p *parser) share(labels *Labels) *Labels {
	known, ok := p.labels[*labels]
	if !ok {
		own := *labels
		known = &own
		p.labels[own] = known
	}
	return known
}

// intern returns one copy of a text that many items share.
func (p *parser) intern(text []byte) string {
	if known, ok := p.names[string(text)]; ok {
		return known
	}
	known := string(text)
	p.names[known] = known
	return known
}

// fieldOf returns the position of a field's name, or -1.
func fieldOf(name []byte) int {
	for i, field := range FieldNames {
		if string(name) == field {
			return i
		}
	}
	return -1
}

// equalFold compares without regard to the case of ASCII letters: no other
// letter may pass for one of a field's name.
func equalFold(a, b string) bool {
	return len(a) == len(b) && asciiLower(a) == asciiLower(b)
}

func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, s)
}

// validID tells whether a text is [A-Za-z0-9][A-Za-z0-9_-]{0,127}: a path
// segment and a file name everywhere, without escaping.
func validID(id string) bool {
	if id == "" || len(id) > 128 {
		return false
	}
	for i := range len(id) {
		if c := id[i]; !alphanumeric(c) && (i == 0 || c != '_' && c != '-') {
			return false
		}
	}
	return true
}

func alphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// isContentUUID tells whether an id is Content_<uuid>.
func isContentUUID(id string) bool {
	const form = "Content_xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	if len(id) != len(form) {
		return false
	}
	for i := range len(form) {
		if c := id[i]; form[i] == 'x' && i > len("Content_")-1 {
			if !alphanumeric(c) || c > 'f' || 'F' < c && c < 'a' {
				return false
			}
		} else if c != form[i] {
			return false
		}
	}
	return true
}
