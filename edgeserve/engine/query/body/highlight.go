// This file parses highlight: which fields of hits are marked up, and how. Options of a field count
// before those of all fields.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
	"math"
	"slices"
	"strings"
)

const (
	// maxHighlightFields limits the passes over each hit, beside what patterns reach.
	maxHighlightFields = 100
	// maxTag limits how much longer than its text a highlight may be.
	maxTag = 256
)

// Known options, in the order of error messages. The last ones have no effect.
var (
	fieldHighlightOptions = strings.Fields("type pre_tags post_tags fragment_size number_of_fragments no_match_size order require_field_match highlight_query boundary_scanner boundary_scanner_locale fragmenter boundary_chars boundary_max_scan force_source fragment_offset highlight_filter matched_fields options phrase_limit")
	highlightOptions      = append(strings.Fields("fields encoder tags_schema"), slices.DeleteFunc(slices.Clone(fieldHighlightOptions), func(name string) bool {
		return name == "fragment_offset" || name == "matched_fields"
	})...)
)

// highlightOptionsOf are options while they are parsed.
type highlightOptionsOf struct {
	query.HighlightField
	hasPre, hasPost bool
	chars           *strictjson.Value // boundary_scanner, if it is chars
	fvh             *strictjson.Value // type, if it is fvh
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
	all := highlightOptionsOf{HighlightField: query.HighlightField{
		PreTag: "<em>", PostTag: "</em>", FragmentSize: 100, Fragments: 5, RequireFieldMatch: true,
	}}
	for i := range v.Items {
		switch o := &v.Items[i]; {
		case !slices.Contains(highlightOptions, o.Name):
			p.fail(o, problem.UnknownOption, "unknown option %q of highlight; known options: %s", strictjson.Clip(o.Name), strings.Join(highlightOptions, ", "))
		case o.Name != "fields":
			parseHighlightOption(p, &all, o)
		}
	}
	parseBothTags(p, v, &all)
	list := query.Highlight{}
	if fields := v.Member("fields"); fields != nil {
		parseHighlightFields(p, &list, fields, all)
	}
	return list
}

// highlightFields parses an object of fields, or an array of objects with one field each.
func parseHighlightFields(p *parser, list *query.Highlight, v *strictjson.Value, all highlightOptionsOf) {
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

func parseHighlightField(p *parser, list *query.Highlight, m *strictjson.Value, all highlightOptionsOf) {
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
	f.Name, f.hasPre, f.hasPost = m.Name, false, false
	for i := range m.Items {
		o := &m.Items[i]
		if !slices.Contains(fieldHighlightOptions, o.Name) {
			p.fail(o, problem.UnknownOption, "unknown option %q of a field of highlight; known options: %s", strictjson.Clip(o.Name), strings.Join(fieldHighlightOptions, ", "))
		}
		parseHighlightOption(p, &f, o)
	}
	parseBothTags(p, m, &f)
	switch {
	case f.fvh != nil:
		p.fail(f.fvh, problem.BadHighlight, "%s: the fvh highlighter needs term vectors, which no field has: use unified or plain", p.path(f.fvh))
	case f.chars != nil && !f.Plain:
		p.fail(f.chars, problem.BadHighlight, "%s: chars is of the fvh highlighter: use sentence or word", p.path(f.chars))
	}
	*list = append(*list, f.HighlightField)
}

func parseBothTags(p *parser, v *strictjson.Value, o *highlightOptionsOf) {
	if o.hasPre && !o.hasPost {
		p.fail(v, problem.BadHighlight, "%s has pre_tags, but no post_tags: give both", p.path(v))
	}
}

func parseHighlightOption(p *parser, f *highlightOptionsOf, o *strictjson.Value) {
	switch o.Name {
	case "type":
		f.fvh = nil
		switch p.text(o) {
		case "unified":
			f.Plain = false
		case "plain":
			f.Plain = true
		case "fvh":
			f.fvh = o
		default:
			p.wrongValue(o, "unified or plain")
		}
	case "pre_tags":
		f.PreTag, f.hasPre = parseTag(p, o), true
	case "post_tags":
		f.PostTag, f.hasPost = parseTag(p, o), true
	case "tags_schema":
		f.PreTag, f.PostTag = "<em>", "</em>"
		if !p.either(o, p.text(o), "default", "styled") {
			f.PreTag = `<em class="hlt1">`
		}
		f.hasPre, f.hasPost = true, true
	case "fragment_size":
		f.FragmentSize = p.integer(o, math.MinInt32)
	case "number_of_fragments":
		f.Fragments = p.integer(o, 0)
	case "no_match_size":
		f.NoMatchSize = p.integer(o, math.MinInt32)
	case "order":
		f.ByScore = strings.EqualFold(p.text(o), "score")
	case "require_field_match":
		f.RequireFieldMatch = p.bool(o)
	case "highlight_query":
		f.Query = parseQuery(p, o)
	case "encoder":
		f.HTML = p.text(o) == "html"
	case "boundary_scanner":
		f.chars = nil
		switch strings.ToLower(p.text(o)) {
		case "sentence":
			f.Words = false
		case "word":
			f.Words = true
		case "chars":
			f.chars = o
		default:
			p.wrongValue(o, "sentence or word")
		}
	case "boundary_scanner_locale":
		if language, _, _ := strings.Cut(p.text(o), "-"); strings.EqualFold(language, "th") {
			p.fail(o, problem.BadHighlight, "%s: words of Thai need a dictionary, which is not there: use another locale", p.path(o))
		}
	case "fragmenter":
		f.Simple = p.either(o, p.text(o), "simple", "span")
	case "fragment_offset", "boundary_max_scan", "phrase_limit": // of fvh
		p.integer(o, math.MinInt32)
	case "boundary_chars": // of fvh
		p.text(o)
	case "matched_fields": // of fvh
		p.texts(o, maxHighlightFields)
	case "force_source", "highlight_filter": // no effect: there are only sources, and filters count
		p.bool(o)
	case "options":
		if o.Kind != strictjson.Object {
			p.wrongValue(o, "an object")
		}
	}
}

// tag parses tags, of which the first one counts.
func parseTag(p *parser, v *strictjson.Value) string {
	tags := p.texts(v, maxHighlightFields)
	if len(tags) == 0 {
		p.wrongValue(v, "a tag or an array of them")
		return ""
	}
	for _, t := range tags {
		if len(t) > maxTag {
			p.fail(v, problem.BadHighlight, "%s has a tag of %d bytes, at most %d are allowed", p.path(v), len(t), maxTag)
		}
	}
	return tags[0]
}
