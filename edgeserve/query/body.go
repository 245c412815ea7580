// Package query reads search bodies: JSON in, a tree of what is asked out. It knows
// no index and no field types; it enforces every limit that can be told from the
// body alone, so that whatever it returns is of bounded size and depth.
package query

// Body is a search request.
type Body struct {
	From, Size       int // From 0 and Size 10 unless given
	HasFrom, HasSize bool
	Query            Node      // nil: every item
	Sort             []SortKey // nil: by score where a clause scores, else the default order
	Aggs             []Agg     // in the body's order
	Source           *Source   // nil: whole items
	HasSource        bool      // _source is given, also if it asks for whole items
}

// SortKey is one key of a sort. Field may be "_score" (descending unless Asc).
type SortKey struct {
	Field string
	Asc   bool
	Exact bool // Field is a path of items, never a sub-field; bodies have none of these
}

// Source is the _source option: which members of an item come out.
type Source struct {
	None               bool
	Includes, Excludes []string
}

// AggKind is the type of an aggregation.
type AggKind string

// Agg is a named aggregation. Which members count depends on Kind.
type Agg struct {
	Name  string
	Kind  AggKind // terms value_count cardinality min max avg sum stats filter filters date_histogram
	Field string

	Size             int       // terms; default 10
	Order            []AggSort // terms, date_histogram; nil: the default order
	MinDocCount      int       // terms default 1, date_histogram default 0
	Missing          *Value
	Include, Exclude []string // exact lists; nil when absent, an empty Include keeps no bucket
	Interval         string   // date_histogram: minute hour day week month quarter year
	Format           string   // date_histogram

	Filter  Node          // filter
	Filters []NamedFilter // filters, in the body's order
	Anon    bool          // filters given as an array

	Subs []Agg // one level
}

// AggSort orders buckets by "_count", "_key" or a sub-aggregation: Path is the name of
// one that gives a single number (of a filter, its count), or that of a stats and a
// dot and one of min, max, avg, sum, count. The sub-aggregation exists.
type AggSort struct {
	Path string
	Asc  bool
}

// NamedFilter is a bucket of a filters aggregation.
type NamedFilter struct {
	Name   string
	Filter Node
}

// Error is a body that cannot be answered: the caller's fault, HTTP 400.
type Error struct {
	Code      string // stable, e.g. "bad_query_string"
	Message   string // what is wrong and what to do
	Parameter string // the member's path, e.g. "query.bool.filter[0].wildcard"; may be empty
	Position  int    // byte offset in the body or the query string; -1: none
}

// Error gives the message.
func (e *Error) Error() string { return e.Message }
