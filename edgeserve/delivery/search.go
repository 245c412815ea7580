// This file answers searches and lists without a file, behind admission and within a limit of work.

package delivery

import (
	"bytes"
	"strings"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/contentcoding"
	"contentedge/edgeserve/envelope"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/release"
	"contentedge/edgeserve/respcache"
	"contentedge/edgeserve/search"
)

func (r *Request) search(rawQuery string) (*respcache.Response, *Problem) {
	return r.cached(release.ClassSearch, func(spec func() computedSpec) (*respcache.Response, *Problem) {
		body, err := r.searchBody(rawQuery)
		if err != nil {
			return nil, r.reject(r.searchProblem(err))
		}
		return r.evaluate(spec(), kindOf(body.Query), body, nil)
	})
}

// cached answers a request by its target and its body: from the cache, else by compute behind
// admission. Items need no admission. compute calls spec once it knows that there will be a
// response.
func (r *Request) cached(class release.Class, compute func(spec func() computedSpec) (*respcache.Response, *Problem)) (*respcache.Response, *Problem) {
	defer func() {
		if r.permit != nil {
			r.permit.Release()
		}
	}()
	if r.Gzipped {
		if p := r.admit(); p != nil {
			return nil, p
		}
		if p := r.gunzip(); p != nil {
			return nil, r.reject(p)
		}
	}
	var room [respcache.MaxComputedKey]byte
	key, keyed := r.appendKey(room[:0])
	if keyed {
		if response, p := r.fromEntry(r.served.Cache.GetTarget(key)); response != nil || p != nil {
			return response, p
		}
	}
	if r.LeaveLoop != nil && r.kind == address.ElasticMultiSearch {
		return nil, ErrWouldBlock // each of its searches may have to wait
	}
	if r.permit == nil && class == release.ClassSearch { // a compressed body is admitted already
		if p := r.admit(); p != nil {
			return nil, p
		}
	}
	if r.permit != nil && len(r.Body) >= longBody {
		if r.permit.NeedSlot() != nil {
			return nil, r.reject(ErrOverload)
		}
	}
	return compute(func() computedSpec {
		spec := computedSpec{class: class}
		if keyed {
			spec.cacheIn(r.served.Cache.GetOrAddComputed(key, class))
		}
		return spec
	})
}

// appendKey appends the key of the response in the cache. What takes no body is found by its
// target alone, so that a POST to it finds nothing.
func (r *Request) appendKey(dst []byte) (key []byte, ok bool) {
	if r.kind.TakesBody() {
		return respcache.AppendSearchKey(dst, r.Target, r.Body)
	}
	if len(r.Target) > respcache.MaxComputedKey {
		return nil, false
	}
	return append(dst, r.Target...), true
}

// gunzip replaces a gzip body by its content. It needs admission first: the content may be a
// thousand times as long, up to the limit.
func (r *Request) gunzip() *Problem {
	if len(r.Body) == 0 {
		return nil
	}
	body, err := contentcoding.Gunzip(r.Body, r.served.resources.BodyLimit)
	switch {
	case err == contentcoding.ErrTooLong:
		return ErrBodySize
	case err != nil:
		return ErrGzip
	}
	r.Body = body
	return nil
}

const longBody = 16 << 10 // bytes of a search body from which parsing takes long

// The steps of parsing, for each byte and each value. A list has about as many values as commas.
const (
	byteSteps  = 1
	valueSteps = 24
)

func (r *Request) searchBody(rawQuery string) (*query.Body, error) {
	values := bytes.Count(r.Body, []byte{','}) + strings.Count(rawQuery, ",")
	if err := r.work.Charge(byteSteps*(len(r.Body)+len(rawQuery)) + valueSteps*values); err != nil {
		return nil, err
	}
	if rawQuery == "" {
		return query.Parse(r.Body)
	}
	body, err := query.ParsePart(r.Body)
	if err != nil {
		return nil, err
	}
	params, err := parseSearchParams(rawQuery)
	if err != nil {
		return nil, err
	}
	params.Defaults = r.served.ListDefaults()
	return search.WithParams(body, params)
}

// searchProblem is ProblemOf for a search: one without a slot in time is an overload.
func (r *Request) searchProblem(err error) *Problem {
	if err == search.ErrTimeout && r.permit.Shed() {
		return ErrOverload
	}
	return ProblemOf(err)
}

// noteCause keeps the cause of a problem that is the server's own fault.
func (r *Request) noteCause(p *Problem, err error) {
	if p == ErrInternal || p == ErrUnreadable {
		r.Cause = err
	}
}

func (r *Request) reject(p *Problem) *Problem {
	r.served.resources.Counters.Rejected.Inc(p.Code)
	return p
}

// admit waits until the request may be evaluated, or returns a problem if that takes too long. It
// comes before parsing: a parsed body takes many times the memory.
func (r *Request) admit() *Problem {
	gate := r.served.resources.Searches
	if r.LeaveLoop == nil {
		if r.permit = gate.Enter(r.Client); r.permit == nil {
			return r.reject(ErrOverload)
		}
	} else {
		var late bool
		if r.permit, late = gate.TryEnter(r.Client, r.Since, r.LeaveLoop); late {
			return r.reject(ErrOverload)
		}
		if r.permit == nil {
			return ErrWouldBlock
		}
	}
	r.work = search.NewWorkLimit(r.permit)
	return nil
}

// detach leaves the event loop, before work that takes long without a pause.
func (r *Request) detach() {
	switch {
	case r.permit != nil:
		r.permit.Detach()
	case r.LeaveLoop != nil:
		r.LeaveLoop()
	}
}

func (r *Request) evaluate(spec computedSpec, kind string, body *query.Body, links func(total int) []byte) (*respcache.Response, *Problem) {
	r.served.resources.Counters.Searches.Inc(kind)
	result, err := search.EvalWithin(r.work, r.reader, body)
	if err != nil {
		p := r.searchProblem(err)
		r.noteCause(p, err)
		return nil, r.reject(p)
	}
	if links != nil {
		spec.link = links(result.Total)
	}
	if result.Timed {
		spec.entry = nil
	}
	size := hitBytes(r.reader, result.Docs) + len(result.Aggregations)
	return r.compute(spec, envelope.ListSize(len(result.Docs), size, result.Total), func(dst []byte) ([]byte, error) {
		dst, err := r.appendHits(envelope.AppendListOpen(dst), result.Docs, body.Source)
		if err != nil {
			return nil, err
		}
		return envelope.AppendListClose(dst, result.Total, result.Aggregations), nil
	})
}
