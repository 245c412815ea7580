// Package scorer walks the documents that match a query. It knows neither queries nor field names.
//
//	Request   makes Scorers: Term, Phrase, Ordinals, … and holds the memory that they share
//	Scorer    walks its matches in ascending order, with scores; Combine, Disjunction and Exclusion combine Scorers
//	Collect   walks a Scorer, and selects the page of matches in an Order
//	Ranking   selects the first documents of parts of the matches, for aggregations
//	WorkLimit limits the steps, the time and the memory of a request
//	Explained a Scorer that fills an explain.Explanation
//
// Collect fills windows of 2048 documents. Adding matches to an array costs a few nanoseconds a posting; finding the
// least of several cursors costs several times as much. A Scorer with comparatively few matches seeks instead.
//
// All work is charged to the WorkLimit. Dictionary scans and phrases charge their steps while they run. The walk of
// Collect is charged in advance, as an estimate, so that it needs no counter.
package scorer
