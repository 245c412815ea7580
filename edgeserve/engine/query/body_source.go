// This file parses the _source of a body.

package query

import (
	"slices"

	"contentedge/edgeserve/wire/problem"
)

func (p *bodyParser) sourceMember(b *Body, m *value) { b.Source, b.HasSource = p.source(m), true }

// source parses _source: a boolean, patterns, or includes and excludes. nil means whole items.
func (p *bodyParser) source(v *value) *Source {
	s := new(Source)
	switch v.kind {
	case kindBool:
		s.None = !p.bool(v)
	case kindString, kindArray:
		s.Includes = p.patterns(v)
	case kindObject:
		for i := range v.items {
			switch m := &v.items[i]; m.name {
			case "includes", "include":
				s.Includes = append(s.Includes, p.patterns(m)...)
			case "excludes", "exclude":
				s.Excludes = append(s.Excludes, p.patterns(m)...)
			default:
				p.fail(m, problem.UnknownOption, "unknown option %q of _source; known options: includes, excludes", clip(m.name))
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
func (p *bodyParser) patterns(v *value) []string {
	list := p.texts(v, maxSourcePatterns)
	slices.Sort(list)
	return slices.Compact(list)
}
