// This file defines dis_max and boosting, which combine queries.

package query

type (
	// DisMax matches the items that any of Queries matches. The score is the best score of a query,
	// plus TieBreaker times the score of each other query.
	DisMax struct {
		Queries    []Node
		TieBreaker float64
		Boost      float64
	}

	// Boosting matches the items that Positive matches. NegativeBoost multiplies the score of an item that Negative
	// matches too.
	Boosting struct {
		Positive, Negative Node
		NegativeBoost      float64
		Boost              float64
	}
)

// RequirePositive makes a Bool that has no clauses except MustNot match nothing, as adjust_pure_negative: false does.
func (n *Bool) RequirePositive() {
	n.Filter = []Node{&DisMax{Queries: []Node{&MatchNone{}}, Boost: 1}} // unlike match_none it does not hide errors of the other clauses
}

// RequiresPositive reports whether RequirePositive was called.
func (n *Bool) RequiresPositive() bool {
	if len(n.Filter) != 1 || len(n.Must)+len(n.Should) > 0 || len(n.MustNot) == 0 {
		return false
	}
	d, ok := n.Filter[0].(*DisMax)
	if !ok || len(d.Queries) != 1 || d.Boost != 1 || d.TieBreaker != 0 {
		return false
	}
	none, ok := d.Queries[0].(*MatchNone)
	return ok && none.Boost == 0
}

// Type implements Node, here and below.
func (*DisMax) Type() string { return "dis_max" }

func (*Boosting) Type() string { return "boosting" }

func (n *DisMax) BoostOption() *float64 { return &n.Boost }

func (n *Boosting) BoostOption() *float64 { return &n.Boost }

// Visit implements Part, here and below.
func (n *DisMax) Visit(v *Visitor) { visitAll(v, n.Queries) }

func (n *Boosting) Visit(v *Visitor) {
	v.Part(n.Positive)
	v.Part(n.Negative)
}

// Map implements parent, here and below.
func (n *DisMax) Map(f func(Node) Node) Node {
	if queries, changed := mapList(n.Queries, f); changed {
		return &DisMax{Queries: queries, TieBreaker: n.TieBreaker, Boost: n.Boost}
	}
	return n
}

func (n *Boosting) Map(f func(Node) Node) Node {
	positive, negative := f(n.Positive), f(n.Negative)
	if positive == n.Positive && negative == n.Negative {
		return n
	}
	return &Boosting{Positive: positive, Negative: negative, NegativeBoost: n.NegativeBoost, Boost: n.Boost}
}
