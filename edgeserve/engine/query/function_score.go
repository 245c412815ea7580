// This file parses function_score, which scores the matches of a query by their values.

package query

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"contentedge/edgeserve/wire/problem"
)

// FunctionScore combines the score of each match of Query with functions of its values.
type FunctionScore struct {
	Query     Node // nil: all items
	Functions []ScoreFunction
	ScoreMode string // multiply, sum, avg, first, max or min: how functions combine
	BoostMode string // multiply, replace, sum, avg, max or min: how the result and the score combine
	MaxBoost  float64
	MinScore  *float64 // lower scores do not match
	Boost     float64  // of Query
}

// Type implements Node.
func (*FunctionScore) Type() string { return "function_score" }

// Visit implements Part. Elasticsearch builds the filters of functions before the query.
func (n *FunctionScore) Visit(v *Visitor) {
	for i := range n.Functions {
		v.Field(n.Functions[i].Field)
		v.Part(n.Functions[i].Filter)
	}
	v.Part(n.Query)
}

// Map implements parent. Elasticsearch rewrites the query before the filters.
func (n *FunctionScore) Map(f func(Node) Node) Node {
	out := *n
	out.Query = f(n.Query)
	changed, filters := out.Query != n.Query, false
	for i := range n.Functions {
		filter := f(n.Functions[i].Filter)
		if filter == n.Functions[i].Filter {
			continue
		}
		if !filters {
			out.Functions, changed, filters = slices.Clone(n.Functions), true, true
		}
		out.Functions[i].Filter = filter
	}
	if !changed {
		return n
	}
	return &out
}

// ScoreFunction is a function of the items that Filter matches.
type ScoreFunction struct {
	Filter Node   // nil: all items
	Kind   string // "" (one), field_value_factor, random_score, linear, exp or gauss
	Weight float64

	Weighted bool     // Weight was given
	Field    string   // "" in a random_score: the id
	Factor   float64  // field_value_factor, like the next two
	Modifier string   // none, log, log1p, log2p, ln, ln1p, ln2p, square, sqrt or reciprocal
	Missing  *float64 // nil: an item without a value is an error
	Seed     *Value   // random_score: an integer or a text; nil: the clock
	Decay    Decay    // linear, exp, gauss
	Values   string   // of a decay: which of several values counts: min, max, avg, sum or median
}

// Decay are the options of a decay. Origin, Scale and Offset depend on the type of the field.
type Decay struct {
	Origin, Scale, Offset *Value
	Decay                 float64
}

var (
	scoreModes  = []string{"multiply", "sum", "avg", "first", "max", "min"}
	boostModes  = []string{"multiply", "replace", "sum", "avg", "max", "min"}
	valueModes  = []string{"min", "max", "avg", "sum", "median"}
	modifiers   = []string{"none", "log", "log1p", "log2p", "ln", "ln1p", "ln2p", "square", "sqrt", "reciprocal"}
	scoreKinds  = []string{"weight", "field_value_factor", "random_score", "linear", "exp", "gauss"}
	maxFunction = maxClauses // each costs as much as a clause
)

const noScripts = "scripts are not supported: use field_value_factor, a decay (linear, exp, gauss), weight with a filter, or distance_feature"

func (p *bodyParser) functionScore(t *queryType, v *value) Node {
	n := &FunctionScore{ScoreMode: "multiply", BoostMode: "multiply", MaxBoost: math.MaxFloat32, Boost: 1}
	var single *value
	for i := range v.items {
		switch m := &v.items[i]; m.name {
		case "query":
			n.Query = p.query(m)
		case "functions":
			n.Functions = append(n.Functions, p.scoreFunctions(m)...)
		case "score_mode":
			n.ScoreMode = p.among(m, scoreModes)
		case "boost_mode":
			n.BoostMode = p.among(m, boostModes)
		case "max_boost":
			n.MaxBoost = p.float(m)
		case "min_score":
			n.MinScore = new(p.float(m))
		case "script_score":
			p.fail(m, problem.UnknownOption, "%s: %s", p.path(m), noScripts)
		default:
			if !slices.Contains(scoreKinds, m.name) {
				p.commonOption(t, m, &n.Boost)
				break
			}
			if single != nil || v.member("functions") != nil {
				p.fail(m, p.code(m), `%s has more than one function: list them in "functions"`, p.path(v))
			}
			single = m
			f := ScoreFunction{Weight: 1}
			p.scoreFunction(&f, m)
			n.Functions = append(n.Functions, f)
		}
	}
	return n
}

func (p *bodyParser) scoreFunctions(v *value) (fs []ScoreFunction) {
	if v.kind != kindArray {
		p.wrongValue(v, `an array of functions like {"weight":2}`)
		return nil
	}
	if p.tooMany(v, "functions", len(v.items), maxFunction) {
		return nil
	}
	p.each(v, func(e *value) {
		if e.kind != kindObject {
			p.wrongValue(e, `a function like {"weight":2}`)
			return
		}
		f := ScoreFunction{Weight: 1}
		some := false
		for i := range e.items {
			switch m := &e.items[i]; {
			case m.name == "filter":
				f.Filter = p.query(m)
			case m.name == "script_score":
				p.fail(m, problem.UnknownOption, "%s: %s", p.path(m), noScripts)
			case !slices.Contains(scoreKinds, m.name):
				p.fail(m, problem.UnknownOption, "unknown function %q; known functions: %s; filter limits one", clip(m.name), strings.Join(scoreKinds, ", "))
			default:
				if f.Kind != "" && m.name != "weight" {
					p.fail(m, p.code(m), "%s has two functions, %s and %s: one is all it takes", p.path(e), f.Kind, m.name)
				}
				some = true
				p.scoreFunction(&f, m)
			}
		}
		if !some {
			p.fail(e, p.code(e), "%s has no function; known functions: %s", p.path(e), strings.Join(scoreKinds, ", "))
		}
		fs = append(fs, f)
	})
	return fs
}

func (p *bodyParser) scoreFunction(f *ScoreFunction, m *value) {
	if m.name == "weight" {
		f.Weight, f.Weighted = p.weight(m), true
		return
	}
	if m.kind != kindObject {
		p.wrongValue(m, "an object")
		return
	}
	f.Kind = m.name
	switch m.name {
	case "field_value_factor":
		p.fieldValueFactor(f, m)
	case "random_score":
		p.randomScore(f, m)
	default:
		p.decay(f, m)
	}
}

func (p *bodyParser) fieldValueFactor(f *ScoreFunction, v *value) {
	f.Factor, f.Modifier = 1, "none"
	for i := range v.items {
		switch m := &v.items[i]; m.name {
		case "field":
			f.Field = p.fieldName(m)
		case "factor":
			f.Factor = p.float(m)
		case "modifier":
			f.Modifier = p.among(m, modifiers)
		case "missing":
			f.Missing = new(p.double(m))
		default:
			p.fail(m, problem.UnknownOption, "unknown option %q of field_value_factor; known options: field, factor, modifier, missing", clip(m.name))
		}
	}
	p.require(v, "field")
}

func (p *bodyParser) randomScore(f *ScoreFunction, v *value) {
	for i := range v.items {
		switch m := &v.items[i]; m.name {
		case "seed":
			f.Seed = new(p.scalar(m))
			if m.kind == kindBool || m.kind == kindNumber && strings.ContainsAny(m.text, ".eE") {
				p.wrongValue(m, "an integer or a string")
			}
		case "field":
			f.Field = p.fieldName(m)
		default:
			p.fail(m, problem.UnknownOption, "unknown option %q of random_score; known options: seed, field", clip(m.name))
		}
	}
}

func (p *bodyParser) decay(f *ScoreFunction, v *value) {
	f.Values, f.Decay.Decay = "min", 0.5
	var field *value
	for i := range v.items {
		switch m := &v.items[i]; {
		case m.name == "multi_value_mode":
			f.Values = p.among(m, valueModes)
		case m.kind != kindObject:
			p.wrongValue(m, `an object like {"origin":…,"scale":…}`)
		case field != nil:
			p.fail(m, p.code(m), "%s names two fields, %q and %q: one is all it takes", p.path(v), clip(field.name), clip(m.name))
		default:
			field = m
		}
	}
	if field == nil || field.name == "" {
		p.fail(v, p.code(v), `%s must name one field, like {"CreatedAt":{"origin":"now","scale":"10d"}}`, p.path(v))
		return
	}
	f.Field = field.name
	for i := range field.items {
		switch m := &field.items[i]; m.name {
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
			p.fail(m, problem.UnknownOption, "unknown option %q of %s; known options: origin, scale, offset, decay", clip(m.name), v.name)
		}
	}
	p.require(field, "scale")
}

// among parses one of several words, in any case.
func (p *bodyParser) among(v *value, words []string) string {
	s := strings.ToLower(p.text(v))
	if !slices.Contains(words, s) {
		p.wrongValue(v, "one of "+strings.Join(words, ", "))
	}
	return s
}

// double parses a finite number.
func (p *bodyParser) double(v *value) float64 {
	f := v.number()
	if math.IsNaN(f) {
		p.wrongValue(v, "a number")
	}
	return f
}

// float parses a number of 32 bits.
func (p *bodyParser) float(v *value) float64 {
	f := float64(float32(v.number()))
	if math.IsNaN(f) || math.IsInf(f, 0) {
		p.wrongValue(v, "a number")
	}
	return f
}

// timeUnits are Elasticsearch's units of time. Each is tried before its endings.
var timeUnits = []struct {
	name string
	unit time.Duration
}{{"nanos", 1}, {"micros", time.Microsecond}, {"ms", time.Millisecond}, {"s", time.Second}, {"m", time.Minute}, {"h", time.Hour}, {"d", 24 * time.Hour}}

// ParseDuration reads a duration as Elasticsearch does, like 10d, in milliseconds.
func ParseDuration(text string) (ms int64, err error) {
	s := strings.Trim(text, " \t\n\r")
	if strings.Trim(s, "0") == "" && s != "" {
		return 0, nil
	}
	for _, u := range timeUnits {
		digits, ok := strings.CutSuffix(s, u.name)
		if !ok && u.name != "m" {
			digits, ok = strings.CutSuffix(strings.ToLower(s), u.name)
		}
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.Trim(digits, " "), 10, 64)
		if err != nil || n < 0 || n > math.MaxInt64/int64(u.unit) {
			break
		}
		return time.Duration(n * int64(u.unit)).Milliseconds(), nil
	}
	return 0, fmt.Errorf("%.80q is no duration like 10d: an integer with one of d, h, m, s, ms, micros, nanos", text)
}
