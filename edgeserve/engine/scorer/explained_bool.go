// This file explains bool queries in the form that Lucene rewrites them to.

package scorer

import (
	"contentedge/edgeserve/engine/explain"
	"math"
	"slices"
	"strconv"
)

// occur says how a clause of a bool counts.
type occur uint8

const (
	must occur = iota
	mustNot
	should
	filter
)

var occurSigns = [...]string{must: "+", mustNot: "-", should: "", filter: "#"}

// clause is a part of a bool. times is how often the bool repeats it.
type clause struct {
	occur occur
	x     *Explained
	times float32
}

func clausesOf(o occur, xs []*Explained) (cs []clause) {
	for _, x := range xs {
		cs = append(cs, clause{o, x, 1})
	}
	return cs
}

// written returns the clauses in Lucene's order of the parts, or in c.Order.
func (c *Clauses) written() (cs []clause) {
	for o, parts := range [...][]Scorer{must: c.Must, mustNot: c.Not, should: c.Should, filter: c.Filter} {
		for _, s := range parts {
			cs = append(cs, clause{occur(o), explainedOf(s), 1})
		}
	}
	if c.Order == nil {
		return cs
	}
	place := map[*Explained]int{}
	for i, s := range c.Order {
		if x, ok := s.(*Explained); ok {
			place[x] = i
		}
	}
	slices.SortStableFunc(cs, func(a, b clause) int { return place[a.x] - place[b.x] })
	return cs
}

// clauseSteps is the cost of comparing a clause with the others, or of printing it.
const clauseSteps = 64

// chargeClauses charges a pass through clauses.
func chargeClauses(cs []clause) {
	if r := payerOf(cs); r != nil {
		r.Work.Charge(clauseSteps * len(cs))
	}
}

// newBool returns the explained form of a bool, whose matches s walks. need is the minimum that the query states, or 0.
func newBool(s Scorer, cs []clause, need int) Scorer {
	if !slices.ContainsFunc(cs, func(c clause) bool { return c.occur != mustNot }) {
		cs = append(cs, clause{filter, &Explained{Scorer: &allScorer{n: noMore - 1}, text: everything, boost: 1, all: true}, 1})
	}
	cs, need = rewritten(cs, need)
	if len(cs) == 1 && need <= 1 && cs[0].x != nil {
		if x := single(s, cs[0]); x != nil {
			return x
		}
	}
	cs = overAll(cs)
	chargeClauses(cs)
	if x := cs[0].x; len(cs) == 1 && cs[0].occur == must && need == 0 && x != nil {
		constant := *x
		constant.Scorer = s
		return &constant
	}
	return (&Explained{Scorer: s, text: boolText(cs, need), boost: 1, clauses: cs, need: need, r: payerOf(cs)}).paid()
}

// payerOf returns the request that is charged for the texts of clauses.
func payerOf(cs []clause) *Request {
	for _, c := range cs {
		if r := payer([]*Explained{c.x}); r != nil {
			return r
		}
	}
	return nil
}

// everything is Lucene's text of a query that matches every document.
const everything = "*:*"

// single returns the explained form of a bool with one clause.
func single(s Scorer, c clause) *Explained {
	x := *c.x
	x.Scorer = s
	switch c.occur {
	case filter:
		return (&Explained{Scorer: s, text: asConstant(c.x), boost: 0, r: c.x.r}).paid()
	case mustNot:
		return nil
	}
	x.clauses, x.boost = nil, x.boost*c.times
	if c.x.clauses != nil && c.times == 1 {
		x.clauses = c.x.clauses
		return &x
	}
	x.how = func(e *explainer, d docID, times float32) explain.Explanation {
		return c.x.explain(e, d, times*c.times)
	}
	return &x
}

// overAll rewrites a bool with filters whose one required clause matches every document. Filters and exclusions
// become one required clause with the score of the clause that it replaces.
func overAll(cs []clause) []clause {
	var score *clause
	var rest, optional []clause
	var filters, not []Scorer
	for i, c := range cs {
		switch c.occur {
		case must:
			if score != nil || c.x == nil || !c.x.all {
				return cs
			}
			score = &cs[i]
		case should:
			optional = append(optional, c)
		case filter:
			if c.x == nil {
				return cs
			}
			rest, filters = append(rest, c), append(filters, c.x)
		case mustNot:
			if rest = append(rest, c); c.x != nil {
				not = append(not, c.x)
			}
		}
	}
	if score == nil || len(filters) == 0 {
		return cs
	}
	text := rest[0].x.printed()
	if len(rest) > 1 {
		text = boolText(rest, 0)
	}
	match := exclude(newConjunction(nil, filters, math.MaxInt32), not)
	x := &Explained{Scorer: &constant{match, score.x.score()}, text: asConstant(&Explained{text: text}), boost: score.x.boost}
	return append([]clause{{must, x, score.times}}, optional...)
}

