// This file turns the members of an object into an Item and checks each field.

package model

import (
	"fmt"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/jsonscan"
	"contentedge/generator/uuid"
	"contentedge/generator/visibility"
)

var (
	noText     = []byte(`""`)
	noData     = []byte(`{}`)
	publishedQ = []byte(`"Published"`)
)

type draft struct {
	Item
	Labels
	Text
	start int             // offset of the item
	at    [fieldCount]int // offsets of the values that are given
}

// Document turns a document into an item.
func (p *parser) Document(found documents.Document) {
	start, end, members := found.Start, found.End, found.Members
	if end-start > documents.MaxSize {
		p.Fault(start, fmt.Sprintf("this item has %d bytes; an item may have %d", end-start, documents.MaxSize), "")
		return
	}
	if deep := jsonscan.TooDeep(p.text[start:end], documents.MaxDepth); deep >= 0 {
		p.Fault(start+deep, documents.TooDeep, "")
		return
	}
	if key, n := jsonscan.LongPath(p.text[start:end], MaxPath); key >= 0 {
		p.Fault(start+key, fmt.Sprintf("the path of this key has %d bytes; a path may have %d", n, MaxPath), "shorten the keys; a text belongs into a value")
		return
	}
	d := draft{start: start}
	d.ExpiresAt = visibility.Never
	d.File, d.Line, d.page = p.file, int64(found.Line), found.Path
	p.sort(&d, members)
	p.identity(&d)
	p.texts(&d)
	p.data(&d)
	if p.out.report.errors == 0 {
		d.Item.Order, d.Item.Listed = p.orderKey(&d), p.listValues(&d)
	}
	p.timestamps(&d)
	p.template(&d)
	d.Item.Labels = p.share(&d.Labels)
	p.survey(&d, members)
	p.keep(&d)
	d.media = int32(len(p.media)) - p.mediaBefore
	p.mediaBefore, p.added = int32(len(p.media)), p.added[:0]
	p.items = append(p.items, d.Item)
	p.known = false
}

// keep stores an item's text, unless errors make the build fail anyway.
func (p *parser) keep(d *draft) {
	if p.sink == nil || p.err != nil || p.out.report.errors > 0 {
		return
	}
	d.Item.Text, p.err = p.sink.Put(&d.Text)
	p.written += int64(d.Item.Text.Size)
}

func (p *parser) sort(d *draft, members []jsonscan.Member) {
	for i := range members {
		m := &members[i]
		field := fieldOf(jsoncursor.Unquote(m.Name))
		if field < 0 {
			p.extra(d, m)
			continue
		}
		if string(m.Value) == "null" && field != fieldStatus {
			continue // the same as leaving it out
		}
		d.Raw[field], d.at[field] = m.Value, m.ValueAt
	}
}

// membersOfMeaning are the members of items that the build reads.
var membersOfMeaning = append(FieldNames[:], visibility.FieldExpiresAt)

// extra keeps a member that is not a field, unless its name only misspells a field.
func (p *parser) extra(d *draft, m *jsonscan.Member) {
	name := string(jsoncursor.Unquote(m.Name))
	if name == visibility.FieldExpiresAt {
		p.expires(d, m)
	}
	for _, field := range membersOfMeaning {
		if equalFold(name, field) && name != field {
			p.Fault(m.NameAt, fmt.Sprintf("the key %s is not a field, but %s is", documents.Quoted(name), field), "write "+field+"; keys are case-sensitive")
			return
		}
	}
	d.Extra = append(append(d.Extra, ','), m.Name...)
	d.Extra = jsonscan.AppendCompact(append(d.Extra, ':'), m.Value)
}

func (p *parser) identity(d *draft) {
	text, ok := p.required(d, fieldContentID)
	id := string(text)
	p.known = ok && address.ValidID(id)
	switch {
	case !ok:
		return
	case !p.known:
		p.Fault(d.at[fieldContentID], "the ContentID "+documents.Quoted(id)+" is not valid", `an id is 1 to 128 letters, digits, "_" or "-" and begins with a letter or digit`)
		return
	case !isContentUUID(id):
		p.Repeat(d.at[fieldContentID], otherID, id)
	}
	d.ContentID, d.idAt = id, int64(d.at[fieldContentID])
}

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

