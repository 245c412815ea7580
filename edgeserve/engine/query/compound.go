// This file parses dis_max and boosting, which combine queries.

package query

type (
	// DisMax matches what any of Queries matches. The best one's score counts, plus TieBreaker times
	// that of each other.
	DisMax struct {
		Queries    []Node
		TieBreaker float64
		Boost      float64
	}

	// Boosting matches what Positive matches. NegativeBoost multiplies the score of what Negative
	// matches too.
	Boosting struct {
		Positive, Negative Node
		NegativeBoost      float64
		Boost              float64
	}
)

// Type implements Node, here and below.
func (*DisMax) Type() string   { return "dis_max" }
func (*Boosting) Type() string { return "boosting" }

func (p *bodyParser) disMax(t *queryType, v *value) Node {
	n := &DisMax{Boost: 1}
	for i := range v.items {
		switch m := &v.items[i]; m.name {
		case "queries":
			n.Queries = p.clauses(m)
		case "tie_breaker":
			n.TieBreaker = p.tieBreaker(m)
		default:
			p.commonOption(t, m, &n.Boost)
		}
	}
	if len(n.Queries) == 0 {
		p.fail(v, p.code(v), "%s needs %q with at least one query", p.path(v), "queries")
	}
	return n
}

func (p *bodyParser) boosting(t *queryType, v *value) Node {
	n := &Boosting{Boost: 1}
	for i := range v.items {
		switch m := &v.items[i]; m.name {
		case "positive":
			n.Positive = p.query(m)
		case "negative":
			n.Negative = p.query(m)
		case "negative_boost":
			n.NegativeBoost = p.weight(m)
		default:
			p.commonOption(t, m, &n.Boost)
		}
	}
	for _, name := range t.options[:3] {
		p.require(v, name)
	}
	return n
}
