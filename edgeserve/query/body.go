// Package query parses JSON search bodies into a query tree. It knows neither index nor field
// types. It enforces all limits that depend on the body alone: trees have a bounded size and depth.
package query

// Body is a search request.
type Body struct {
	From, Size       int // default 0 and 10
	HasFrom, HasSize bool
	Query            Node      // nil matches every item
	Sort             []SortKey // nil: by score if a clause scores, else the default order
	Aggs             []Agg     // in the order of the body
	Source           *Source   // nil returns whole items
	HasSource        bool      // the body has _source, even if it selects whole items
}

// SortKey is one sort key. "_score" sorts by score, descending unless Asc is set.
type SortKey struct {
	Field string
	Asc   bool
	Exact bool // Field is always an item path, never a sub-field; false in parsed bodies
}

// Source is the _source option: it selects the members of an item that a hit returns.
type Source struct {
	None               bool
	Includes, Excludes []string
}

// AggKind is an aggregation type.
type AggKind string

// Agg is a named aggregation. Kind decides which fields apply.
type Agg struct {
	Name  string
	Kind  AggKind // terms value_count cardinality min max avg sum stats filter filters date_histogram
	Field string

	Size             int       // terms; default 10
	Order            []AggSort // terms, date_histogram; nil is the default order
	MinDocCount      int       // terms default 1, date_histogram default 0
	Missing          *Value
	Include, Exclude []string // exact values; nil when absent; an empty Include keeps no bucket
	Interval         string   // date_histogram: minute hour day week month quarter year
	Format           string   // date_histogram

	Filter    Node          // filter
	Filters   []NamedFilter // filters, in the order of the body
	Anonymous bool          // filters is an array

	Subs []Agg // sub-aggregations, one level deep
}

// AggSort is a sort key of buckets. Path is "_count", "_key" or a sub-aggregation that gives one
// number (a filter gives its count), or stats and ".min", ".max", ".avg", ".sum" or ".count".
type AggSort struct {
	Path string
	Asc  bool
}

// NamedFilter is one bucket of a filters aggregation.
type NamedFilter struct {
	Name   string
	Filter Node
}

// Error reports an invalid body. Servers report it with status 400.
type Error struct {
	Code      string // stable, e.g. "bad_query_string"
	Message   string // the problem and its remedy
	Parameter string // path of the member, e.g. "query.bool.filter[0].wildcard"; may be empty
	Position  int    // byte offset in the body or the query string; -1 if unknown
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }
