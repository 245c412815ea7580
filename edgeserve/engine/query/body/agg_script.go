// This file parses the script of a pipeline aggregation.

package body

import (
	"math"
	"strings"

	"contentedge/edgeserve/engine/query/script"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/problem"
)

// parseScript parses a script: a string, or an object with source. names are the names of the numbers that it reads.
func parseScript(p *parser, v *strictjson.Value, names []string, condition bool) *script.Script {
	src := script.Source{Names: names, Condition: condition, Params: map[string]script.Constant{}}
	text := v
	if v.Kind == strictjson.Object {
		if text = v.Member("source"); text == nil {
			p.require(v, "source")
			return nil
		}
		scriptOptions.parse(p, &src, v)
	}
	if src.Text = p.text(text); p.err != nil {
		return nil
	}
	s, err := script.Parse(src)
	if err != nil {
		p.fail(text, problem.BadAggregation, "%s: %v", p.path(text), err)
		return nil
	}
	s.JSON = string(v.Append(nil, envelope.NumericEscapes))
	return s
}

var scriptOptions = newTable("a script", []option[script.Source]{
	{"source", required, func(*parser, *script.Source, *strictjson.Value) {}}, // parseScript reads it after the other options
	{"lang", optional, func(p *parser, s *script.Source, v *strictjson.Value) {
		s.Expression = p.either(v, p.text(v), "expression", "painless")
	}},
	{"params", optional, func(p *parser, s *script.Source, v *strictjson.Value) { parseScriptParams(p, s.Params, v) }},
})

func parseScriptParams(p *parser, params map[string]script.Constant, v *strictjson.Value) {
	if v.Kind != strictjson.Object {
		p.wrongValue(v, "an object of numbers")
		return
	}
	if p.tooMany(v, "params", len(v.Items), script.MaxNames) {
		return
	}
	for i := range v.Items {
		m := &v.Items[i]
		f := number(m)
		if m.Kind != strictjson.Number || math.IsNaN(f) {
			p.wrongValue(m, "a number")
			return
		}
		params[m.Name] = script.Constant{Value: f, Whole: !strings.ContainsAny(m.Text, ".eE")}
	}
}
