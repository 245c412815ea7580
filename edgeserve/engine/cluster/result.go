// This file reads the response of a search.

package cluster

import (
	"cmp"

	"contentedge/edgeserve/engine/hits"
)

// failed returns what is wrong with a response, or ended the request.
func (e *evaluation) failed() error { return cmp.Or(e.err, e.work.Failed()) }

// members are the members of a response that has the whole result.
type members struct {
	hits, aggregations, suggestions []byte
	ended                           bool // terminate_after ended the search
}

// whole reads the members of a response, and refuses one of only a part of the items.
func (e *evaluation) whole(response []byte) (m members) {
	var shards, late []byte
	for name, v := range e.members(e.check(response), "the response") {
		switch string(name) {
		case "timed_out":
			late = v
		case "_shards":
			shards = v
		case "terminated_early":
			m.ended = e.boolean(v, "terminated_early")
		case "hits":
			m.hits = v
		case "aggregations":
			m.aggregations = v
		case "suggest":
			m.suggestions = v
		}
	}
	if e.boolean(late, "timed_out") {
		e.fail("its time ended before all items were examined")
	}
	e.shards(shards)
	return m
}

// result reads a response. Callers must not use what it returns if the evaluation has failed.
func (e *evaluation) result(response []byte) *hits.Result {
	m := e.whole(response)
	found := &hits.Result{Ended: m.ended}
	if e.err != nil {
		return found
	}
	found.Page, found.Total = e.page(m.hits, e.body)
	if len(e.body.Aggs) > 0 {
		found.Aggregations = e.aggregations(m.aggregations)
	}
	if len(e.body.Suggest) > 0 {
		found.Suggestions = e.suggestions(m.suggestions)
	}
	return found
}

// shards refuses a response that not all shards of the index have contributed to.
func (e *evaluation) shards(v []byte) {
	total, successful, failed := -1, -1, 0
	for name, v := range e.members(v, "_shards") {
		switch string(name) {
		case "total":
			total = e.count(v, "_shards.total")
		case "successful":
			successful = e.count(v, "_shards.successful")
		case "failed":
			failed = e.count(v, "_shards.failed")
		}
	}
	if total != e.x.shards || successful != total || failed != 0 {
		e.fail("%d of %d shards answered, and the index has %d", successful, total, e.x.shards)
	}
}
