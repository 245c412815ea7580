// This file has the schemas of items, lists and errors.

package openapi

import (
	"slices"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
)

var (
	number   = object{{"type", "number"}}
	integer  = object{{"type", "integer"}}
	count    = object{{"type", "integer"}, {"minimum", 0}}
	anything = object{}
	anObject = object{{"type", "object"}}
	texts    = arrayOf(text)
)

func arrayOf(items any) object { return object{{"type", "array"}, {"items", items}} }

// constant is the schema of one value.
func constant(v any) object { return object{{"const", v}} }

// structure is an object of which some members are required.
func structure(members object, required ...string) object {
	o := object{{"type", "object"}}
	if len(required) > 0 {
		o = o.with("required", required)
	}
	return o.with("properties", members)
}

// allRequired is an object with all these members.
func allRequired(members object) object {
	var names []string
	for _, m := range members {
		names = append(names, m.name)
	}
	return structure(members, names...)
}

func described(o object, text string) object { return o.with("description", text) }

// fieldTexts are the texts of the fields of items.
var fieldTexts = map[string]string{
	address.FieldStatus: "The editor's word for the state of the item, such as Published", address.FieldCreatedBy: "Who created the item; may be empty",
	address.FieldCreatedAt: "", address.FieldData: "What the template holds", address.FieldPublishedBy: "Who published the item; may be empty",
	address.FieldUpdatedAt: "", address.FieldName: "The name for editors", address.FieldPublishedAt: "", address.FieldUpdatedBy: "Who changed the item last; may be empty",
	address.FieldTemplateName: "The template, which says what `Data` holds", address.FieldTemplateID: "The id of the template", address.FieldContentID: "The id of the item",
}

// itemFields are the fields of items, in the order of delivery.
func itemFields() (fields object) {
	for _, name := range address.Fields {
		of := text
		switch {
		case name == address.FieldData:
			of = anObject
		case address.IsDate(name):
			of = described(object{{"type", "string"}, {"format", "date-time"}}, "In UTC, with milliseconds")
		}
		if t := fieldTexts[name]; t != "" {
			of = described(of, t)
		}
		fields = append(fields, member{name, of})
	}
	return fields
}

func (b *builder) schemas() object {
	all := object{
		{"Item", described(structure(itemFields(), slices.Clone(address.Fields[:])...), "An item. Other members follow the fields.")},
		{"PartialItem", described(structure(itemFields()), "The selected members of an item.")},
	}
	templates, anyItem := b.templates()
	all = append(append(all, templates...), member{"AnyItem", anyItem})
	status := member{envelope.StatusMember, constant(200)}
	data := func(of object) member { return member{envelope.DataMember, of} }
	total := member{envelope.TotalMember, described(count, "How many items match, on all pages")}
	selected := object{{"anyOf", []any{schema("AnyItem"), schema("PartialItem")}}}
	included := member{envelope.IncludedMember, described(object{{"type", "object"}, {"additionalProperties", selected}}, "The items that the data refers to, by id")}
	all = append(all,
		member{"ItemResponse", structure(object{status, data(selected), included}, envelope.StatusMember, envelope.DataMember)},
		member{"List", structure(object{status, data(arrayOf(selected)), included, total}, envelope.StatusMember, envelope.DataMember, envelope.TotalMember)},
		member{"SearchResponse", structure(object{status, data(arrayOf(selected)), total,
			{"aggregations", schema("Aggregations")},
			{"hits", described(arrayOf(schema("Hit")), "The members of hits other than items, in the order of `data`")},
			{"suggest", schema("Suggestions")},
		}, envelope.StatusMember, envelope.DataMember, envelope.TotalMember)},
		member{"Problem", problemSchema()},
		member{"Probe", allRequired(object{status, data(object{{"type", "string"}, {"enum", []string{"live", "ready"}}})})},
		member{"Home", allRequired(object{status, data(structure(object{
			{"release", object{{"type", []string{"string", "null"}}}}, {"documentation", text},
			{"endpoints", arrayOf(allRequired(object{{"methods", text}, {"address", text}}))},
			{"environments", texts},
		}, "release", "documentation", "endpoints"))})},
	)
	return append(append(all, searchSchemas()...), elasticSchemas()...)
}

func problemSchema() object {
	diagnostic := structure(object{{"file", text}, {"line", integer}, {"column", integer}, {"message", text}, {"hint", text}}, "message")
	return allRequired(object{
		{envelope.StatusMember, integer},
		{"error", structure(object{
			{"code", described(text, "Stable, for programs")},
			{"message", described(text, "For people: the problem and its remedy")},
			{"parameter", described(text, "The parameter, or the member of the body, at fault")},
			{"position", described(count, "The place in the body, in bytes")},
			{"diagnostics", described(arrayOf(diagnostic), "Problems in the content; of previews")},
		}, "code", "message")},
	})
}
