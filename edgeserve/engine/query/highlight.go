// This file parses highlight: which fields of hits are marked up, and how. Options of a field count
// before those of all fields.

package query

import (
	"math"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/problem"
)

// Highlight is the highlight member of a body: its fields in order, with all options resolved.
type Highlight []HighlightField

// HighlightField says how one field is marked up. Sizes are in UTF-16 units.
type HighlightField struct {
	Name string // a name or a pattern of stars

	Plain             bool // the plain highlighter instead of the unified one
	PreTag, PostTag   string
	FragmentSize      int
	Fragments         int // 0: the whole value
	NoMatchSize       int
	ByScore           bool
	RequireFieldMatch bool
	Query             Node // nil: the query of the body
	HTML              bool // text is encoded as HTML
	Words             bool // unified: fragments end with words instead of sentences
	Simple            bool // plain: fragments may end within a phrase
}

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
	HighlightField
	hasPre, hasPost bool
	chars           *value // boundary_scanner, if it is chars
	fvh             *value // type, if it is fvh
}

func (p *bodyParser) highlightMember(b *Body, v *value) {
	b.Highlight = p.highlight(v)
	b.Hits = b.Hits || len(b.Highlight) > 0
}

func (p *bodyParser) highlight(v *value) Highlight {
	if v.kind != kindObject {
		p.wrongValue(v, `an object like {"fields":{"Data.title":{}}}`)
		return nil
	}
	all := highlightOptionsOf{HighlightField: HighlightField{
		PreTag: "<em>", PostTag: "</em>", FragmentSize: 100, Fragments: 5, RequireFieldMatch: true,
	}}
	for i := range v.items {
		switch o := &v.items[i]; {
		case !slices.Contains(highlightOptions, o.name):
			p.fail(o, problem.UnknownOption, "unknown option %q of highlight; known options: %s", clip(o.name), strings.Join(highlightOptions, ", "))
		case o.name != "fields":
			p.highlightOption(&all, o)
		}
	}
	p.bothTags(v, &all)
	list := Highlight{}
	if fields := v.member("fields"); fields != nil {
		p.highlightFields(&list, fields, all)
	}
	return list
}

// highlightFields parses an object of fields, or an array of objects with one field each.
func (p *bodyParser) highlightFields(list *Highlight, v *value, all highlightOptionsOf) {
	switch v.kind {
	case kindObject:
		for i := range v.items {
			p.highlightField(list, &v.items[i], all)
		}
	case kindArray:
		for i := range v.items {
			if e := &v.items[i]; e.kind == kindObject && len(e.items) == 1 {
				p.highlightField(list, &e.items[0], all)
			} else {
				p.wrongValue(e, `an object with one field like {"Data.title":{}}`)
			}
		}
	default:
		p.wrongValue(v, "an object of fields, or an array of such")
	}
}

func (p *bodyParser) highlightField(list *Highlight, m *value, all highlightOptionsOf) {
	if p.err != nil {
		return
	}
	if len(*list) == maxHighlightFields {
		p.fail(m, problem.TooManyClauses, "highlight has more than %d fields: use a pattern like Data.*", maxHighlightFields)
		return
	}
	if m.kind != kindObject {
		p.wrongValue(m, "an object of options")
		return
	}
	f := all
	f.Name, f.hasPre, f.hasPost = m.name, false, false
	for i := range m.items {
		o := &m.items[i]
		if !slices.Contains(fieldHighlightOptions, o.name) {
			p.fail(o, problem.UnknownOption, "unknown option %q of a field of highlight; known options: %s", clip(o.name), strings.Join(fieldHighlightOptions, ", "))
		}
		p.highlightOption(&f, o)
	}
	p.bothTags(m, &f)
	switch {
	case f.fvh != nil:
		p.fail(f.fvh, problem.BadHighlight, "%s: the fvh highlighter needs term vectors, which no field has: use unified or plain", p.path(f.fvh))
	case f.chars != nil && !f.Plain:
		p.fail(f.chars, problem.BadHighlight, "%s: chars is of the fvh highlighter: use sentence or word", p.path(f.chars))
	}
	*list = append(*list, f.HighlightField)
}

func (p *bodyParser) bothTags(v *value, o *highlightOptionsOf) {
	if o.hasPre && !o.hasPost {
		p.fail(v, problem.BadHighlight, "%s has pre_tags, but no post_tags: give both", p.path(v))
	}
}

func (p *bodyParser) highlightOption(f *highlightOptionsOf, o *value) {
	switch o.name {
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
		f.PreTag, f.hasPre = p.tag(o), true
	case "post_tags":
		f.PostTag, f.hasPost = p.tag(o), true
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
		f.Query = p.query(o)
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
		if o.kind != kindObject {
			p.wrongValue(o, "an object")
		}
	}
}

// tag parses tags, of which the first one counts.
func (p *bodyParser) tag(v *value) string {
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
