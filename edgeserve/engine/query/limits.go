// This file defines limits, which keep bodies cheap to parse and bounded in depth.

package query

const (
	// MaxWindow limits from + size, as in Elasticsearch.
	MaxWindow = 10000
	// DefaultSize is the number of hits per page unless the body sets size.
	DefaultSize = 10

	// maxJSONDepth limits recursion. A query in a list takes three levels of maxQueryDepth.
	maxJSONDepth = 128
	// maxQueryDepth limits the nesting of queries and the recursion of every tree walk.
	maxQueryDepth = 32
	// maxParens limits nested parentheses in a query string, and with them recursion.
	maxParens = 100
	// maxClauses limits one bool, parenthesis level or list of fields, as in Lucene.
	maxClauses = 1024
	// maxNodes limits queries and clauses of a whole body, because nesting multiplies maxClauses.
	maxNodes = 8192
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
	// maxSuggestSize limits the suggestions for a word, and the factor by which candidates exceed them.
	maxSuggestSize = 100
	// maxAggDepth limits aggregations within others: each level multiplies buckets.
	maxAggDepth = 6
	// maxAggs limits the passes over the matching documents.
	maxAggs = 100
	// maxBuckets limits the size of a terms aggregation, as in Elasticsearch.
	maxBuckets        = 65536
	defaultExpansions = 50
	// leastStates is the least limit of states that a body may set. Ours is fixed and counts other
	// states than Lucene, so a smaller one would refuse other expressions.
	leastStates = 100
)
