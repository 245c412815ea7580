// This file defines span queries, which match places in a text.

package query

// Span is a span query. Kind is its name in a body and decides which fields apply.
type Span struct {
	Kind    string
	Field   string  // span_term, span_gap; field_masking_span: the field that it claims
	Value   string  // span_term
	Clauses []*Span // span_near, span_or
	Slop    int     // span_near
	Ordered bool    // span_near
	Match   *Span   // span_first, field_masking_span; include of span_not; little
	Other   *Span   // exclude of span_not; big
	End     int     // span_first; the words of a span_gap
	Pre     int     // span_not, like the next member
	Post    int
	Terms   Node // span_multi: a prefix, a wildcard, a range…
	Boost   float64
}

// Type implements Node.
func (s *Span) Type() string { return s.Kind }

func (n *Span) BoostOption() *float64 { return &n.Boost }

// Visit implements Part.
func (s *Span) Visit(v *Visitor) {
	v.Field(s.Field)
	v.Part(s.Terms)
	for _, inner := range append([]*Span{s.Match, s.Other}, s.Clauses...) {
		if inner != nil {
			v.Part(inner)
		}
	}
}
