// This file parses function_score, which scores the matches of a query by their values.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
	"math"
	"slices"
	"strings"
)

var (
	scoreModes  = []string{"multiply", "sum", "avg", "first", "max", "min"}
	boostModes  = []string{"multiply", "replace", "sum", "avg", "max", "min"}
	valueModes  = []string{"min", "max", "avg", "sum", "median"}
	modifiers   = []string{"none", "log", "log1p", "log2p", "ln", "ln1p", "ln2p", "square", "sqrt", "reciprocal"}
	scoreKinds  = []string{"weight", "field_value_factor", "random_score", "linear", "exp", "gauss"}
	maxFunction = lucene.MaxClauses // each costs as much as a clause
)

const noScripts = "scripts are not supported: use field_value_factor, a decay (linear, exp, gauss), weight with a filter, or distance_feature"

func parseFunctionScore(p *parser, t *queryType, v *strictjson.Value) query.Node {
	n := &query.FunctionScore{ScoreMode: "multiply", BoostMode: "multiply", MaxBoost: math.MaxFloat32, Boost: 1}
	var single *strictjson.Value
	for i := range v.Items {
		switch m := &v.Items[i]; m.Name {
		case "query":
			n.Query = parseQuery(p, m)
		case "functions":
			n.Functions = append(n.Functions, parseScoreFunctions(p, m)...)
		case "score_mode":
			n.ScoreMode = parseAmong(p, m, scoreModes)
		case "boost_mode":
			n.BoostMode = parseAmong(p, m, boostModes)
		case "max_boost":
			n.MaxBoost = p.float(m)
		case "min_score":
			n.MinScore = new(p.float(m))
		case "script_score":
			p.fail(m, problem.UnknownOption, "%s: %s", p.path(m), noScripts)
		default:
			if !slices.Contains(scoreKinds, m.Name) {
				parseCommonOption(p, t, m, &n.Boost)
				break
			}
			if single != nil || v.Member("functions") != nil {
				p.fail(m, p.code(m), `%s has more than one function: list them in "functions"`, p.path(v))
			}
			single = m
			f := query.ScoreFunction{Weight: 1}
			parseScoreFunction(p, &f, m)
			n.Functions = append(n.Functions, f)
		}
	}
	return n
}

func parseScoreFunctions(p *parser, v *strictjson.Value) (fs []query.ScoreFunction) {
	if v.Kind != strictjson.Array {
		p.wrongValue(v, `an array of functions like {"weight":2}`)
		return nil
	}
	if p.tooMany(v, "functions", len(v.Items), maxFunction) {
		return nil
	}
	p.each(v, func(e *strictjson.Value) {
		if e.Kind != strictjson.Object {
			p.wrongValue(e, `a function like {"weight":2}`)
			return
		}
		f := query.ScoreFunction{Weight: 1}
		some := false
		for i := range e.Items {
			switch m := &e.Items[i]; {
			case m.Name == "filter":
				f.Filter = parseQuery(p, m)
			case m.Name == "script_score":
				p.fail(m, problem.UnknownOption, "%s: %s", p.path(m), noScripts)
			case !slices.Contains(scoreKinds, m.Name):
				p.fail(m, problem.UnknownOption, "unknown function %q; known functions: %s; filter limits one", strictjson.Clip(m.Name), strings.Join(scoreKinds, ", "))
			default:
				if f.Kind != "" && m.Name != "weight" {
					p.fail(m, p.code(m), "%s has two functions, %s and %s: one is all it takes", p.path(e), f.Kind, m.Name)
				}
				some = true
				parseScoreFunction(p, &f, m)
			}
		}
		if !some {
			p.fail(e, p.code(e), "%s has no function; known functions: %s", p.path(e), strings.Join(scoreKinds, ", "))
		}
		fs = append(fs, f)
	})
	return fs
}

