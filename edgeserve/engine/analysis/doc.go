// This file holds the package comment and the version of the analysis.

// Package analysis converts text to terms and comparable values, for indexing and searching alike.
// Terms are those of Lucene 8's StandardAnalyzer: UAX #29 with Unicode 9.0, at most 255 UTF-16
// units, simple lower case. Go's Unicode tables are not used: an index outlives the binary.
package analysis

// Version identifies the output of the package in snapshots. It must increase with every change of
// a term, a date, a number or an encoded length.
//
//	1  Unicode 9.0 word boundaries, Unicode 13.0 lower case
const Version = 1
