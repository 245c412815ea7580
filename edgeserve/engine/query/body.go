// Package query defines the tree of a search: queries, aggregations and the other members of a body, and the
// walks over them. It knows neither the text of a body nor an index.
//
// The parsers of the nodes are in package body. So code that evaluates, rewrites or walks over a tree sees no
// JSON. Both packages use strictjson, lucene and script, which know no queries.
package query

import (
	"math"
	"slices"
)

// Body is a search request.
type Body struct {
	Query          Node            // nil matches every item
	Names          map[Node]string // the _name of each query that has one
	PostFilter     Node            // selects hits; aggregations do not see it
	MinScore       *float32        // matches with a lower score are dropped; nil means no minimum
	TerminateAfter int             // the number of matches after which the search ends; 0 means no such limit
	Rescore        []Rescore       // in the order of their application
	Collapse       *Collapse       // may be nil

	Window  Window
	Order   Order
	Show    HitOptions
	Totals  Totals
	Aggs    []Agg // in the order of the body
	Suggest []Suggestion

	Profile         bool // the response has a profile
	HasOtherMembers bool // the body has members besides query
}

// Totals says up to which limit totals are written, and in which form. It applies to inner hits and buckets too.
type Totals struct {
	Limit    int // with HasLimit: the greatest total that is written; -1: no total is written
	HasLimit bool
	AsInt    bool // a total is a number instead of an object
}

// AllHits is a limit that no total reaches.
const AllHits = math.MaxInt32

// SuggestsOnly reports whether a body asks for suggestions without a search. Aggregations search all items, also if
// there are none in them.
func (b *Body) SuggestsOnly() bool { return b.Query == nil && b.Suggest != nil && b.Aggs == nil }

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
	for _, f := range slices.Concat(b.Show.Fields, b.Show.DocvalueFields) {
		v.Field(f.Field)
	}
	for i := range b.Order.Keys {
		v.Field(b.Order.Keys[i].Field)
	}
	for i := range b.Aggs {
		v.Part(&b.Aggs[i])
	}
	for i := range b.Suggest {
		v.Part(&b.Suggest[i])
	}
	for i := range b.Show.Highlight {
		v.Field(b.Show.Highlight[i].Name)
		v.Part(b.Show.Highlight[i].Query)
	}
}

// AggKind is an aggregation type.
type AggKind string

// Agg is a named aggregation. Kind decides which parts apply.
type Agg struct {
	Name    string
	Typed   string // the name in the response where typed_keys adds the type; "" for Name
	Kind    AggKind
	Meta    string // a JSON object that the response repeats; "" when absent
	Values  AggValues
	Buckets BucketOptions
	Filters BucketFilters
	Select  ExactValues
	Options any   // the struct of options that the type has of its own, e.g. *TermsOptions; nil if it has none
	Subs    []Agg // sub-aggregations
}

// AggValues are the values that an aggregation reads, and how it writes them.
type AggValues struct {
	Field     string
	Missing   *Value // the value of items that have none; nil leaves these items out
	Format    string
	TimeZone  string // of dates; "" is UTC
	ValueType string // of an unmapped field, "" when absent
}

// BucketOptions say which buckets an aggregation returns, and in which form.
type BucketOptions struct {
	Size        int       // terms: how many; auto_date_histogram: how many buckets; default 10
	Order       []AggSort // terms, date_histogram; nil is the default order
	MinDocCount int       // terms default 1, date_histogram default 0
	Keyed       bool      // buckets are an object
	Interval    string    // date_histogram: second minute hour day week month quarter year; "" for a fixed one. auto_date_histogram: the shortest
}

// BucketFilters are the queries whose matches are buckets.
type BucketFilters struct {
	Query     Node          // filter
	List      []NamedFilter // filters, in the order of the body
	Anonymous bool          // filters is an array
	Other     string        // the bucket of the items that no filter matches; "" for none
}

// ExactValues are the only values that have buckets, and the values that have none. A nil list is absent; an empty
// Include keeps no bucket.
type ExactValues struct{ Include, Exclude []string }

// Visit implements Part.
func (a *Agg) Visit(v *Visitor) {
	v.Field(a.Values.Field)
	v.Part(a.Filters.Query)
	for i := range a.Filters.List {
		v.Part(a.Filters.List[i].Filter)
	}
	if options, ok := a.Options.(Part); ok {
		v.Part(options)
	}
	for i := range a.Subs {
		v.Part(&a.Subs[i])
	}
}

// AggSort is a sort key of buckets. Path is "_count", "_key" or a path for ResolveBucketsPath: names of
// aggregations joined by ">". If the last one has several numbers, "." and the name of a number follow.
type AggSort struct {
	Path string
	Asc  bool
}

// NamedFilter is one bucket of a filters aggregation.
type NamedFilter struct {
	Name   string
	Filter Node
}
