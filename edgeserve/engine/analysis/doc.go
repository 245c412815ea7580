// This file holds the package comment and the version of the analysis.

// Package analysis converts text to terms and comparable values, for indexing and searching alike. Terms equal the
// terms of Lucene 8's StandardAnalyzer: UAX #29 with Unicode 9.0, at most 255 UTF-16 units, simple lower case. The
// package does not use Go's Unicode tables: an index outlives the binary, and another version of Go has other tables.
package analysis

// Version identifies the output of the package in snapshots. It must increase with every change of
// a term, a date, a number or an encoded length.
//
//	1  Unicode 9.0 word boundaries, Unicode 13.0 lower case
const Version = 1
