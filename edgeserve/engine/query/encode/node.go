// This file holds the table of queries, and writes the parts that all queries have in common.

package encode

import "contentedge/edgeserve/engine/query"

// node writes a query: an object with one member, whose name is the query's type.
func (e *encoder) node(n query.Node) object {
	switch n := n.(type) {
	case *query.MatchAll:
		return e.query(n, object{})
	case *query.MatchNone:
		return e.query(n, object{})
	case *query.Bool:
		return e.query(n, e.boolean(n))
	case *query.Boosting:
		return e.query(n, object{"positive": e.node(n.Positive), "negative": e.node(n.Negative), "negative_boost": e.score(n.NegativeBoost)})
	case *query.ConstantScore:
		return e.query(n, object{"filter": e.node(n.Filter)})
	case *query.DisMax:
		return e.query(n, e.disMax(n))
	case *query.FunctionScore:
		return e.query(n, e.functionScore(n))
	case *query.DistanceFeature:
		return e.query(n, object{"field": n.Field, "origin": e.value(n.Origin), "pivot": milliseconds(n.Pivot)})
	case *query.Exists:
		return e.query(n, object{"field": n.Field})
	case *query.IDs:
		return e.query(n, ids(n))
	case *query.Term:
		return e.below(n.Field, n, e.term(n))
	case *query.Terms:
		return e.query(n, e.terms(n))
	case *query.TermsSet:
		return e.below(n.Field, n, object{"terms": e.values(n.Values), "minimum_should_match_field": n.MinField})
	case *query.Range:
		return e.below(n.Field, n, e.bounds(n))
	case *query.Prefix:
		return e.below(n.Field, n, e.prefix(n))
	case *query.Wildcard:
		return e.below(n.Field, n, e.wildcard(n))
	case *query.Regexp:
		return e.below(n.Field, n, e.regexp(n))
	case *query.Fuzzy:
		return e.below(n.Field, n, e.fuzzy(n))
	case *query.Match:
		return e.below(n.Field, n, e.match(n))
	case *query.MatchBoolPrefix:
		return e.below(n.Field, n, e.matchBoolPrefix(n))
	case *query.MatchPhrase:
		return e.below(n.Field, n, e.matchPhrase(n))
	case *query.MatchPhrasePrefix:
		return e.below(n.Field, n, e.matchPhrasePrefix(n))
	case *query.MultiMatch:
		return e.query(n, e.multiMatch(n))
	case *query.QueryString:
		return e.query(n, e.queryString(n))
	case *query.SimpleQueryString:
		return e.query(n, e.simpleQueryString(n))
	case *query.MoreLikeThis:
		return e.query(n, e.moreLikeThis(n))
	case *query.Intervals:
		return e.below(n.Field, n, e.intervalRule(n.Rule))
	case *query.Span:
		return e.span(n)
	}
	return e.unknown(n)
}

// query writes a query whose options are o, and the options that all queries have.
func (e *encoder) query(n query.Boosted, o object) object {
	e.common(n, o)
	return object{n.Type(): o}
}

// below writes a query whose options are below the name of a field.
func (e *encoder) below(field string, n query.Boosted, o object) object {
	if field == "" {
		e.fail("a query %s names no field", n.Type())
	}
	e.common(n, o)
	return object{n.Type(): object{field: o}}
}

// common adds boost and _name.
func (e *encoder) common(n query.Boosted, o object) {
	e.weight(o, "boost", *n.BoostOption(), 1)
	if name, ok := e.names[n]; ok {
		o["_name"] = name
	}
}

// unknown writes a query that no body can hold.
func (e *encoder) unknown(n query.Node) object {
	if n == nil {
		e.fail("a query is absent where a body needs one")
		return nil
	}
	if e.other != nil {
		if o, ok := e.other(n); ok {
			return o
		}
	}
	e.fail("no body can hold a query %s (%T)", n.Type(), n)
	return nil
}

func (e *encoder) nodes(list []query.Node) []any {
	out := make([]any, len(list))
	for i, n := range list {
		out[i] = e.node(n)
	}
	return out
}

// clauses sets a list of queries unless it is empty.
func (e *encoder) clauses(o object, name string, list []query.Node) {
	if len(list) > 0 {
		o[name] = e.nodes(list)
	}
}
