// This file parses the _source of a body.

package body

import (
	"slices"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
)

func parseSourceMember(p *parser, b *query.Body, m *strictjson.Value) {
	b.Show.Source, b.Show.HasSource = parseSource(p, m), true
}

// parseSource parses _source: a boolean, patterns, or includes and excludes. It returns nil for whole items.
func parseSource(p *parser, v *strictjson.Value) *query.Source {
	s := new(query.Source)
	switch v.Kind {
	case strictjson.Bool:
		s.None = !p.bool(v)
	case strictjson.String, strictjson.Array:
		s.Includes = p.patterns(v)
	case strictjson.Object:
		sourceOptions.parse(p, s, v)
	default:
		p.wrongValue(v, "true, false, a field pattern, an array of patterns or {includes, excludes}")
	}
	if !s.None && len(s.Includes) == 0 && len(s.Excludes) == 0 {
		return nil
	}
	return s
}

var sourceOptions = newTable("_source", []option[query.Source]{
	{"includes", optional, parseIncludes},
	{"excludes", optional, parseExcludes},
	{"include", unlisted, parseIncludes},
	{"exclude", unlisted, parseExcludes},
})

func parseIncludes(p *parser, s *query.Source, v *strictjson.Value) {
	s.Includes = append(s.Includes, p.patterns(v)...)
}

func parseExcludes(p *parser, s *query.Source, v *strictjson.Value) {
	s.Excludes = append(s.Excludes, p.patterns(v)...)
}

// patterns parses field patterns. It returns them sorted and without duplicates: their order has no meaning.
func (p *parser) patterns(v *strictjson.Value) []string {
	list := p.texts(v, maxSourcePatterns)
	slices.Sort(list)
	return slices.Compact(list)
}
