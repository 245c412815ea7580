// This file parses significant_terms aggregations.

package body

import (
	"strings"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

// significanceMeasures are the measures of significance, each with its options.
var significanceMeasures = []struct {
	name    string
	options []option[query.Significance]
}{
	{"jlh", nil},
	{"chi_square", []option[query.Significance]{backgroundIsSuperset, includeNegatives}},
	{"gnd", []option[query.Significance]{backgroundIsSuperset}},
	{"mutual_information", []option[query.Significance]{backgroundIsSuperset, includeNegatives}},
	{"percentage", nil},
}

var (
	backgroundIsSuperset = option[query.Significance]{"background_is_superset", optional, func(p *parser, s *query.Significance, v *strictjson.Value) { s.Superset = p.bool(v) }}
	includeNegatives     = option[query.Significance]{"include_negatives", optional, func(p *parser, s *query.Significance, v *strictjson.Value) { s.Negatives = p.bool(v) }}
)

func significantTermsOptions() []option[query.Agg] {
	rows := []option[query.Agg]{
		aggField.must(), aggSize, aggMinDocCount, includeOption(significantOf), excludeOption(significantOf),
		of("background_filter", optional, func(p *parser, s *query.Significance, v *strictjson.Value) { s.Background = parseQuery(p, v) }),
	}
	for _, m := range significanceMeasures {
		rows = append(rows, significanceMeasure(m.name, newTable(m.name, m.options)))
	}
	return append(rows,
		noEffect[query.Agg]("shard_size", func(p *parser, v *strictjson.Value) { p.integer(v, 1) }),
		noEffect[query.Agg]("shard_min_doc_count", (*parser).natural), // finishSignificantTerms reads it
		executionHint,
		option[query.Agg]{"script_heuristic", unlisted, func(p *parser, _ *query.Agg, v *strictjson.Value) {
			var names []string
			for _, m := range significanceMeasures {
				names = append(names, m.name)
			}
			p.fail(v, problem.UnknownOption, "%s: scripts are not supported: use one of %s", p.path(v), strings.Join(names, ", "))
		}},
	)
}

func significantOf(a *query.Agg) *query.TermsOptions { return &a.Options.(*query.Significance).Terms }

func beginSignificantTerms(a *query.Agg) {
	a.Buckets.Size, a.Buckets.MinDocCount, a.Options = 10, 3, &query.Significance{Measure: "jlh", Superset: true}
}

func finishSignificantTerms(p *parser, a *query.Agg, v *strictjson.Value) {
	if m := v.Member("shard_min_doc_count"); m != nil {
		a.Buckets.MinDocCount = max(a.Buckets.MinDocCount, p.integer(m, 0)) // there is one shard
	}
}

func significanceMeasure(name string, options *table) option[query.Agg] {
	return of(name, optional, func(p *parser, s *query.Significance, v *strictjson.Value) {
		s.Measure, s.Superset, s.Negatives = name, true, false
		switch {
		case v.Kind != strictjson.Object:
			p.wrongValue(v, "an object")
		case len(options.rows) == 0 && len(v.Items) > 0:
			p.fail(&v.Items[0], problem.UnknownOption, "unknown option %q of %s, which has none", strictjson.Clip(v.Items[0].Name), name)
		default:
			options.parse(p, s, v)
		}
	})
}
