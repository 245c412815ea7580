// This file defines the options that query_string and simple_query_string share.

package query

// StringOptions are options of query_string, some of which simple_query_string has too.
type StringOptions struct {
	Kind              FieldsType // how words match several fields; MostFields in simple_query_string
	TieBreaker        float64
	Lenient           *bool
	MinShouldMatch    string // of the clauses at the top
	Spelling                 // its Rewrite is for prefixes, wildcards and regular expressions
	QuoteSuffix       string // quoted texts search the fields whose names end with it, where they exist
	AnalyzeWildcard   bool   // a prefix is analyzed into words
	NoLeadingWildcard bool
	TimeZone          string // of dates that state none
}
