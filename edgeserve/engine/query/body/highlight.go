// This file parses highlight: which fields of hits are marked up, and how. Options of a field take
// precedence over options for all fields.

package body

import (
	"slices"
	"strings"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

const (
	// maxHighlightFields limits the entries of fields, hence the passes over each hit.
	maxHighlightFields = 100
	// maxTag limits the bytes of a tag, hence the length of a highlight.
	maxTag = 256
)

// fieldHighlightRows are the options of a field. Most may also be next to fields, for all fields. The last rows have no
// effect: only the fvh highlighter has these options, or leave nothing to choose.
var fieldHighlightRows = []option[highlighting]{
	{"type", optional, func(p *parser, f *highlighting, v *strictjson.Value) {
		f.fvh = nil
		switch p.text(v) {
		case "unified":
			f.field.Plain = false
		case "plain":
			f.field.Plain = true
		case "fvh":
			f.fvh = v
		default:
			p.wrongValue(v, "unified or plain")
		}
	}},
	{"pre_tags", optional, func(p *parser, f *highlighting, v *strictjson.Value) { f.field.PreTag, f.hasPre = p.tag(v), true }},
	{"post_tags", optional, func(p *parser, f *highlighting, v *strictjson.Value) { f.field.PostTag, f.hasPost = p.tag(v), true }},
	{"fragment_size", optional, func(p *parser, f *highlighting, v *strictjson.Value) { f.field.FragmentSize = p.signed(v) }},
	{"number_of_fragments", optional, func(p *parser, f *highlighting, v *strictjson.Value) { f.field.Fragments = p.integer(v, 0) }},
	{"no_match_size", optional, func(p *parser, f *highlighting, v *strictjson.Value) { f.field.NoMatchSize = p.signed(v) }},
	{"order", optional, func(p *parser, f *highlighting, v *strictjson.Value) {
		f.field.ByScore = strings.EqualFold(p.text(v), "score")
	}},
	{"require_field_match", optional, func(p *parser, f *highlighting, v *strictjson.Value) { f.field.RequireFieldMatch = p.bool(v) }},
	{"highlight_query", optional, func(p *parser, f *highlighting, v *strictjson.Value) { f.field.Query = parseQuery(p, v) }},
	{"boundary_scanner", optional, func(p *parser, f *highlighting, v *strictjson.Value) {
		f.chars = nil
		switch strings.ToLower(p.text(v)) {
		case "sentence":
			f.field.Words = false
		case "word":
			f.field.Words = true
		case "chars":
			f.chars = v
		default:
			p.wrongValue(v, "sentence or word")
		}
	}},
	noEffect[highlighting]("boundary_scanner_locale", func(p *parser, v *strictjson.Value) {
		if language, _, _ := strings.Cut(p.text(v), "-"); strings.EqualFold(language, "th") {
			p.fail(v, problem.BadHighlight, "%s: words of Thai need a dictionary, which this program lacks: use another locale", p.path(v))
		}
	}),
	{"fragmenter", optional, func(p *parser, f *highlighting, v *strictjson.Value) {
		f.field.Simple = p.either(v, p.text(v), "simple", "span")
	}},
	noEffect[highlighting]("boundary_chars", checkText),
	noEffect[highlighting]("boundary_max_scan", checkSigned),
	noEffect[highlighting]("force_source", checkBool),
	noEffect[highlighting]("fragment_offset", checkSigned),
	noEffect[highlighting]("highlight_filter", checkBool),
	noEffect[highlighting]("matched_fields", func(p *parser, v *strictjson.Value) { p.texts(v, maxHighlightFields) }),
	noEffect[highlighting]("options", func(p *parser, v *strictjson.Value) {
		if v.Kind != strictjson.Object {
			p.wrongValue(v, "an object")
		}
	}),
	noEffect[highlighting]("phrase_limit", checkSigned),
}

var fieldHighlightOptions = newTable("a field of highlight", fieldHighlightRows)

func checkSigned(p *parser, v *strictjson.Value) { p.signed(v) }

// highlightOptions are the options for all fields. They apply where a field does not set an option itself, so
// parseHighlight parses the fields last.
var highlightOptions = newTable("highlight", append([]option[highlighting]{
	noEffect[highlighting]("fields", func(*parser, *strictjson.Value) {}),
	{"encoder", optional, func(p *parser, f *highlighting, v *strictjson.Value) { f.field.HTML = p.text(v) == "html" }},
	{"tags_schema", optional, func(p *parser, f *highlighting, v *strictjson.Value) {
		f.field.PreTag, f.field.PostTag = "<em>", "</em>"
		if !p.either(v, p.text(v), "default", "styled") {
			f.field.PreTag = `<em class="hlt1">`
		}
		f.hasPre, f.hasPost = true, true
	}},
}, slices.DeleteFunc(slices.Clone(fieldHighlightRows), func(r option[highlighting]) bool {
	return r.name == "fragment_offset" || r.name == "matched_fields"
})...))

// highlighting is a field of highlight while it is parsed.
type highlighting struct {
	field           query.HighlightField
	hasPre, hasPost bool
	chars           *strictjson.Value // the option boundary_scanner, if it is chars
	fvh             *strictjson.Value // the option type, if it is fvh
}

func parseHighlightMember(p *parser, b *query.Body, v *strictjson.Value) {
	b.Show.Highlight = parseHighlight(p, v)
	b.Show.AsHits = b.Show.AsHits || len(b.Show.Highlight) > 0
}

func parseHighlight(p *parser, v *strictjson.Value) query.Highlight {
	if v.Kind != strictjson.Object {
		p.wrongValue(v, `an object like {"fields":{"Data.title":{}}}`)
		return nil
	}
	all := highlighting{field: query.HighlightField{
		PreTag: "<em>", PostTag: "</em>", FragmentSize: 100, Fragments: 5, RequireFieldMatch: true,
	}}
	highlightOptions.parse(p, &all, v)
	parseBothTags(p, v, &all)
	list := query.Highlight{}
	if fields := v.Member("fields"); fields != nil {
		parseHighlightFields(p, &list, fields, all)
	}
	return list
}

// parseHighlightFields parses an object of fields, or an array of objects with one field each.
func parseHighlightFields(p *parser, list *query.Highlight, v *strictjson.Value, all highlighting) {
	switch v.Kind {
	case strictjson.Object:
		for i := range v.Items {
			parseHighlightField(p, list, &v.Items[i], all)
		}
	case strictjson.Array:
		for i := range v.Items {
			if e := &v.Items[i]; e.Kind == strictjson.Object && len(e.Items) == 1 {
				parseHighlightField(p, list, &e.Items[0], all)
			} else {
				p.wrongValue(e, `an object with one field like {"Data.title":{}}`)
			}
		}
	default:
		p.wrongValue(v, "an object of fields, or an array of such")
	}
}

func parseHighlightField(p *parser, list *query.Highlight, m *strictjson.Value, all highlighting) {
	if p.err != nil {
		return
	}
	if len(*list) == maxHighlightFields {
		p.fail(m, problem.TooManyClauses, "highlight has more than %d fields: use a pattern like Data.*", maxHighlightFields)
		return
	}
	if m.Kind != strictjson.Object {
		p.wrongValue(m, "an object of options")
		return
	}
	f := all
	f.field.Name, f.hasPre, f.hasPost = m.Name, false, false
	fieldHighlightOptions.parse(p, &f, m)
	parseBothTags(p, m, &f)
	switch {
	case f.fvh != nil:
		p.fail(f.fvh, problem.BadHighlight, "%s: the fvh highlighter needs term vectors, which no field has: use unified or plain", p.path(f.fvh))
	case f.chars != nil && !f.field.Plain:
		p.fail(f.chars, problem.BadHighlight, "%s: chars is of the fvh highlighter: use sentence or word", p.path(f.chars))
	}
	*list = append(*list, f.field)
}

func parseBothTags(p *parser, v *strictjson.Value, o *highlighting) {
	if o.hasPre && !o.hasPost {
		p.fail(v, problem.BadHighlight, "%s has pre_tags, but no post_tags: give both", p.path(v))
	}
}

// tag parses a tag, or an array of tags of which the first one counts.
func (p *parser) tag(v *strictjson.Value) string {
	tags := p.texts(v, maxHighlightFields)
	if len(tags) == 0 {
		p.wrongValue(v, "a tag or an array of tags")
		return ""
	}
	for _, t := range tags {
		if len(t) > maxTag {
			p.fail(v, problem.BadHighlight, "%s has a tag of %d bytes, at most %d are allowed", p.path(v), len(t), maxTag)
		}
	}
	return tags[0]
}