// rewritten applies Lucene's simplifications that change what counts, in its order.
func rewritten(cs []clause, need int) (out []clause, _ int) {
	chargeClauses(cs)
	cs, need = withoutFilters(cs, need)
	chargeClauses(cs)
	type clauseText struct {
		occur occur
		text  string
	}
	seen := map[clauseText]int{}
	for _, c := range cs {
		if c.x != nil && (c.occur == must || c.occur == should && need <= 1) {
			key := clauseText{c.occur, c.x.text}
			if i, ok := seen[key]; ok {
				if o := &out[i]; o.x.boost != 0 {
					o.times += c.times * c.x.boost / o.x.boost
				}
				continue
			}
			seen[key] = len(out)
		}
		out = append(out, c)
	}
	if need <= 1 {
		out = flattened(out)
	}
	return out, need
}

// withoutFilters removes repeated exclusions, filters that are required clauses too, and filters that every document
// passes. A filter that is also an optional clause makes that clause required.
func withoutFilters(cs []clause, need int) (out []clause, _ int) {
	cs = slices.Clone(cs)
	var places [len(occurSigns)]map[queryText]int // of the first clause with a text
	for o := range places {
		places[o] = map[queryText]int{}
	}
	required := 0
	for i, c := range cs {
		if c.occur == must || c.occur == filter {
			required++
		}
		if _, ok := places[c.occur][c.x.key()]; !ok && c.x != nil && (c.occur == must || c.occur == should) {
			places[c.occur][c.x.key()] = i
		}
	}
	dropped := make([]bool, len(cs))
	for i, c := range cs {
		if c.x == nil || c.occur == must || c.occur == should {
			continue
		}
		_, twice := places[c.occur][c.x.key()]
		_, scores := places[must][c.x.key()]
		optional, scoresToo := places[should][c.x.key()]
		switch {
		case c.occur == mustNot && !twice:
		case c.occur == mustNot:
			dropped[i] = true
		case twice, scores, c.x.all && c.x.boost == 1 && required > 1:
			required--
			dropped[i] = true
		case scoresToo:
			cs[optional].occur, need, dropped[i] = must, max(0, need-1), true
			places[must][c.x.key()] = optional
		}
		if !dropped[i] {
			places[c.occur][c.x.key()] = i
		}
	}
	for i, c := range cs {
		if !dropped[i] {
			out = append(out, c)
		}
	}
	return out, need
}

// queryText identifies a query: equal queries have the same text and boost.
type queryText struct {
	text  string
	boost float32
}

func (x *Explained) key() (k queryText) {
	if x != nil {
		k = queryText{x.text, x.boost}
	}
	return k
}

// flattened replaces an optional clause that is a bool of optional clauses by the clauses of that bool.
func flattened(cs []clause) (out []clause) {
	inner := false
	for _, c := range cs {
		if c.occur != should || c.times != 1 || !c.x.disjoined() {
			out = append(out, c)
			continue
		}
		inner = true
		out = append(out, c.x.clauses...)
	}
	if inner {
		chargeClauses(out)
		out, _ = rewritten(out, 0)
	}
	return out
}

// disjoined reports whether a query is a bool of only optional clauses.
func (x *Explained) disjoined() bool {
	if x == nil || x.clauses == nil || x.boost != 1 || x.need > 1 {
		return false
	}
	return !slices.ContainsFunc(x.clauses, func(c clause) bool { return c.occur != should })
}

func boolText(cs []clause, need int) string {
	var b []byte
	for i, c := range cs {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, occurSigns[c.occur]...)
		x := c.x
		if c.times != 1 {
			other := *x
			other.boost *= c.times
			x = &other
		}
		b = append(b, x.nested()...)
	}
	if need > 0 {
		return "(" + string(b) + ")~" + strconv.Itoa(need)
	}
	return string(b)
}

// tested explains a query that only tests documents, without details.
func (x *Explained) tested(d docID) explain.Explanation {
	switch {
	case x == nil:
		return explain.NoMatch(nothing)
	case at(x.Scorer, d):
		return explain.Because(1, x.text)
	}
	return explain.NoMatch(x.text + " doesn't match id " + strconv.FormatUint(uint64(d), 10))
}

// explainClauses explains a bool by the clauses that decide. It moves the clauses before the bool, which would move
// them past a document that the bool does not match.
func (x *Explained) explainClauses(e *explainer, d docID, times float32) explain.Explanation {
	var parts []explain.Explanation
	fail := false
	for _, c := range x.clauses {
		var part explain.Explanation
		if c.occur == filter || c.occur == mustNot {
			part = c.x.tested(d)
		} else {
			part = c.x.explain(e, d, times*c.times)
		}
		switch {
		case part.Matches && c.occur == mustNot:
			parts, fail = append(parts, explain.NoMatch("match on prohibited clause ("+c.x.printed()+")", part)), true
		case part.Matches && c.occur == filter:
			parts = append(parts, explain.Because(0, "match on required clause, product of:", explain.Because(0, "# clause"), part))
		case part.Matches:
			parts = append(parts, part)
		case c.occur == must || c.occur == filter:
			parts, fail = append(parts, explain.NoMatch("no match on required clause ("+c.x.printed()+")", part)), true
		}
	}
	switch {
	case at(x.Scorer, d):
		return explain.Because(x.score()*times, "sum of:", parts...)
	case fail:
		return explain.NoMatch("Failure to meet condition(s) of required/prohibited clause(s)", parts...)
	case len(parts) == 0:
		return explain.NoMatch("No matching clauses")
	}
	return explain.NoMatch("Failure to match minimum number of optional clauses: "+strconv.Itoa(max(1, x.need)), parts...)
}
