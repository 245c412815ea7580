// This file defines terms_set, and the lookup with which terms takes its values from an item.

package query

type (
	// Lookup names the values of an item at a path.
	Lookup struct{ Index, ID, Path string }

	// TermsSet matches an item that has at least as many of Values as the item's number at MinField.
	TermsSet struct {
		Field    string
		Values   []Value
		MinField string
		Boost    float64
	}
)

// Type implements Node.
func (*TermsSet) Type() string { return "terms_set" }

func (n *TermsSet) BoostOption() *float64 { return &n.Boost }

// Visit implements Part.
func (n *TermsSet) Visit(v *Visitor) {
	v.Field(n.Field)
	v.Field(n.MinField)
}
