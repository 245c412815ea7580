// This file parses the _source of a body.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
	"slices"
)

func parseSourceMember(p *parser, b *query.Body, m *strictjson.Value) {
	b.Show.Source, b.Show.HasSource = parseSource(p, m), true
}

// source parses _source: a boolean, patterns, or includes and excludes. nil means whole items.
func parseSource(p *parser, v *strictjson.Value) *query.Source {
	s := new(query.Source)
	switch v.Kind {
	case strictjson.Bool:
		s.None = !p.bool(v)
	case strictjson.String, strictjson.Array:
		s.Includes = parsePatterns(p, v)
	case strictjson.Object:
		for i := range v.Items {
			switch m := &v.Items[i]; m.Name {
			case "includes", "include":
				s.Includes = append(s.Includes, parsePatterns(p, m)...)
			case "excludes", "exclude":
				s.Excludes = append(s.Excludes, parsePatterns(p, m)...)
			default:
				p.fail(m, problem.UnknownOption, "unknown option %q of _source; known options: includes, excludes", strictjson.Clip(m.Name))
			}
		}
	default:
		p.wrongValue(v, "true, false, a field pattern, an array of them or {includes, excludes}")
	}
	if !s.None && len(s.Includes) == 0 && len(s.Excludes) == 0 {
		return nil
	}
	return s
}

// patterns parses field patterns, sorted and without duplicates: their order has no meaning.
func parsePatterns(p *parser, v *strictjson.Value) []string {
	list := p.texts(v, maxSourcePatterns)
	slices.Sort(list)
	return slices.Compact(list)
}
