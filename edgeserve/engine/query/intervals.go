// This file defines intervals, whose rules find stretches of words in a text.

package query

type (
	// Intervals matches texts in which Rule finds a stretch of words.
	Intervals struct {
		Field string
		Rule  *IntervalRule
		Boost float64
	}

	// IntervalRule finds stretches of words. Kind is the rule's name in a body, and decides which
	// members apply.
	IntervalRule struct {
		Kind     string
		Text     string          // match; prefix, wildcard, fuzzy: not analyzed, but in lower case
		UseField string          // in place of the query's field; "" when absent
		Rules    []*IntervalRule // all_of, any_of
		MaxGaps  int             // match, all_of; -1: any number
		Ordered  bool            // match, all_of
		Filter   *IntervalFilter // match, all_of, any_of; nil when absent

		Fuzziness        Fuzziness // fuzzy, like the next two
		PrefixLength     int
		NoTranspositions bool
	}

	// IntervalFilter selects stretches by their place relative to the stretches that Rule finds. Kind
	// is the filter's name in a body.
	IntervalFilter struct {
		Kind string
		Rule *IntervalRule
	}
)

// Type implements Node.
func (*Intervals) Type() string { return "intervals" }

func (n *Intervals) BoostOption() *float64 { return &n.Boost }

// Visit implements Part, here and below.
func (n *Intervals) Visit(v *Visitor) {
	v.Field(n.Field)
	v.Part(n.Rule)
}

func (n *IntervalRule) Visit(v *Visitor) {
	v.Field(n.UseField)
	visitAll(v, n.Rules)
	if n.Filter != nil {
		v.Part(n.Filter.Rule)
	}
}
