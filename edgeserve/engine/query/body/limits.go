// This file defines the limits that keep bodies cheap to parse and bounded in depth.

package body

const (
	// maxQueryDepth limits the nesting of queries and the recursion of every tree walk.
	maxQueryDepth = 32
	// maxValues limits the values of terms and ids, as in Elasticsearch.
	maxValues = 65536
	// maxExpansions limits the terms that one prefix or fuzzy word expands to.
	maxExpansions = 1024
	// maxSortKeys limits the cost of comparing two hits.
	maxSortKeys = 32
	// maxSourcePatterns limits the patterns that each member of each hit is matched against.
	maxSourcePatterns = 100
	// maxSuggestions limits the texts that are compared with all words of a field.
	maxSuggestions = 20
	// maxSuggestSize limits the suggestions for a word, and how many times more candidates there are.
	maxSuggestSize = 100
	// maxAggDepth limits aggregations within others: each level multiplies buckets.
	maxAggDepth = 6
	// maxAggs limits the passes over the matching documents.
	maxAggs = 100
	// leastStates is the least max_determinized_states that a body may set. Our limit is fixed, and
	// counts other states than Lucene's. So a smaller value would refuse other expressions than there.
	leastStates = 100
)
