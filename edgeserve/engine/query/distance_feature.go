// This file parses distance_feature, which prefers dates near an origin.

package query

// DistanceFeature matches the items with a date at Field and scores them by their distance from
// Origin: Boost at it, half of that at a distance of Pivot.
type DistanceFeature struct {
	Field  string
	Origin Value
	Pivot  int64 // milliseconds
	Boost  float64
}

// Type implements Node.
func (*DistanceFeature) Type() string { return "distance_feature" }

// Visit implements Part.
func (n *DistanceFeature) Visit(v *Visitor) { v.Field(n.Field) }

func (p *bodyParser) distanceFeature(t *queryType, v *value) Node {
	n := &DistanceFeature{Boost: 1}
	for i := range v.items {
		switch m := &v.items[i]; m.name {
		case "field":
			n.Field = p.fieldName(m)
		case "origin":
			n.Origin = p.scalar(m)
		case "pivot":
			ms, err := ParseDuration(p.text(m))
			if err != nil && p.err == nil || ms <= 0 || m.kind != kindString {
				p.wrongValue(m, `a duration above 0 like "7d"`)
			}
			n.Pivot = ms
		default:
			p.commonOption(t, m, &n.Boost)
		}
	}
	for _, name := range t.options[:3] {
		p.require(v, name)
	}
	return n
}
