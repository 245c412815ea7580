// This file defines distance_feature, which prefers dates near an origin.

package query

// DistanceFeature matches the items with a date at Field and scores them by their distance from
// Origin. The score is Boost at Origin, and half of Boost at a distance of Pivot.
type DistanceFeature struct {
	Field  string
	Origin Value
	Pivot  int64 // milliseconds
	Boost  float64
}

// Type implements Node.
func (*DistanceFeature) Type() string { return "distance_feature" }

func (n *DistanceFeature) BoostOption() *float64 { return &n.Boost }

// Visit implements Part.
func (n *DistanceFeature) Visit(v *Visitor) { v.Field(n.Field) }
