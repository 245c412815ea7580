// This file holds the package comment and the version of the analysis.

// Package analysis converts text to terms and to comparable values, equally for indexing
// and for searching. Terms are those of Lucene 8's StandardAnalyzer: word boundaries by UAX
// #29 with Unicode 9.0 properties, at most 255 UTF-16 units, simple lower case.
//
// The package knows neither documents nor files. It does not use the Unicode tables of the
// Go release: an index outlives the binary that built it.
package analysis

// Version identifies the output of the package. Snapshots store it. It must increase with
// every change of a term, a date, a number or an encoded length.
//
//	1  Unicode 9.0 word boundaries, Unicode 13.0 lower case
const Version = 1
