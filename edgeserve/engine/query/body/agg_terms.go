// This file parses terms and rare_terms.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

func parseTermsAgg(p *parser, a *query.Agg, t *aggParser, v *strictjson.Value) {
	a.Size, a.MinDocCount = 10, 1
	o := &query.TermsOptions{}
	parseAggOptions(p, a, t, v, func(m *strictjson.Value) bool {
		if m.Name == "shard_size" {
			o.ShardSize = p.integer(m, 1)
			return true
		}
		if m.Name == "show_term_doc_count_error" {
			o.ShowErrors = p.bool(m)
			return true
		}
		return parseSelection(p, a, o, m)
	})
	p.require(v, "field")
	parseCheckSelection(p, a, o, v)
	if *o != (query.TermsOptions{}) {
		a.Options = o
	}
}

var valueTypes = []string{"string", "byte", "short", "integer", "long", "float", "double", "number", "numeric", "date", "boolean"}

// maxRare limits what counts as rare, as in Elasticsearch.
const maxRare = 100

func parseRareTermsAgg(p *parser, a *query.Agg, t *aggParser, v *strictjson.Value) {
	o := &query.TermsOptions{MaxDocCount: 1}
	a.Options = o
	parseAggOptions(p, a, t, v, func(m *strictjson.Value) bool {
		switch m.Name {
		case "max_doc_count":
			o.MaxDocCount = p.between(m, 1, maxRare)
		case "precision": // no effect: counts are exact
			p.weight(m)
		default:
			return parseSelection(p, a, o, m)
		}
		return true
	})
	p.require(v, "field")
	parseCheckSelection(p, a, o, v)
}

// checkSelection refuses to mix ways of selecting values, as Elasticsearch does.
func parseCheckSelection(p *parser, a *query.Agg, o *query.TermsOptions, v *strictjson.Value) {
	patterns := o.Include != nil || o.Exclude != nil
	lists := a.Include != nil || a.Exclude != nil
	if patterns && lists || o.Partitions > 0 && (patterns || lists) {
		p.fail(v, problem.BadAggregation, "%s selects values in two ways: use patterns, arrays of exact values or a partition", p.path(v))
	}
}

func parseSelection(p *parser, a *query.Agg, o *query.TermsOptions, m *strictjson.Value) bool {
	switch {
	case m.Name == "include" && m.Kind == strictjson.String:
		o.Include = new(m.Text)
	case m.Name == "exclude" && m.Kind == strictjson.String:
		o.Exclude = new(m.Text)
	case m.Name == "include" && m.Kind == strictjson.Object:
		parsePartition(p, o, m)
	case m.Name == "include":
		a.Include = parseExactList(p, m)
	case m.Name == "exclude":
		a.Exclude = parseExactList(p, m)
	default:
		return false
	}
	return true
}

func parsePartition(p *parser, o *query.TermsOptions, v *strictjson.Value) {
	for i := range v.Items {
		switch m := &v.Items[i]; m.Name {
		case "partition":
			o.Partition = p.integer(m, 0)
		case "num_partitions":
			o.Partitions = p.integer(m, 1)
		default:
			p.fail(m, problem.UnknownOption, "unknown option %q of include; known options: partition, num_partitions", strictjson.Clip(m.Name))
		}
	}
	p.require(v, "partition")
	p.require(v, "num_partitions")
	if p.err == nil && o.Partition >= o.Partitions {
		p.fail(v, problem.BadAggregation, "partition must be below num_partitions")
	}
}

// exactList parses exact values. It is never nil on success: an empty include keeps no bucket.
func parseExactList(p *parser, v *strictjson.Value) []string {
	if v.Kind != strictjson.Array {
		p.wrongValue(v, "an array of exact values, a pattern or a partition")
		return nil
	}
	return p.texts(v, maxValues)
}
