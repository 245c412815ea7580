// This file answers Elasticsearch's endpoints through package elastic, behind the admission, cache
// and limits of searches.

package delivery

import (
	"time"

	"contentedge/edgeserve/engine/elastic"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/serve/respcache"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

// notFound is the status of what does not exist, which is no refusal.
const notFound = 404

// elastic answers a request of one of Elasticsearch's endpoints.
func (r *Request) elastic(route address.Route, rawQuery string) (*respcache.Response, *problem.Problem) {
	class := release.ClassOf(route.Kind)
	var room [respcache.MaxComputedKey]byte
	defer r.end()
	key, response, p := r.begin(room[:0], class)
	if response == nil && p == nil {
		response, p = r.callElastic(r.elasticCall(route, rawQuery), key, class)
	}
	if p != nil && elastic.StatusOf(p) != p.Status {
		other := *p
		other.Status = elastic.StatusOf(p)
		p = &other
	}
	return response, p
}

// callElastic evaluates a call and writes its response.
func (r *Request) callElastic(call *elastic.Call, key []byte, class release.Class) (*respcache.Response, *problem.Problem) {
	if err := r.chargeParsing(call.Query); err != nil {
		return nil, r.reject(r.searchProblem(err))
	}
	answer, err := call.Respond()
	if err != nil {
		p := r.searchProblem(err)
		r.noteCause(p, err)
		if p.Status == notFound {
			return nil, p
		}
		return nil, r.reject(p)
	}
	spec := r.cachedSpec(key, class)
	if !answer.Fixed {
		spec.entry, r.Timed = nil, true
	}
	return r.compute(spec, answer.Size, answer.Write)
}

func (r *Request) elasticCall(route address.Route, rawQuery string) *elastic.Call {
	return &elastic.Call{
		Route: route, Query: rawQuery, Body: r.Body, Release: r.served.Generation.Build(), Work: r.work,
		Reader:  func(env string) *snapshot.Reader { return r.served.Generation.Readers[env] },
		Problem: r.searchProblem,
		Count:   func(n query.Node) { r.served.resources.Counters.Searches.Inc(kindOf(n)) },
		Next:    r.admitNext,
	}
}

// admitNext ends a search of a request that has several, and admits the next one.
func (r *Request) admitNext() (*search.WorkLimit, *problem.Problem) {
	r.permit.Release()
	r.permit, r.Since = nil, time.Now()
	p := r.admit()
	return r.work, p
}

// appendElasticKey is appendKey for an address of Elasticsearch's, without a body.
func (r *Request) appendElasticKey(dst []byte) []byte {
	key, ok := elastic.AppendCanonical(dst, r.kind, r.Target)
	if !ok || len(key) >= respcache.MaxComputedKey || key[0] != '/' {
		return nil // it is refused, or the encoding made it too long, or it is in absolute form
	}
	if r.kind.TakesBody() {
		key = append(key, ' ') // as respcache.AppendSearchKey separates a body
	}
	return key
}
