// This file makes members of bodies that the twin does not know.

package searchtest

import (
	"strings"

	"contentedge/edgeserve/engine/query"
)

// plain removes the members of a body that choose hits and what they have. sameAfter and
// differChosen compare them.
func plain(b *query.Body) {
	b.Window.After, b.PostFilter, b.MinScore, b.Collapse, b.Rescore = nil, nil, nil, nil, nil
	b.TerminateAfter, b.Show.Fields, b.Show.DocvalueFields = 0, nil, nil
}

// members adds members to a body.
func (a *asker) members(b object) {
	keys, sorted := b["sort"].([]any)
	if sorted && a.oneIn(5) {
		b["search_after"] = a.after(keys)
		delete(b, "from")
	}
	option(a, b, 8, "track_scores", true, false)
	if a.oneIn(8) {
		b["post_filter"] = a.clause(1)
	}
	if a.oneIn(8) {
		b["min_score"] = pick(a.Rand, []float64{0, 0.3, 1, 1.5})
		delete(b, "aggs") // Elasticsearch reads some values from its index, whatever matches
	}
	_, after := b["search_after"]
	switch {
	case a.oneIn(8) && !after:
		b["collapse"] = a.collapse()
	case a.oneIn(8) && !sorted:
		b["rescore"] = []any{a.rescore(), a.rescore()}[:1+a.IntN(2)]
	}
	option(a, b, 12, "terminate_after", 0, 1, 5, 1000)
	option(a, b, 12, "track_total_hits", []any{true, false, 3, 1000}...)
	a.hitMembers(b)
	if a.oneIn(8) {
		a.nameQueries(b["query"].(object))
	}
}

// hitMembers adds what hits show, on the page, of a bucket or inside a hit.
func (a *asker) hitMembers(b object) {
	if a.oneIn(8) {
		b["docvalue_fields"] = a.some(3, func() any { return a.shown() })
	}
	if a.oneIn(8) {
		b["fields"] = a.some(3, func() any { return pick(a.Rand, []any{a.shown(), a.field(), "Name*"}) })
	}
	option(a, b, 12, "stored_fields", []any{"_none_", []any{}, "Name"}...)
	option(a, b, 8, "explain", true, false)
	option(a, b, 12, "version", true, false)
	option(a, b, 12, "seq_no_primary_term", true, false)
}

// inside adds what hits of a bucket, or inside of a hit, show.
func (a *asker) inside(b object) {
	a.hitMembers(b)
	if a.oneIn(3) {
		b["highlight"] = a.highlight()
	}
}

// nameQueries gives queries names. Some are the same.
func (a *asker) nameQueries(query object) {
	for kind, of := range query {
		o, ok := of.(object)
		if !ok || strings.HasPrefix(kind, "span") {
			return
		}
		if !compound[kind] && len(o) == 1 {
			for member, options := range o {
				switch inner := options.(type) {
				case object: // of a field
					o = inner
				case []any:
				default:
					if member != "query" && member != "field" {
						return // in short for an object
					}
				}
			}
		}
		for _, member := range []string{"must", "filter", "should", "must_not", "queries", "positive", "negative", "query"} {
			switch sub := o[member].(type) {
			case object:
				a.nameQueries(sub)
			case []any:
				for _, e := range sub {
					if q, ok := e.(object); ok {
						a.nameQueries(q)
					}
				}
			}
		}
		if a.oneIn(2) {
			o["_name"] = pick(a.Rand, []string{"a", "b", "name", "a name"})
		}
	}
}

// shown is a field with doc values, perhaps with a format.
func (a *asker) shown() any {
	f := a.field()
	if a.kinds[f] == onText {
		f += ".keyword"
	}
	if a.kinds[f] == onDate && a.oneIn(2) {
		return object{"field": f, "format": pick(a.Rand, dateFormats)}
	}
	if a.kinds[f] == onNumber && a.oneIn(4) {
		return object{"field": f, "format": pick(a.Rand, numberFormats)}
	}
	return f
}

func (a *asker) collapse() object {
	c := object{"field": pick(a.Rand, []string{a.field(), "Name.keyword", "TemplateName.keyword", "TemplateName.keyword"})}
	if a.oneIn(2) {
		inner := object{"name": "i", "_source": false}
		option(a, inner, 2, "size", 0, 1, 2, 5)
		option(a, inner, 3, "from", 0, 1)
		if a.oneIn(2) {
			inner["sort"] = a.sort()
		}
		if a.oneIn(3) {
			inner["collapse"] = object{"field": pick(a.Rand, []string{a.field(), "CreatedBy.keyword", "Name.keyword"})}
		}
		a.inside(inner)
		c["inner_hits"] = inner
	}
	return c
}

func (a *asker) rescore() object {
	q := object{"rescore_query": a.clause(1)}
	option(a, q, 2, "query_weight", 0.5, 2, 0)
	option(a, q, 2, "rescore_query_weight", 0.5, 2, 0)
	option(a, q, 2, "score_mode", "total", "multiply", "avg", "max", "min")
	r := object{"query": q}
	option(a, r, 2, "window_size", 0, 1, 3, 20, 100)
	return r
}
