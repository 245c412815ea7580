// This file parses terms and rare_terms.

package query

import "contentedge/edgeserve/wire/problem"

// Selection selects values by patterns or partitions, beside exact values.
type Selection struct {
	Include, Exclude      *string // Lucene's regular expressions
	Partition, Partitions int     // Partitions is 0 when absent
}

// TermsOptions are the options of terms and rare_terms.
type TermsOptions struct {
	Selection
	MaxDocCount int  // rare_terms
	ShardSize   int  // 0 when absent
	ShowErrors  bool // show_term_doc_count_error
}

func (p *bodyParser) termsAgg(a *Agg, t *aggType, v *value) {
	a.Size, a.MinDocCount = 10, 1
	o := &TermsOptions{}
	p.aggOptions(a, t, v, func(m *value) bool {
		if m.name == "shard_size" {
			o.ShardSize = p.integer(m, 1)
			return true
		}
		if m.name == "show_term_doc_count_error" {
			o.ShowErrors = p.bool(m)
			return true
		}
		return p.selection(a, o, m)
	})
	p.require(v, "field")
	p.checkSelection(a, o, v)
	if *o != (TermsOptions{}) {
		a.Options = o
	}
}

var valueTypes = []string{"string", "byte", "short", "integer", "long", "float", "double", "number", "numeric", "date", "boolean"}

// maxRare limits what counts as rare, as in Elasticsearch.
const maxRare = 100

func (p *bodyParser) rareTermsAgg(a *Agg, t *aggType, v *value) {
	o := &TermsOptions{MaxDocCount: 1}
	a.Options = o
	p.aggOptions(a, t, v, func(m *value) bool {
		switch m.name {
		case "max_doc_count":
			o.MaxDocCount = p.between(m, 1, maxRare)
		case "precision": // no effect: counts are exact
			p.weight(m)
		default:
			return p.selection(a, o, m)
		}
		return true
	})
	p.require(v, "field")
	p.checkSelection(a, o, v)
}

// checkSelection refuses to mix ways of selecting values, as Elasticsearch does.
func (p *bodyParser) checkSelection(a *Agg, o *TermsOptions, v *value) {
	patterns := o.Include != nil || o.Exclude != nil
	lists := a.Include != nil || a.Exclude != nil
	if patterns && lists || o.Partitions > 0 && (patterns || lists) {
		p.fail(v, problem.BadAggregation, "%s selects values in two ways: use patterns, arrays of exact values or a partition", p.path(v))
	}
}

func (p *bodyParser) selection(a *Agg, o *TermsOptions, m *value) bool {
	switch {
	case m.name == "include" && m.kind == kindString:
		o.Include = new(m.text)
	case m.name == "exclude" && m.kind == kindString:
		o.Exclude = new(m.text)
	case m.name == "include" && m.kind == kindObject:
		p.partition(o, m)
	case m.name == "include":
		a.Include = p.exactList(m)
	case m.name == "exclude":
		a.Exclude = p.exactList(m)
	default:
		return false
	}
	return true
}

func (p *bodyParser) partition(o *TermsOptions, v *value) {
	for i := range v.items {
		switch m := &v.items[i]; m.name {
		case "partition":
			o.Partition = p.integer(m, 0)
		case "num_partitions":
			o.Partitions = p.integer(m, 1)
		default:
			p.fail(m, problem.UnknownOption, "unknown option %q of include; known options: partition, num_partitions", clip(m.name))
		}
	}
	p.require(v, "partition")
	p.require(v, "num_partitions")
	if p.err == nil && o.Partition >= o.Partitions {
		p.fail(v, problem.BadAggregation, "partition must be below num_partitions")
	}
}

// exactList parses exact values. It is never nil on success: an empty include keeps no bucket.
func (p *bodyParser) exactList(v *value) []string {
	if v.kind != kindArray {
		p.wrongValue(v, "an array of exact values, a pattern or a partition")
		return nil
	}
	return p.texts(v, maxValues)
}
