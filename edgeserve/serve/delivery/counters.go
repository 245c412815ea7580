// This file counts what happens to requests after the adapters.

package delivery

import (
	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/wire/problem"
)

// Counters count what happens to requests after the adapters.
type Counters struct {
	Searches   *prometheus.Counters // evaluated searches, by kind
	Rejected   *prometheus.Counters // refused searches, by error code
	Missing    prometheus.Counter   // files of the release that are missing
	Unreadable prometheus.Counter   // files of the release that cannot be read
	Misses     *prometheus.Counters // responses that the cache did not have, by what made them
}

// Source is where a response comes from.
type Source uint8

// The sources. FromNone is the source of problems, probes and other responses without content.
const (
	FromNone Source = iota
	FromCache
	FromFile
	FromSnapshot // computed
)

// String is the source's name in the access log.
func (s Source) String() string { return [...]string{"none", "hit", missFile, missComputed}[s&3] }

// The reasons for which the cache does not have a response, for Counters.Misses.
const (
	missFile     = "file"
	missComputed = "computed"
)

// NewCounters returns counters, with a value of zero for each kind of search and each error code.
func NewCounters() *Counters {
	return &Counters{
		Searches: prometheus.NewCounters("kind", answer.SearchKinds...),
		Rejected: prometheus.NewCounters("code", problem.OfSearches()...),
		Misses:   prometheus.NewCounters("source", missFile, missComputed),
	}
}

// WriteSearches writes the counters of searches.
func (r *Resources) WriteSearches(t *prometheus.Text) {
	r.Counters.Searches.Write(t, "contentedge_searches_total", "Searches evaluated, not answered from memory, by the query at the top; a list without a file is one too.")
	r.Counters.Rejected.Write(t, "contentedge_search_rejections_total", "Searches refused, by the error's code.")
	t.Family("contentedge_searches_running", "gauge", "Searches being read or evaluated.")
	t.Uint(uint64(r.Searches.Running()))
	t.Family("contentedge_searches_waiting", "gauge", "Searches waiting for their turn.")
	t.Uint(uint64(r.Searches.Waiting()))
	taken, all := r.Searches.Slots()
	t.Family("contentedge_search_slots_used", "gauge", "Slots that searches of more than 1 ms hold.")
	t.Uint(uint64(taken))
	t.Family("contentedge_search_slots", "gauge", "Slots for searches of more than 1 ms.")
	t.Uint(uint64(all))
}

// WriteCache writes the counter of responses that were not in the cache.
func (r *Resources) WriteCache(t *prometheus.Text) {
	r.Counters.Misses.Write(t, "contentedge_cache_misses_total", "Responses that the cache did not have: read from a file, or computed.")
}

// Use is how much of a memory budget is in use, in bytes.
type Use struct {
	Budget      string
	Used, Total int64
}

// Uses returns the budgets of responses and searches. A search that holds a slot counts with all the
// memory that it may hold of its own.
func (r *Resources) Uses() []Use {
	taken, all := r.Searches.Slots()
	return []Use{
		{"responses", r.Memory.Total() - r.Memory.Left(), r.Memory.Total()},
		{"searches", int64(taken) * SearchMemory, int64(all) * SearchMemory},
	}
}

// WriteFiles writes the counters of missing and unreadable files.
func (r *Resources) WriteFiles(t *prometheus.Text) {
	r.Counters.Missing.Write(t, "contentedge_release_missing_files_total", "Files of the release that were missing when they were first asked for; its snapshot answers.")
	r.Counters.Unreadable.Write(t, "contentedge_release_unreadable_files_total", "Times that a file of the release was there and could not be read.")
}
