// This file writes what hits show, in a body, in top_hits and in inner_hits.

package encode

import "contentedge/edgeserve/engine/query"

// show writes the members that say what hits show.
func (e *encoder) show(o object, s *query.HitOptions) {
	if s.HasSource || s.Source != nil {
		o["_source"] = source(s.Source)
	}
	if s.NoID {
		o["stored_fields"] = "_none_"
	}
	flag(o, "version", s.Version)
	flag(o, "seq_no_primary_term", s.SeqNo)
	flag(o, "explain", s.Explain)
	if s.Fields != nil {
		o["fields"] = array(s.Fields, fieldFormat)
	}
	if s.DocvalueFields != nil {
		o["docvalue_fields"] = array(s.DocvalueFields, fieldFormat)
	}
	if s.Highlight != nil {
		o["highlight"] = e.highlight(s.Highlight)
	}
}

func source(s *query.Source) any {
	switch {
	case s == nil:
		return true
	case s.None:
		return false
	}
	o := object{}
	texts(o, "includes", s.Includes)
	texts(o, "excludes", s.Excludes)
	return o
}

func fieldFormat(f query.FieldFormat) any {
	if f.Format == "" {
		return f.Field
	}
	return object{"field": f.Field, "format": f.Format}
}
