// This file opens the package: what analysis is, and the one number that names it.

// Package analysis turns text into terms and texts into comparable values, the same
// way for what is indexed and for what is asked. Terms are those of Lucene 8's
// StandardAnalyzer: the word boundaries of UAX #29 with the properties of Unicode
// 9.0, cut at 255 UTF-16 units, in simple lower case.
//
// The package knows neither documents nor files, and nothing of it depends on the Go
// release's Unicode tables: an index outlives the binary that made it.
package analysis

// Version names the output of the package. A snapshot carries it, and it grows with
// any change of a term, a date, a number or an encoded length.
//
//	1  Unicode 9.0 word boundaries, Unicode 13.0 lower case
const Version = 1
