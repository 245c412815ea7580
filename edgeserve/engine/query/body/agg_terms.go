// This file parses terms and rare_terms.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

var termsAggOptions = []option[query.Agg]{
	aggField.must(), aggSize, aggOrder, aggMinDocCount, aggMissing,
	includeOption(termsOf), excludeOption(termsOf),
	of("shard_size", optional, func(p *parser, o *query.TermsOptions, v *strictjson.Value) { o.ShardSize = p.integer(v, 1) }),
	noEffect[query.Agg]("shard_min_doc_count", (*parser).natural), // there is one shard
	of("show_term_doc_count_error", optional, func(p *parser, o *query.TermsOptions, v *strictjson.Value) { o.ShowErrors = p.bool(v) }),
	executionHint,
	fixed[query.Agg]("collect_mode", "depth_first", "breadth_first"),
	aggValueType, aggFormat,
}

func termsOf(a *query.Agg) *query.TermsOptions { return a.Options.(*query.TermsOptions) }

func beginTermsAgg(a *query.Agg) {
	a.Buckets.Size, a.Buckets.MinDocCount, a.Options = 10, 1, &query.TermsOptions{}
}

func finishTermsAgg(p *parser, a *query.Agg, v *strictjson.Value) {
	checkSelection(p, a, termsOf(a), v)
	if *termsOf(a) == (query.TermsOptions{}) {
		a.Options = nil
	}
}

// maxRare limits max_doc_count, up to which a term is rare, as in Elasticsearch.
const maxRare = 100

var rareTermsOptions = []option[query.Agg]{
	aggField.must(),
	of("max_doc_count", optional, func(p *parser, o *query.TermsOptions, v *strictjson.Value) { o.MaxDocCount = p.between(v, 1, maxRare) }),
	includeOption(termsOf), excludeOption(termsOf),
	aggMissing,
	noEffect[query.Agg]("precision", func(p *parser, v *strictjson.Value) { p.weight(v) }), // counts are exact
	aggFormat, aggValueType,
}

func beginRareTerms(a *query.Agg) { a.Options = &query.TermsOptions{MaxDocCount: 1} }

func finishRareTerms(p *parser, a *query.Agg, v *strictjson.Value) {
	checkSelection(p, a, termsOf(a), v)
}

// checkSelection refuses to mix ways of selecting values, as Elasticsearch does.
func checkSelection(p *parser, a *query.Agg, o *query.TermsOptions, v *strictjson.Value) {
	patterns := o.Include != nil || o.Exclude != nil
	lists := a.Select.Include != nil || a.Select.Exclude != nil
	if patterns && lists || o.Partitions > 0 && (patterns || lists) {
		p.fail(v, problem.BadAggregation, "%s selects values in two ways: use patterns, arrays of exact values or a partition", p.path(v))
	}
}

func includeOption(terms func(a *query.Agg) *query.TermsOptions) option[query.Agg] {
	return option[query.Agg]{"include", optional, func(p *parser, a *query.Agg, v *strictjson.Value) {
		switch v.Kind {
		case strictjson.String:
			terms(a).Include = new(v.Text)
		case strictjson.Object:
			parsePartition(p, terms(a), v)
		default:
			a.Select.Include = p.exactValues(v)
		}
	}}
}

func excludeOption(terms func(a *query.Agg) *query.TermsOptions) option[query.Agg] {
	return option[query.Agg]{"exclude", optional, func(p *parser, a *query.Agg, v *strictjson.Value) {
		if v.Kind == strictjson.String {
			terms(a).Exclude = new(v.Text)
		} else {
			a.Select.Exclude = p.exactValues(v)
		}
	}}
}

var partitionOptions = newTable("include", []option[query.TermsOptions]{
	{"partition", required, func(p *parser, o *query.TermsOptions, v *strictjson.Value) { o.Partition = p.integer(v, 0) }},
	{"num_partitions", required, func(p *parser, o *query.TermsOptions, v *strictjson.Value) { o.Partitions = p.integer(v, 1) }},
})

func parsePartition(p *parser, o *query.TermsOptions, v *strictjson.Value) {
	partitionOptions.parse(p, o, v)
	if p.err == nil && o.Partition >= o.Partitions {
		p.fail(v, problem.BadAggregation, "partition must be below num_partitions")
	}
}

// exactValues parses an array of values. On success the list is not nil, because an empty include keeps no bucket.
func (p *parser) exactValues(v *strictjson.Value) []string {
	if v.Kind != strictjson.Array {
		p.wrongValue(v, "an array of exact values, a pattern or a partition")
		return nil
	}
	return p.texts(v, maxValues)
}
