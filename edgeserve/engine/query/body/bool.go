// This file parses the queries that combine others: bool, boosting, constant_score, dis_max. It also parses
// match_all and match_none.

package body

import (
	"slices"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/query/strictjson"
)

var (
	matchAllOptions  = newQueryTable[query.MatchAll]("match_all", nil)
	matchNoneOptions = newQueryTable[query.MatchNone]("match_none", nil)
)

func parseMatchAll(p *parser, v *strictjson.Value) query.Node {
	n := &query.MatchAll{Boost: 1}
	matchAllOptions.parse(p, n, v)
	return n
}

func parseMatchNone(p *parser, v *strictjson.Value) query.Node {
	n := &query.MatchNone{Boost: 1}
	matchNoneOptions.parse(p, n, v)
	return n
}

var boolOptions = newQueryTable("bool", []option[query.Bool]{
	{"must", optional, func(p *parser, n *query.Bool, v *strictjson.Value) { n.Must = parseClauses(p, v) }},
	{"filter", optional, func(p *parser, n *query.Bool, v *strictjson.Value) { n.Filter = parseClauses(p, v) }},
	{"should", optional, func(p *parser, n *query.Bool, v *strictjson.Value) { n.Should = parseClauses(p, v) }},
	{"must_not", optional, func(p *parser, n *query.Bool, v *strictjson.Value) { n.MustNot = parseClauses(p, v) }},
	{"minimum_should_match", optional, func(p *parser, n *query.Bool, v *strictjson.Value) { n.MinShouldMatch = p.minMatch(v) }},
	noEffect[query.Bool]("adjust_pure_negative", checkBool), // parseBool reads it: it has an effect if all clauses are must_not
})

func parseBool(p *parser, v *strictjson.Value) query.Node {
	n := &query.Bool{Boost: 1}
	boolOptions.parse(p, n, v)
	adjust := v.Member("adjust_pure_negative")
	if adjust != nil && adjust.Text == "false" && len(n.MustNot) > 0 && len(n.Must)+len(n.Filter)+len(n.Should) == 0 {
		n.RequirePositive()
	}
	p.tooMany(v, "clauses", len(n.Must)+len(n.Filter)+len(n.Should)+len(n.MustNot), lucene.MaxClauses)
	return n
}

// parseClauses parses one clause list of a bool: a query, an array of queries, or null.
func parseClauses(p *parser, v *strictjson.Value) []query.Node {
	if v.Kind == strictjson.Null || p.err != nil {
		return nil
	}
	if v.Kind == strictjson.Array && p.tooMany(v, "clauses", len(v.Items), lucene.MaxClauses) {
		return nil
	}
	list := slices.Grow([]query.Node(nil), len(v.Items))
	p.each(v, func(e *strictjson.Value) { list = append(list, parseQuery(p, e)) })
	return list
}

var boostingOptions = newQueryTable("boosting", []option[query.Boosting]{
	{"positive", required, func(p *parser, n *query.Boosting, v *strictjson.Value) { n.Positive = parseQuery(p, v) }},
	{"negative", required, func(p *parser, n *query.Boosting, v *strictjson.Value) { n.Negative = parseQuery(p, v) }},
	{"negative_boost", required, func(p *parser, n *query.Boosting, v *strictjson.Value) { n.NegativeBoost = p.weight(v) }},
})

func parseBoosting(p *parser, v *strictjson.Value) query.Node {
	n := &query.Boosting{Boost: 1}
	boostingOptions.parse(p, n, v)
	return n
}

var constantScoreOptions = newQueryTable("constant_score", []option[query.ConstantScore]{
	{"filter", required, func(p *parser, n *query.ConstantScore, v *strictjson.Value) { n.Filter = parseQuery(p, v) }},
})

func parseConstantScore(p *parser, v *strictjson.Value) query.Node {
	n := &query.ConstantScore{Boost: 1}
	constantScoreOptions.parse(p, n, v)
	return n
}

var disMaxOptions = newQueryTable("dis_max", []option[query.DisMax]{
	{"queries", optional, func(p *parser, n *query.DisMax, v *strictjson.Value) { n.Queries = parseClauses(p, v) }},
	{"tie_breaker", optional, func(p *parser, n *query.DisMax, v *strictjson.Value) { n.TieBreaker = p.tieBreaker(v) }},
})

func parseDisMax(p *parser, v *strictjson.Value) query.Node {
	n := &query.DisMax{Boost: 1}
	disMaxOptions.parse(p, n, v)
	if len(n.Queries) == 0 {
		p.fail(v, p.code(v), "%s needs %q with at least one query", p.path(v), "queries")
	}
	return n
}
