// This file parses significant_terms aggregations.

package query

import (
	"strings"

	"contentedge/edgeserve/wire/problem"
)

// AggSignificantTerms finds the terms that are more frequent in a bucket than elsewhere.
const AggSignificantTerms AggKind = "significant_terms"

// Significance are the options of significant_terms beside those of terms.
type Significance struct {
	Measure    string // jlh chi_square gnd mutual_information percentage
	Superset   bool   // the background includes the bucket; not for jlh and percentage
	Negatives  bool   // terms that are rarer here count too
	Background Node   // nil: every item
	Terms      TermsOptions
}

// Visit implements Part.
func (s *Significance) Visit(v *Visitor) { v.Part(s.Background) }

const significanceMeasures = "jlh chi_square gnd mutual_information percentage"

func (p *bodyParser) significantTermsAgg(a *Agg, t *aggType, v *value) {
	a.Size, a.MinDocCount = 10, 3
	options := &Significance{Measure: "jlh", Superset: true}
	if m := v.member("script_heuristic"); m != nil {
		p.fail(m, problem.UnknownOption, "%s: there are no scripts: use one of %s", p.path(m), strings.ReplaceAll(significanceMeasures, " ", ", "))
	}
	ofShard := 0
	p.aggOptions(a, t, v, func(o *value) bool {
		switch o.name {
		case "jlh", "chi_square", "gnd", "mutual_information", "percentage":
			p.significanceMeasure(options, o)
		case "background_filter":
			options.Background = p.query(o)
		case "shard_min_doc_count":
			ofShard = p.integer(o, 0)
		default:
			return p.selection(a, &options.Terms, o)
		}
		return true
	})
	a.MinDocCount = max(a.MinDocCount, ofShard) // there is one shard
	p.require(v, "field")
	a.Options = options
}

func (p *bodyParser) significanceMeasure(s *Significance, v *value) {
	s.Measure, s.Superset, s.Negatives = v.name, true, false
	if v.kind != kindObject {
		p.wrongValue(v, "an object")
		return
	}
	known := ""
	switch v.name {
	case "chi_square", "mutual_information":
		known = "background_is_superset, include_negatives"
	case "gnd":
		known = "background_is_superset"
	}
	for i := range v.items {
		switch m := &v.items[i]; {
		case known == "":
			p.fail(m, problem.UnknownOption, "unknown option %q of %s, which has none", clip(m.name), v.name)
		case m.name == "background_is_superset":
			s.Superset = p.bool(m)
		case m.name == "include_negatives" && v.name != "gnd":
			s.Negatives = p.bool(m)
		default:
			p.fail(m, problem.UnknownOption, "unknown option %q of %s; known options: %s", clip(m.name), v.name, known)
		}
	}
}
