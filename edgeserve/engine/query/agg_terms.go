// This file defines the options of terms and rare_terms.

package query

// Selection selects values by patterns or partitions, in addition to exact values.
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
