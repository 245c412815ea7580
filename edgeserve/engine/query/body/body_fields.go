// This file parses the members of a body that add values of fields to hits.

package body

import (
	"slices"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

// maxFields limits the entries of fields, and the fields of docvalue_fields, as in Elasticsearch.
const maxFields = 100

func parseFieldsMember(p *parser, b *query.Body, m *strictjson.Value) {
	b.Show.Fields, b.Show.AsHits = parseFieldFormats(p, m), true
}

func parseDocvalueFields(p *parser, b *query.Body, m *strictjson.Value) {
	b.Show.DocvalueFields, b.Show.AsHits = parseFieldFormats(p, m), true
	for i := range b.Show.DocvalueFields {
		if f := &b.Show.DocvalueFields[i]; f.Format == "use_field_mapping" {
			f.Format = ""
		}
	}
}

func parseFieldFormats(p *parser, m *strictjson.Value) (list []query.FieldFormat) {
	if m.Kind != strictjson.Array {
		p.wrongValue(m, "an array of names, or of objects with field and format")
		return nil
	}
	if p.tooMany(m, "fields", len(m.Items), maxFields) {
		return nil
	}
	list = []query.FieldFormat{} // not nil, because an empty list counts as given
	p.each(m, func(e *strictjson.Value) { list = append(list, parseFieldFormat(p, e)) })
	return list
}

func parseFieldFormat(p *parser, e *strictjson.Value) (f query.FieldFormat) {
	if e.Kind != strictjson.Object {
		f.Field = p.fieldName(e)
		return f
	}
	fieldFormatOptions.checkRequired(p, e)
	fieldFormatOptions.read(p, &f, e)
	return f
}

var fieldFormatOptions = newTable("a field", []option[query.FieldFormat]{
	{"field", required, func(p *parser, f *query.FieldFormat, v *strictjson.Value) { f.Field = p.fieldName(v) }},
	{"format", optional, func(p *parser, f *query.FieldFormat, v *strictjson.Value) { f.Format = p.format(v) }},
})

// noStored is the name in stored_fields that leaves out the id and the source.
const noStored = "_none_"

// parseStoredFields parses names of stored fields. The only stored field is the source.
func parseStoredFields(p *parser, b *query.Body, m *strictjson.Value) {
	if m.Kind != strictjson.Array && m.Kind != strictjson.String {
		p.wrongValue(m, "a name or an array of names")
		return
	}
	b.Show.NoID = slices.Contains(p.texts(m, maxFields), noStored)
	if b.Show.NoID && len(m.Items) > 1 {
		p.fail(m, problem.BadBody, "stored_fields cannot have %s with other names", noStored)
	}
	b.Show.AsHits = true
}

// finish applies the members that depend on stored_fields. stored is that member, or nil.
func finish(p *parser, b *query.Body, stored *strictjson.Value) {
	if stored == nil {
		return
	}
	if err := CheckSource(b); err != nil {
		p.fail(stored, problem.BadBody, "%v", err)
	}
	switch named := namesSource(stored); {
	case named && b.Show.Source != nil && b.Show.Source.None:
		b.Show.Source = nil
	case !named && !b.Show.HasSource:
		b.Show.Source, b.Show.HasSource = &query.Source{None: true}, true
	}
}

// CheckSource refuses a body whose hits would have a source, but no id. URL parameters may ask for the source of
// hits whose body leaves out both.
func CheckSource(b *query.Body) error {
	if !b.Show.NoID || !b.Show.HasSource || b.Show.Source != nil && b.Show.Source.None {
		return nil
	}
	return &query.Error{Code: problem.BadBody, Message: "stored_fields cannot be " + noStored + " if _source is asked for", Parameter: "stored_fields", Position: -1}
}

// namesSource reports whether stored_fields names the source, which then is in hits although _source is false.
func namesSource(stored *strictjson.Value) bool {
	isSource := func(v strictjson.Value) bool { return v.Text == query.SourceField }
	return isSource(*stored) || slices.ContainsFunc(stored.Items, isSource)
}

func parseExplain(p *parser, b *query.Body, m *strictjson.Value) {
	b.Show.Explain = p.bool(m)
	b.Show.AsHits = b.Show.AsHits || b.Show.Explain
}

func parseVersion(p *parser, b *query.Body, m *strictjson.Value) { b.Show.Version = p.bool(m) }

func parseSeqNo(p *parser, b *query.Body, m *strictjson.Value) { b.Show.SeqNo = p.bool(m) }