func parseScoreFunction(p *parser, f *query.ScoreFunction, m *strictjson.Value) {
	if m.Name == "weight" {
		f.Weight, f.Weighted = p.weight(m), true
		return
	}
	if m.Kind != strictjson.Object {
		p.wrongValue(m, "an object")
		return
	}
	f.Kind = m.Name
	switch m.Name {
	case "field_value_factor":
		parseFieldValueFactor(p, f, m)
	case "random_score":
		parseRandomScore(p, f, m)
	default:
		parseDecay(p, f, m)
	}
}

func parseFieldValueFactor(p *parser, f *query.ScoreFunction, v *strictjson.Value) {
	f.Factor, f.Modifier = 1, "none"
	for i := range v.Items {
		switch m := &v.Items[i]; m.Name {
		case "field":
			f.Field = p.fieldName(m)
		case "factor":
			f.Factor = p.float(m)
		case "modifier":
			f.Modifier = parseAmong(p, m, modifiers)
		case "missing":
			f.Missing = new(p.double(m))
		default:
			p.fail(m, problem.UnknownOption, "unknown option %q of field_value_factor; known options: field, factor, modifier, missing", strictjson.Clip(m.Name))
		}
	}
	p.require(v, "field")
}

func parseRandomScore(p *parser, f *query.ScoreFunction, v *strictjson.Value) {
	for i := range v.Items {
		switch m := &v.Items[i]; m.Name {
		case "seed":
			f.Seed = new(p.scalar(m))
			if m.Kind == strictjson.Bool || m.Kind == strictjson.Number && strings.ContainsAny(m.Text, ".eE") {
				p.wrongValue(m, "an integer or a string")
			}
		case "field":
			f.Field = p.fieldName(m)
		default:
			p.fail(m, problem.UnknownOption, "unknown option %q of random_score; known options: seed, field", strictjson.Clip(m.Name))
		}
	}
}

func parseDecay(p *parser, f *query.ScoreFunction, v *strictjson.Value) {
	f.Values, f.Decay.Decay = "min", 0.5
	var field *strictjson.Value
	for i := range v.Items {
		switch m := &v.Items[i]; {
		case m.Name == "multi_value_mode":
			f.Values = parseAmong(p, m, valueModes)
		case m.Kind != strictjson.Object:
			p.wrongValue(m, `an object like {"origin":…,"scale":…}`)
		case field != nil:
			p.fail(m, p.code(m), "%s names two fields, %q and %q: one is all it takes", p.path(v), strictjson.Clip(field.Name), strictjson.Clip(m.Name))
		default:
			field = m
		}
	}
	if field == nil || field.Name == "" {
		p.fail(v, p.code(v), `%s must name one field, like {"CreatedAt":{"origin":"now","scale":"10d"}}`, p.path(v))
		return
	}
	f.Field = field.Name
	for i := range field.Items {
		switch m := &field.Items[i]; m.Name {
		case "origin":
			f.Decay.Origin = new(p.scalar(m))
		case "scale":
			f.Decay.Scale = new(p.scalar(m))
		case "offset":
			f.Decay.Offset = new(p.scalar(m))
		case "decay":
			if f.Decay.Decay = p.double(m); !(f.Decay.Decay > 0 && f.Decay.Decay < 1) {
				p.wrongValue(m, "a number above 0 and below 1")
			}
		default:
			p.fail(m, problem.UnknownOption, "unknown option %q of %s; known options: origin, scale, offset, decay", strictjson.Clip(m.Name), v.Name)
		}
	}
	p.require(field, "scale")
}

// among parses one of several words, in any case.
func parseAmong(p *parser, v *strictjson.Value, words []string) string {
	s := strings.ToLower(p.text(v))
	if !slices.Contains(words, s) {
		p.wrongValue(v, "one of "+strings.Join(words, ", "))
	}
	return s
}

// double parses a finite number.
func (p *parser) double(v *strictjson.Value) float64 {
	f := number(v)
	if math.IsNaN(f) {
		p.wrongValue(v, "a number")
	}
	return f
}

// float parses a number of 32 bits.
func (p *parser) float(v *strictjson.Value) float64 {
	f := float64(float32(number(v)))
	if math.IsNaN(f) || math.IsInf(f, 0) {
		p.wrongValue(v, "a number")
	}
	return f
}
