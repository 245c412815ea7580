// This file finds the field of a span query.

package query

// ClaimedField is the field of a span query. For a field_masking_span it is the field that it claims.
func (s *Span) ClaimedField() string {
	switch s.Kind {
	case "span_near", "span_or":
		return s.Clauses[0].ClaimedField()
	case "span_containing", "span_within":
		return s.Other.ClaimedField()
	case "span_first", "span_not":
		return s.Match.ClaimedField()
	case "span_multi":
		return TermsField(s.Terms)
	}
	return s.Field
}

// TermsField is the field of a query that span_multi takes: each such query names one field.
func TermsField(n Node) (field string) {
	n.Visit(&Visitor{Field: func(name string) { field = name }, Part: func(Part) {}})
	return field
}
