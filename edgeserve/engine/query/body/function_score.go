// This file parses function_score, which scores the matches of a query by their values.

package body

import (
	"math"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

var (
	scoreModes = []string{"multiply", "sum", "avg", "first", "max", "min"}
	boostModes = []string{"multiply", "replace", "sum", "avg", "max", "min"}
	valueModes = []string{"min", "max", "avg", "sum", "median"}
	modifiers  = []string{"none", "log", "log1p", "log2p", "ln", "ln1p", "ln2p", "square", "sqrt", "reciprocal"}
)

// maxFunctions is the limit of clauses: a function costs as much as a clause.
const maxFunctions = lucene.MaxClauses

const noScripts = "scripts are not supported: use field_value_factor, a decay (linear, exp, gauss), weight with a filter, or distance_feature"

// functionScore is a function_score while it is parsed.
type functionScore struct {
	node   query.FunctionScore
	value  *strictjson.Value
	single bool // a function is outside the member functions
}

func (n *functionScore) BoostOption() *float64 { return n.node.BoostOption() }

var functionScoreOptions = newQueryTable("function_score", slices.Concat([]option[functionScore]{
	{"query", optional, func(p *parser, n *functionScore, v *strictjson.Value) { n.node.Query = parseQuery(p, v) }},
	{"functions", optional, func(p *parser, n *functionScore, v *strictjson.Value) {
		n.node.Functions = append(n.node.Functions, parseScoreFunctions(p, v)...)
	}},
	{"score_mode", optional, func(p *parser, n *functionScore, v *strictjson.Value) { n.node.ScoreMode = p.word(v, scoreModes) }},
	{"boost_mode", optional, func(p *parser, n *functionScore, v *strictjson.Value) { n.node.BoostMode = p.word(v, boostModes) }},
	{"max_boost", optional, func(p *parser, n *functionScore, v *strictjson.Value) { n.node.MaxBoost = p.float(v) }},
	{"min_score", optional, func(p *parser, n *functionScore, v *strictjson.Value) { n.node.MinScore = new(p.float(v)) }},
	{"script_score", unlisted, func(p *parser, _ *functionScore, v *strictjson.Value) { noScriptScore(p, v) }},
}, singleFunctions()))

// singleFunctions returns rows for the function that a function_score may have instead of the member functions.
func singleFunctions() (rows []option[functionScore]) {
	for _, r := range scoreFunctions.rows {
		rows = append(rows, option[functionScore]{r.name, optional, func(p *parser, n *functionScore, v *strictjson.Value) {
			if n.single || n.value.Member("functions") != nil {
				p.fail(v, p.code(v), `%s has more than one function: list them in "functions"`, p.path(n.value))
			}
			n.single = true
			f := query.ScoreFunction{Weight: 1}
			r.parse(p, &f, v)
			n.node.Functions = append(n.node.Functions, f)
		}})
	}
	return rows
}

func parseFunctionScore(p *parser, v *strictjson.Value) query.Node {
	n := &functionScore{value: v, node: query.FunctionScore{ScoreMode: "multiply", BoostMode: "multiply", MaxBoost: math.MaxFloat32, Boost: 1}}
	functionScoreOptions.parse(p, n, v)
	return &n.node
}

func noScriptScore(p *parser, v *strictjson.Value) {
	p.fail(v, problem.UnknownOption, "%s: %s", p.path(v), noScripts)
}

// scoreFunctions are the functions, each an option with its name.
var scoreFunctions = newTable("a function", []option[query.ScoreFunction]{
	{"weight", optional, func(p *parser, f *query.ScoreFunction, v *strictjson.Value) { f.Weight, f.Weighted = p.weight(v), true }},
	scoreFunction("field_value_factor", parseFieldValueFactor),
	scoreFunction("random_score", func(p *parser, f *query.ScoreFunction, v *strictjson.Value) { randomScoreOptions.parse(p, f, v) }),
	scoreFunction("linear", parseDecay),
	scoreFunction("exp", parseDecay),
	scoreFunction("gauss", parseDecay),
})

// scoreFunction returns the row of a function with options.
func scoreFunction(name string, parse func(p *parser, f *query.ScoreFunction, v *strictjson.Value)) option[query.ScoreFunction] {
	return option[query.ScoreFunction]{name, optional, func(p *parser, f *query.ScoreFunction, v *strictjson.Value) {
		if v.Kind != strictjson.Object {
			p.wrongValue(v, "an object")
			return
		}
		f.Kind = name
		parse(p, f, v)
	}}
}

func parseScoreFunctions(p *parser, v *strictjson.Value) (fs []query.ScoreFunction) {
	if v.Kind != strictjson.Array {
		p.wrongValue(v, `an array of functions like {"weight":2}`)
		return nil
	}
	if p.tooMany(v, "functions", len(v.Items), maxFunctions) {
		return nil
	}
	p.each(v, func(e *strictjson.Value) {
		if e.Kind == strictjson.Object {
			fs = append(fs, parseListedFunction(p, e))
		} else {
			p.wrongValue(e, `a function like {"weight":2}`)
		}
	})
	return fs
}

// parseListedFunction parses an element of functions: a function, a weight or both, and maybe a filter.
func parseListedFunction(p *parser, v *strictjson.Value) query.ScoreFunction {
	f := query.ScoreFunction{Weight: 1}
	some := false
	for i := range v.Items {
		m := &v.Items[i]
		switch r := scoreFunctions.row(m.Name); {
		case m.Name == "filter":
			f.Filter = parseQuery(p, m)
		case m.Name == "script_score":
			noScriptScore(p, m)
		case r == nil:
			p.fail(m, problem.UnknownOption, "unknown function %q; known functions: %s; filter limits one", strictjson.Clip(m.Name), strings.Join(scoreFunctions.known(), ", "))
		default:
			if f.Kind != "" && m.Name != "weight" {
				p.fail(m, p.code(m), "%s has two functions, %s and %s: give only one", p.path(v), f.Kind, m.Name)
			}
			some = true
			r.parse(p, &f, m)
		}
	}
	if !some {
		p.fail(v, p.code(v), "%s has no function; known functions: %s", p.path(v), strings.Join(scoreFunctions.known(), ", "))
	}
	return f
}

var fieldValueFactorOptions = newTable("field_value_factor", []option[query.ScoreFunction]{
	{"field", required, func(p *parser, f *query.ScoreFunction, v *strictjson.Value) { f.Field = p.fieldName(v) }},
	{"factor", optional, func(p *parser, f *query.ScoreFunction, v *strictjson.Value) { f.Factor = p.float(v) }},
	{"modifier", optional, func(p *parser, f *query.ScoreFunction, v *strictjson.Value) { f.Modifier = p.word(v, modifiers) }},
	{"missing", optional, func(p *parser, f *query.ScoreFunction, v *strictjson.Value) { f.Missing = new(p.double(v)) }},
})

func parseFieldValueFactor(p *parser, f *query.ScoreFunction, v *strictjson.Value) {
	f.Factor, f.Modifier = 1, "none"
	fieldValueFactorOptions.parse(p, f, v)
}

var randomScoreOptions = newTable("random_score", []option[query.ScoreFunction]{
	{"seed", optional, func(p *parser, f *query.ScoreFunction, v *strictjson.Value) {
		f.Seed = new(p.scalar(v))
		if v.Kind == strictjson.Bool || v.Kind == strictjson.Number && strings.ContainsAny(v.Text, ".eE") {
			p.wrongValue(v, "an integer or a string")
		}
	}},
	{"field", optional, func(p *parser, f *query.ScoreFunction, v *strictjson.Value) { f.Field = p.fieldName(v) }},
})

// decayOptions are the options below the field of each decay.
var decayOptions = map[string]*table{"linear": newDecayOptions("linear"), "exp": newDecayOptions("exp"), "gauss": newDecayOptions("gauss")}

func newDecayOptions(name string) *table {
	return newTable(name, []option[query.Decay]{
		{"origin", optional, func(p *parser, d *query.Decay, v *strictjson.Value) { d.Origin = new(p.scalar(v)) }},
		{"scale", required, func(p *parser, d *query.Decay, v *strictjson.Value) { d.Scale = new(p.scalar(v)) }},
		{"offset", optional, func(p *parser, d *query.Decay, v *strictjson.Value) { d.Offset = new(p.scalar(v)) }},
		{"decay", optional, func(p *parser, d *query.Decay, v *strictjson.Value) {
			if d.Decay = p.double(v); !(d.Decay > 0 && d.Decay < 1) {
				p.wrongValue(v, "a number above 0 and below 1")
			}
		}},
	})
}

func parseDecay(p *parser, f *query.ScoreFunction, v *strictjson.Value) {
	f.Values, f.Decay.Decay = "min", 0.5
	var field *strictjson.Value
	for i := range v.Items {
		switch m := &v.Items[i]; {
		case m.Name == "multi_value_mode":
			f.Values = p.word(m, valueModes)
		case m.Kind != strictjson.Object:
			p.wrongValue(m, `an object like {"origin":…,"scale":…}`)
		case field != nil:
			p.fail(m, p.code(m), "%s names two fields, %q and %q: give only one", p.path(v), strictjson.Clip(field.Name), strictjson.Clip(m.Name))
		default:
			field = m
		}
	}
	if field == nil || field.Name == "" {
		p.fail(v, p.code(v), `%s must name one field, like {"CreatedAt":{"origin":"now","scale":"10d"}}`, p.path(v))
		return
	}
	f.Field = field.Name
	decayOptions[v.Name].parse(p, &f.Decay, field)
}
