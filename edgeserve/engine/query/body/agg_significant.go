// This file parses significant_terms aggregations.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
	"strings"
)

const significanceMeasures = "jlh chi_square gnd mutual_information percentage"

func parseSignificantTermsAgg(p *parser, a *query.Agg, t *aggParser, v *strictjson.Value) {
	a.Size, a.MinDocCount = 10, 3
	options := &query.Significance{Measure: "jlh", Superset: true}
	if m := v.Member("script_heuristic"); m != nil {
		p.fail(m, problem.UnknownOption, "%s: there are no scripts: use one of %s", p.path(m), strings.ReplaceAll(significanceMeasures, " ", ", "))
	}
	ofShard := 0
	parseAggOptions(p, a, t, v, func(o *strictjson.Value) bool {
		switch o.Name {
		case "jlh", "chi_square", "gnd", "mutual_information", "percentage":
			parseSignificanceMeasure(p, options, o)
		case "background_filter":
			options.Background = parseQuery(p, o)
		case "shard_min_doc_count":
			ofShard = p.integer(o, 0)
		default:
			return parseSelection(p, a, &options.Terms, o)
		}
		return true
	})
	a.MinDocCount = max(a.MinDocCount, ofShard) // there is one shard
	p.require(v, "field")
	a.Options = options
}

func parseSignificanceMeasure(p *parser, s *query.Significance, v *strictjson.Value) {
	s.Measure, s.Superset, s.Negatives = v.Name, true, false
	if v.Kind != strictjson.Object {
		p.wrongValue(v, "an object")
		return
	}
	known := ""
	switch v.Name {
	case "chi_square", "mutual_information":
		known = "background_is_superset, include_negatives"
	case "gnd":
		known = "background_is_superset"
	}
	for i := range v.Items {
		switch m := &v.Items[i]; {
		case known == "":
			p.fail(m, problem.UnknownOption, "unknown option %q of %s, which has none", strictjson.Clip(m.Name), v.Name)
		case m.Name == "background_is_superset":
			s.Superset = p.bool(m)
		case m.Name == "include_negatives" && v.Name != "gnd":
			s.Negatives = p.bool(m)
		default:
			p.fail(m, problem.UnknownOption, "unknown option %q of %s; known options: %s", strictjson.Clip(m.Name), v.Name, known)
		}
	}
}