func (p *parser) status(d *draft) {
	if string(d.Raw[fieldStatus]) == "null" {
		p.Fault(d.at[fieldStatus], "the Status is null", `give it a text, or leave it out for "Published"`)
		return
	}
	status, ok := p.optional(d, fieldStatus, publishedQ)
	if !ok {
		status = []byte(visibility.Published) // references to the item are not wrong, too
	}
	d.Status = p.intern(status)
	if ok && len(status) == 0 {
		p.Repeat(d.at[fieldStatus], emptyStatus, "")
	}
}

func (p *parser) required(d *draft, field int) ([]byte, bool) {
	if d.Raw[field] == nil {
		p.Fault(d.start, FieldNames[field]+" is missing", examples[field])
		return nil, false
	}
	text, ok := p.textOf(d, field)
	if k, warned := emptyKinds[field]; ok && warned && len(text) == 0 {
		p.Repeat(d.at[field], k, "")
	}
	return text, ok
}

// emptyKinds are warnings. An empty ContentID is an error.
var emptyKinds = map[int]*documents.Kind{fieldName: emptyName, fieldTemplateName: emptyTemplateName}

var examples = map[int]string{
	fieldContentID:    `every item needs an id of its own, "ContentID":"Content_<uuid>"`,
	fieldName:         `every item needs a name, for example "Name":"About us"`,
	fieldTemplateName: `every item needs the name of its template, for example "TemplateName":"Page"`,
}

func (p *parser) optional(d *draft, field int, missing []byte) ([]byte, bool) {
	if d.Raw[field] == nil {
		d.Raw[field] = missing
	}
	return p.textOf(d, field)
}

func (p *parser) textOf(d *draft, field int) ([]byte, bool) {
	raw := d.Raw[field]
	if raw[0] != '"' {
		p.wrongKind(d, field, "a string")
		return nil, false
	}
	return jsoncursor.Unquote(raw), true
}

func (p *parser) wrongKind(d *draft, field int, kind string) {
	p.Fault(d.at[field], fmt.Sprintf("%s must be %s, not %s", FieldNames[field], kind, jsonscan.KindName(d.Raw[field][0])), "")
}

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
	raw = p.gather(d, raw, d.at[fieldData])
	d.Raw[fieldData] = raw
	p.scratch = jsonscan.AppendCompact(p.scratch[:0], raw)
	if len(p.scratch) < len(raw) {
		d.Raw[fieldData] = p.scratch
	}
	if len(p.added) > 0 && len(d.Raw[fieldData]) > documents.MaxSize {
		p.Fault(d.at[fieldData], fmt.Sprintf("with the facts about its media, this item has more than the %d bytes that an item may have", documents.MaxSize), "")
	}
}

func (p *parser) share(labels *Labels) *Labels {
	known, ok := p.labels[*labels]
	if !ok {
		own := *labels
		known = &own
		p.labels[own] = known
	}
	return known
}

func (p *parser) intern(text []byte) string {
	if known, ok := p.names[string(text)]; ok {
		return known
	}
	known := string(text)
	p.names[known] = known
	return known
}

func fieldOf(name []byte) int {
	for i, field := range FieldNames {
		if string(name) == field {
			return i
		}
	}
	return -1
}

// equalFold ignores the case of ASCII letters only.
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

func isContentUUID(id string) bool {
	uuid, ok := strings.CutPrefix(id, contentPrefix)
	if ok {
		_, ok = uuidKey([]byte(contentPrefix + strings.ToLower(uuid)))
	}
	return ok
}

// templateSpace is the UUID's name space. Changing it changes all derived TemplateIDs.
var templateSpace = uuid.Space{0x5a, 0x4e, 0x01, 0xad, 0x77, 0x0e, 0x47, 0xf1, 0xb9, 0xed, 0x77, 0xe8, 0x5e, 0xe9, 0x45, 0x1f}

// TemplateID derives the id of a template from its name.
func TemplateID(name string) string {
	return "Template_" + uuid.V5(templateSpace, name)
}

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
