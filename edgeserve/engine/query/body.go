// Package query parses JSON search bodies into a query tree. It knows neither index nor field
// types. It enforces all limits that depend on the body alone: trees have a bounded size and depth.
package query

import "slices"

// Body is a search request.
type Body struct {
	From, Size       int // default 0 and 10
	HasFrom, HasSize bool
	Query            Node            // nil matches every item
	Names            map[Node]string // of the queries that have a _name
	Sort             []SortKey       // nil: by score if a clause scores, else the default order
	Fields           []FieldFormat   // of hits, as written in items
	DocvalueFields   []FieldFormat   // of hits, as they are sorted and aggregated
	NoID             bool            // hits have no ids
	TotalHits        int             // with HasTotalHits: the greatest total that is told; -1: none
	HasTotalHits     bool
	TotalAsInt       bool      // totals are numbers, inside of hits and of buckets too
	TerminateAfter   int       // the number of matches after which the search ends; 0: it does not
	Profile          bool      // the response has a profile
	HasOtherMembers  bool      // than query
	Version, SeqNo   bool      // hits have versions, or sequence numbers
	Explain          bool      // hits have explanations of their scores
	PostFilter       Node      // selects hits; aggregations do not see it
	MinScore         *float32  // of a match
	Collapse         *Collapse // nil: none
	Rescore          []Rescore // in the order of their application
	TrackScores      bool      // with the scores of a page that is not sorted by them
	Aggs             []Agg     // in the order of the body
	Suggest          []Suggestion
	Source           *Source   // nil returns whole items
	HasSource        bool      // the body has _source, even if it selects whole items
	SearchAfter      []*Value  // the sort values of the hit that the page follows; nil is null
	Hits             bool      // the envelope has a member hits, for what has no place in an item
	Highlight        Highlight // nil when absent
}

// Visit implements Part.
func (b *Body) Visit(v *Visitor) {
	v.Part(b.Query)
	v.Part(b.PostFilter)
	for i := range b.Rescore {
		v.Part(b.Rescore[i].Query)
	}
	if b.Collapse != nil {
		v.Part(b.Collapse)
	}
	for _, f := range slices.Concat(b.Fields, b.DocvalueFields) {
		v.Field(f.Field)
	}
	for i := range b.Sort {
		v.Field(b.Sort[i].Field)
	}
	for i := range b.Aggs {
		v.Part(&b.Aggs[i])
	}
	for i := range b.Suggest {
		v.Part(&b.Suggest[i])
	}
	for i := range b.Highlight {
		v.Field(b.Highlight[i].Name)
		v.Part(b.Highlight[i].Query)
	}
}

// SortKey is one sort key. "_score" sorts by score, descending unless Asc is set.
type SortKey struct {
	Field string
	Asc   bool
	Exact bool // Field is always an item path, never a sub-field; false in parsed bodies

	Mode        string // of several values: min max sum avg median; "" is min ascending, max descending
	Missing     *Value // of items without a value: "_first" or a value; nil: they come last
	Unmapped    string // the type of a field that no item has, "" if not given
	NumericType string // long double date date_nanos: what numbers are sorted as; "" is their type
}

// HasOptions reports whether the key has more than a field and a direction.
func (k *SortKey) HasOptions() bool { return k.Mode != "" || k.Missing != nil || k.NumericType != "" }

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
	Typed string // its name in the response if that is not Name: with its type, as typed_keys asks for
	Kind  AggKind
	Field string
	Meta  string // a JSON object that the response repeats; "" when absent

	Size             int       // terms, buckets of auto_date_histogram; default 10
	Order            []AggSort // terms, date_histogram; nil is the default order
	MinDocCount      int       // terms default 1, date_histogram default 0
	Missing          *Value
	Include, Exclude []string // exact values; nil when absent; an empty Include keeps no bucket
	Interval         string   // date_histogram: second minute hour day week month quarter year; "" if it is fixed. The least of auto_date_histogram
	Format           string
	Keyed            bool   // buckets are an object
	TimeZone         string // of dates; "" is UTC
	ValueType        string // what an unmapped field holds, "" when absent

	Filter    Node          // filter
	Filters   []NamedFilter // filters, in the order of the body
	Anonymous bool          // filters is an array
	Other     string        // the bucket of what no filter matches; "" for none

	Options any // of a type that has a struct of its own for them

	Subs []Agg // sub-aggregations
}

// Visit implements Part.
func (a *Agg) Visit(v *Visitor) {
	v.Field(a.Field)
	v.Part(a.Filter)
	for i := range a.Filters {
		v.Part(a.Filters[i].Filter)
	}
	if options, ok := a.Options.(Part); ok {
		v.Part(options)
	}
	for i := range a.Subs {
		v.Part(&a.Subs[i])
	}
}

// AggSort is a sort key of buckets. Path is "_count", "_key" or a path for ResolveBucketsPath: names with
// ">" between them and, where the last has several numbers, "." and the name of one.
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
	Evaluated bool   // the body can be parsed, but not be searched with
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }
