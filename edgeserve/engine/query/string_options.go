// This file defines the options that query_string and simple_query_string share.

package query

// StringOptions are options of query_string. simple_query_string has some of them.
type StringOptions struct {
	Kind              FieldsType // of words; MostFields in simple_query_string
	TieBreaker        float64
	Lenient           *bool
	MinShouldMatch    string // of the clauses at the top
	Spelling                 // Rewrite is that of prefixes, wildcards and regular expressions
	QuoteSuffix       string // quoted texts search the fields of this suffix, where they exist
	AnalyzeWildcard   bool   // the words of a prefix count
	NoLeadingWildcard bool
	TimeZone          string // of dates without one
}
