// Package iter walks the documents that match a query. It uses the terms, columns and
// dictionaries of a snapshot. It knows neither queries nor field names.
//
// A Scorer iterates over matching documents in ascending order and scores them. Package
// search creates Scorers with the methods of a Request: Word, Phrase, Ordinals, TermMatches
// and others. It combines them with Combine, Disjunction and Exclusion. Collect walks the
// result.
//
// Collect does not advance iterators document by document. Each one fills a window of 2048
// documents at a time. Adding matches to an array costs a few nanoseconds a posting.
// Finding the least of several cursors costs several times as much. Iterators with few
// matches compared to others are advanced by seek instead.
//
// All work is charged to the WorkLimit of the Request. Dictionary scans and phrases charge it
// while they run. The walk of Collect is charged in advance, as an estimate, so that its
// steps need no counter.
package iter
