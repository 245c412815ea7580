// This file parses the members of a body that add values of fields to hits.

package query

import "contentedge/edgeserve/wire/problem"

// FieldFormat is an entry of fields or docvalue_fields: a name or a pattern of stars. Format is ""
// for that of the field's type.
type FieldFormat struct{ Field, Format string }

// maxFields limits the entries of fields, and the fields of docvalue_fields, as in Elasticsearch.
const maxFields = 100

func (p *bodyParser) fieldsMember(b *Body, m *value) { b.Fields, b.Hits = p.fieldFormats(m), true }

func (p *bodyParser) docvalueFields(b *Body, m *value) {
	b.DocvalueFields, b.Hits = p.fieldFormats(m), true
}

func (p *bodyParser) fieldFormats(m *value) (list []FieldFormat) {
	if m.kind != kindArray {
		p.wrongValue(m, "an array of names, or of objects with field and format")
		return nil
	}
	if p.tooMany(m, "fields", len(m.items), maxFields) {
		return nil
	}
	list = []FieldFormat{} // an empty list counts as given
	p.each(m, func(e *value) { list = append(list, p.fieldFormat(e)) })
	return list
}

func (p *bodyParser) fieldFormat(e *value) (f FieldFormat) {
	if e.kind != kindObject {
		f.Field = p.fieldName(e)
		return f
	}
	p.require(e, "field")
	for i := range e.items {
		switch o := &e.items[i]; o.name {
		case "field":
			f.Field = p.fieldName(o)
		case "format":
			if o.kind == kindNull {
				continue
			}
			if f.Format = p.text(o); f.Format == "use_field_mapping" {
				f.Format = ""
			}
		default:
			p.fail(o, problem.UnknownOption, "unknown option %q of a field; known options: field, format", clip(o.name))
		}
	}
	return f
}

// noStored is the name that leaves out the id and the source.
const noStored = "_none_"

// storedFields parses names of stored fields. There are none but the source.
func (p *bodyParser) storedFields(b *Body, m *value) {
	if m.kind != kindArray && m.kind != kindString {
		p.wrongValue(m, "a name or an array of names")
		return
	}
	source := false
	for _, name := range p.storedNames(m) {
		source = source || name == "_source"
		if name == noStored {
			b.NoID = true
		}
	}
	if b.NoID && len(m.items) > 1 {
		p.fail(m, problem.BadBody, "stored_fields cannot have %s beside other names", noStored)
	}
	b.stored, b.Hits = true, true
	if source && !b.HasSource {
		b.stored = false
	}
}

// storedNames are the names of an array, or of a text of one.
func (p *bodyParser) storedNames(m *value) []string { return p.texts(m, maxFields) }

// finish applies the members that depend on each other.
func (p *bodyParser) finish(b *Body, m *value) {
	switch wanted := b.HasSource && (b.Source == nil || !b.Source.None); {
	case b.NoID && wanted:
		p.fail(m.member("stored_fields"), problem.BadBody, "stored_fields cannot be %s if _source is asked for", noStored)
	case b.stored && !b.HasSource:
		b.Source, b.HasSource = &Source{None: true}, true
	}
}

func (p *bodyParser) explain(b *Body, m *value) {
	b.Explain = p.bool(m)
	b.Hits = b.Hits || b.Explain
}

func (p *bodyParser) version(b *Body, m *value) { b.Version = p.bool(m) }

func (p *bodyParser) seqNo(b *Body, m *value) { b.SeqNo = p.bool(m) }
