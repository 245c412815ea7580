// This file is the only list of error codes. Every reported error names a code from here.

package problem

// Codes of requests that cannot be read as HTTP.
const (
	BadRequest      = "bad_request"
	BadHeader       = "bad_header"
	BadTarget       = "bad_target"
	BadHost         = "bad_host"
	BadFraming      = "bad_framing"
	BadHTTPVersion  = "bad_http_version"
	RequestTimeout  = "request_timeout"
	HeadTooLarge    = "head_too_large"
	BodyTooLarge    = "body_too_large"
	ContentEncoding = "content_encoding"
	BadGzip         = "bad_gzip"
)

// Codes of addresses, methods and conditions.
const (
	UnknownRoute       = "unknown_route"
	UnknownEnvironment = "unknown_environment"
	UnknownItem        = "unknown_item"
	UnknownSearch      = "unknown_search"
	UnknownMedia       = "unknown_media"
	UnknownUsedIn      = "unknown_used_in"
	UnknownHost        = "unknown_host"
	MethodNotAllowed   = "method_not_allowed"
	PreconditionFailed = "precondition_failed"
	ReleaseMismatch    = "release_mismatch"
	BadRange           = "bad_range"
	VersionConflict    = "version_conflict" // an item has another version than an Elasticsearch request names
)

// Codes of query parameters.
const (
	UnknownParameter   = "unknown_parameter"
	DuplicateParameter = "duplicate_parameter"
	MissingParameter   = "missing_parameter"
	BadParameter       = "bad_parameter" // of Elasticsearch's endpoints
	TooManyParameters  = "too_many_parameters"
	ValueTooLong       = "value_too_long"
	PathLeftOut        = "path_left_out" // a filter by a path that is not in the index
	BadPage            = "bad_page"
	BadPageSize        = "bad_page_size"
	BadSortAsc         = "bad_sort_asc"
	BadCreatedAt       = "bad_created_at"
	BadInclude         = "bad_include"
	TooManyIncluded    = "too_many_included" // items that others refer to
)

// Codes of search bodies. BadQuery and BadSort are codes of parameters, too.
const (
	BadJSON           = "bad_json"         // not a single, strict JSON value
	BadBody           = "bad_body"         // not an object, or an unknown member
	BadQuery          = "bad_query"        // a query of the wrong shape or with an invalid value
	UnknownQuery      = "unknown_query"    // an unsupported query type
	UnknownOption     = "unknown_option"   // an unsupported option of a query, sort or aggregation
	BadQueryString    = "bad_query_string" // a syntax error in a query_string
	BadRegexp         = "bad_regexp"
	BadValue          = "bad_value" // a value that the type of its field cannot have
	BadFrom           = "bad_from"  // from, or from + size
	BadSize           = "bad_size"
	BadSort           = "bad_sort"
	BadSearchAfter    = "bad_search_after"
	BadCollapse       = "bad_collapse"
	BadRescore        = "bad_rescore"
	BadSource         = "bad_source"
	BadTrackTotalHits = "bad_track_total_hits"
	BadAggregation    = "bad_aggregation"
	BadSuggest        = "bad_suggest"
	BadHighlight      = "bad_highlight"
	TooDeep           = "too_deep"         // nested too deeply
	TooManyClauses    = "too_many_clauses" // too many clauses, fields or values
	TooManyBuckets    = "too_many_buckets"
	TooCostly         = "too_costly"
)

// Codes of requests that a node cannot serve now, or not at all.
const (
	NotReady = "not_ready"
	// RateLimited: a client has sent too many requests, or its searches took too much work.
	RateLimited = "rate_limited"
	Overloaded  = "overloaded"
	Timeout     = "timeout"
	Unreadable  = "unreadable"
	// SearchUnavailable: the cluster that evaluates searches cannot answer, or not wholly.
	SearchUnavailable = "search_unavailable"
	// NotAtCluster: a cluster cannot be asked for what a snapshot answers.
	NotAtCluster = "not_at_cluster"
	// MediaUnreachable: a node cannot read a media file, or cannot fetch it now.
	MediaUnreachable = "media_unreachable"
	Internal         = "internal"
	// NotExact: a server that answers exactly or not at all was asked what a cluster with several shards answers
	// approximately.
	NotExact = "not_exact"
)

// Codes that only one kind of server reports.
const (
	CrossOrigin     = "cross_origin"     // of the admin listener
	ReleaseRefused  = "release_refused"  // of the admin listener
	NoFile          = "no_file"          // of a host without an edge server
	EdgeUnreachable = "edge_unreachable" // of a host in front of an edge server
	ContentError    = "content_error"    // of a preview
	BuildFailed     = "build_failed"     // of a preview
)
