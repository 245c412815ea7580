// This file writes bool, dis_max and function_score, which combine queries.

package encode

import (
	"math"
	"strconv"

	"contentedge/edgeserve/engine/query"
)

func (e *encoder) boolean(n *query.Bool) object {
	o := object{}
	e.clauses(o, "must", n.Must)
	e.clauses(o, "should", n.Should)
	e.clauses(o, "must_not", n.MustNot)
	if n.RequiresPositive() {
		o["adjust_pure_negative"] = false
	} else {
		e.clauses(o, "filter", n.Filter)
	}
	text(o, "minimum_should_match", n.MinShouldMatch)
	return o
}

func (e *encoder) disMax(n *query.DisMax) object {
	o := object{"queries": e.nodes(n.Queries)}
	e.weight(o, "tie_breaker", n.TieBreaker, 0)
	return o
}

func (e *encoder) functionScore(n *query.FunctionScore) object {
	o := object{}
	if n.Query != nil {
		o["query"] = e.node(n.Query)
	}
	functions := make([]any, len(n.Functions))
	for i := range n.Functions {
		functions[i] = e.scoreFunction(&n.Functions[i])
	}
	o["functions"] = functions
	word(o, "score_mode", n.ScoreMode, "multiply")
	word(o, "boost_mode", n.BoostMode, "multiply")
	e.weight(o, "max_boost", n.MaxBoost, math.MaxFloat32)
	if n.MinScore != nil {
		o["min_score"] = e.score(*n.MinScore)
	}
	return o
}

func (e *encoder) scoreFunction(f *query.ScoreFunction) object {
	o := object{}
	if f.Filter != nil {
		o["filter"] = e.node(f.Filter)
	}
	if f.Weighted {
		o["weight"] = e.score(f.Weight)
	}
	switch f.Kind {
	case "":
		if !f.Weighted {
			e.fail("a function of a function_score has neither a kind nor a weight")
		}
	case "field_value_factor":
		o[f.Kind] = e.fieldValueFactor(f)
	case "random_score":
		random := object{}
		e.optional(random, "seed", f.Seed)
		text(random, "field", f.Field)
		o[f.Kind] = random
	default:
		o[f.Kind] = e.decay(f)
	}
	return o
}

func (e *encoder) fieldValueFactor(f *query.ScoreFunction) object {
	o := object{"field": f.Field}
	e.weight(o, "factor", f.Factor, 1)
	word(o, "modifier", f.Modifier, "none")
	if f.Missing != nil {
		o["missing"] = e.double(*f.Missing)
	}
	return o
}

func (e *encoder) decay(f *query.ScoreFunction) object {
	d := object{}
	e.optional(d, "origin", f.Decay.Origin)
	e.optional(d, "scale", f.Decay.Scale)
	e.optional(d, "offset", f.Decay.Offset)
	if f.Decay.Decay != 0.5 {
		d["decay"] = e.double(f.Decay.Decay)
	}
	o := object{}
	word(o, "multi_value_mode", f.Values, "min")
	e.member(o, f.Field, d)
	return o
}

// member sets a member whose name is a field, next to options, whose names no field can have.
func (e *encoder) member(o object, field string, v any) {
	if _, taken := o[field]; taken || field == "" {
		e.fail("a body cannot name the field %q next to its options", field)
	}
	o[field] = v
}

// milliseconds writes a duration.
func milliseconds(ms int64) string { return strconv.FormatInt(ms, 10) + "ms" }
