// Package scorer walks the documents that match a query. It knows neither queries nor field names.
// Methods of a Request create Scorers, which walk matches in ascending order. Combine, Disjunction
// and Exclusion combine them; Collect walks the result.
//
// Collect fills windows of 2048 documents: adding matches to an array costs a few nanoseconds a
// posting, finding the least of several cursors several times as much. Iterators with comparatively
// few matches seek instead.
//
// All work is charged to the Request's WorkLimit: by dictionary scans and phrases while they run,
// for the walk of Collect in advance, as an estimate, so that its steps need no counter.
package scorer
