// This file writes the options of terms, rare_terms and significant_terms.

package encode

import "contentedge/edgeserve/engine/query"

func termsOptions(o object, t *query.TermsOptions) {
	selection(o, &t.Selection)
	integer(o, "max_doc_count", t.MaxDocCount, 0)
	integer(o, "shard_size", t.ShardSize, 0)
	flag(o, "show_term_doc_count_error", t.ShowErrors)
}

// selection writes patterns or a partition. A parsed aggregation with patterns or a partition has no list of exact
// values.
func selection(o object, s *query.Selection) {
	if s.Include != nil {
		o["include"] = *s.Include
	}
	if s.Exclude != nil {
		o["exclude"] = *s.Exclude
	}
	if s.Partitions > 0 {
		o["include"] = object{"partition": whole(s.Partition), "num_partitions": whole(s.Partitions)}
	}
}

// significance writes the measure with its options. A measure without options refuses them.
func (e *encoder) significance(o object, s *query.Significance) {
	termsOptions(o, &s.Terms)
	measure := object{}
	switch s.Measure {
	case "chi_square", "mutual_information":
		measure["background_is_superset"], measure["include_negatives"] = s.Superset, s.Negatives
	case "gnd":
		measure["background_is_superset"] = s.Superset
	}
	o[s.Measure] = measure
	if s.Background != nil {
		o["background_filter"] = e.node(s.Background)
	}
}
