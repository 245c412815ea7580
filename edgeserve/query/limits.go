// This file holds what the parsers refuse: the stable error codes and every limit
// with its reason, so that a body within the size limit stays cheap to read and of
// bounded depth.

package query

// The codes of an Error. Callers may branch on them; they do not change.
const (
	CodeJSON           = "bad_json"             // not one strict JSON value
	CodeBody           = "bad_body"             // not an object, or an unknown member
	CodeQuery          = "bad_query"            // a query of the wrong shape or with a wrong value
	CodeUnknownQuery   = "unknown_query"        // a query type that does not exist here
	CodeUnknownOption  = "unknown_option"       // an option a query, sort or aggregation does not have
	CodeQueryString    = "bad_query_string"     // the text of a query_string breaks its grammar
	CodeTooManyClauses = "too_many_clauses"     // more clauses, fields or values than allowed
	CodeTooDeep        = "too_deep"             // nested deeper than allowed
	CodeFrom           = "bad_from"             // from, or from + size
	CodeSize           = "bad_size"             // size
	CodeSort           = "bad_sort"             // sort
	CodeSource         = "bad_source"           // _source
	CodeTotalHits      = "bad_track_total_hits" // track_total_hits
	CodeAggregation    = "bad_aggregation"      // aggs
)

const (
	// MaxWindow bounds from + size: the last hit a page can show, as in Elasticsearch.
	MaxWindow = 10000
	// DefaultSize is the page length of a body that does not give one.
	DefaultSize = 10

	// maxJSONDepth bounds the reader's recursion; maxQueryDepth queries fit, of three
	// levels each where lists hold them.
	maxJSONDepth = 128
	// maxQueryDepth bounds queries inside queries, hence the recursion of whoever walks the tree.
	maxQueryDepth = 32
	// maxParens bounds the parentheses of a query string, for the same reason.
	maxParens = 100
	// maxClauses bounds one bool, one parenthesis level and one list of fields, as Lucene does.
	maxClauses = 1024
	// maxNodes bounds the queries and query string clauses of a whole body, as nesting
	// would multiply maxClauses.
	maxNodes = 8192
	// maxValues bounds the values of terms and ids, as in Elasticsearch.
	maxValues = 65536
	// maxExpansions bounds the terms that one prefix or fuzzy word stands for.
	maxExpansions = 1024
	// maxSortKeys bounds the comparisons of two hits.
	maxSortKeys = 32
	// maxSourcePatterns bounds the patterns tried on every member of every hit.
	maxSourcePatterns = 100
	// maxAggs bounds the passes over the matches that one body can ask for.
	maxAggs = 100
	// maxBuckets bounds the size a terms aggregation may ask for, as in Elasticsearch.
	maxBuckets = 65536
	// defaultExpansions is how many terms a prefix or fuzzy word may stand for.
	defaultExpansions = 50
)
