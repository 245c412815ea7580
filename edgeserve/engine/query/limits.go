// This file defines error codes and limits, which keep bodies cheap to parse and bounded in depth.

package query

// The values of Error.Code are stable, so callers may branch on them.
const (
	CodeJSON           = "bad_json"         // not a single, strict JSON value
	CodeBody           = "bad_body"         // not an object, or an unknown member
	CodeQuery          = "bad_query"        // a query of the wrong shape or with an invalid value
	CodeUnknownQuery   = "unknown_query"    // an unsupported query type
	CodeUnknownOption  = "unknown_option"   // an unsupported option of a query, sort or aggregation
	CodeQueryString    = "bad_query_string" // a syntax error in a query_string
	CodeTooManyClauses = "too_many_clauses" // too many clauses, fields or values
	CodeTooDeep        = "too_deep"         // nested too deeply
	CodeFrom           = "bad_from"         // from, or from + size
	CodeSize           = "bad_size"
	CodeSort           = "bad_sort"
	CodeSource         = "bad_source"
	CodeCollapse       = "bad_collapse"
	CodeRescore        = "bad_rescore"
	CodeSearchAfter    = "bad_search_after"
	CodeTotalHits      = "bad_track_total_hits"
	CodeAggregation    = "bad_aggregation"
	CodeSuggest        = "bad_suggest"
	CodeHighlight      = "bad_highlight"
)

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
