// This file answers searches and lists without a file, behind admission and within a limit of work.

package delivery

import (
	"bytes"
	"strings"

	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/serve/respcache"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

func (r *Request) search(rawQuery string) (*respcache.Response, *problem.Problem) {
	var room [respcache.MaxComputedKey]byte
	defer r.end()
	key, response, p := r.begin(room[:0], release.ClassSearch)
	if response != nil || p != nil {
		return response, p
	}
	body, err := r.searchBody(rawQuery)
	if err != nil {
		return nil, r.reject(r.searchProblem(err))
	}
	return r.evaluate(r.cachedSpec(key, release.ClassSearch), kindOf(body.Query), body, nil)
}

// begin answers a request by its target and its body from the cache. Where it returns neither a
// response nor a problem, the request is admitted, unless it is for an item, and its response is
// to be computed; the key of that is appended to dst, nil if it has none. end follows in any case.
func (r *Request) begin(dst []byte, class release.Class) (key []byte, response *respcache.Response, p *problem.Problem) {
	if r.Gzipped {
		if p := r.admit(); p != nil {
			return nil, nil, p
		}
		if p := r.gunzip(); p != nil {
			return nil, nil, r.reject(p)
		}
	}
	if key = r.appendKey(dst); key != nil {
		if response, p := r.fromEntry(r.served.Cache.GetTarget(key)); response != nil || p != nil {
			return nil, response, p
		}
	}
	if r.kind == address.ElasticMultiSearch {
		leave(r.LeaveLoop) // its searches may work for a quantum each
	}
	if r.permit == nil && class == release.ClassSearch { // a compressed body is admitted already
		if p := r.admit(); p != nil {
			return nil, nil, p
		}
	}
	if r.permit != nil && len(r.Body) >= longBody && r.permit.NeedSlot() != nil {
		return nil, nil, r.reject(problem.Of(problem.Overloaded))
	}
	return key, nil, nil
}

// end gives back what begin took.
func (r *Request) end() {
	if r.permit != nil {
		r.permit.Release()
	}
	if r.held > 0 {
		r.memory().ResizeFor(r.Client, r.held, 0)
	}
}

// cachedSpec describes a response that is cached under a key, if there is one.
func (r *Request) cachedSpec(key []byte, class release.Class) computedSpec {
	spec := computedSpec{class: class}
	if key != nil {
		spec.cacheIn(r.served.Cache.GetOrAddComputed(key, class))
	}
	return spec
}

// appendKey appends the key of the response in the cache to dst, which is not nil. It returns nil
// for a request whose response is not cached. What takes no body is found by its target alone, so
// that a POST to it finds nothing. Spellings of an address of Elasticsearch's share a key.
func (r *Request) appendKey(dst []byte) []byte {
	if r.kind.IsElastic() && len(r.Body) == 0 && len(r.Target) <= respcache.MaxComputedKey {
		return r.appendElasticKey(dst)
	}
	if !r.kind.TakesBody() {
		if len(r.Target) > respcache.MaxComputedKey {
			return nil
		}
		return append(dst, r.Target...)
	}
	if key, ok := respcache.AppendSearchKey(dst, r.Target, r.Body); ok {
		return key
	}
	return nil
}

// gunzip replaces a gzip body by its content. It needs admission first: the content may be a
// thousand times as long, up to the limit.
func (r *Request) gunzip() *problem.Problem {
	if len(r.Body) == 0 {
		return nil
	}
	body, err := contentcoding.Gunzip(r.Body, r.served.resources.BodyLimit)
	switch {
	case err == contentcoding.ErrTooLong:
		return problem.Of(problem.BodyTooLarge)
	case err != nil:
		return problem.Of(problem.BadGzip)
	}
	r.Body = body
	return nil
}

// SearchMemory is what an expensive search may hold, in bytes, beside what it takes from Resources.Memory.
const SearchMemory = search.OwnMemory

const longBody = 16 << 10 // bytes of a search body from which parsing takes long

// The steps of parsing, for each byte and each value, and the memory of a value, in lists that grow. A list
// has about as many values as commas.
const (
	byteSteps  = 1
	valueSteps = 24
	valueBytes = 144
)

// chargeParsing takes the steps of parsing the body and the query of the target.
func (r *Request) chargeParsing(rawQuery string) error {
	values := bytes.Count(r.Body, []byte{','}) + strings.Count(rawQuery, ",")
	if err := r.work.Hold(valueBytes * values); err != nil {
		return err
	}
	return r.work.Charge(byteSteps*(len(r.Body)+len(rawQuery)) + valueSteps*values)
}

func (r *Request) searchBody(rawQuery string) (*query.Body, error) {
	if err := r.chargeParsing(rawQuery); err != nil {
		return nil, err
	}
	if rawQuery == "" {
		return body.Parse(r.Body)
	}
	body, err := body.ParsePart(r.Body)
	if err != nil {
		return nil, err
	}
	params, err := parseSearchParams(rawQuery, r.served.resources.StrictParameters)
	if err != nil {
		return nil, err
	}
	params.Defaults = r.served.Generation.Manifest.ListDefaults()
	return search.WithParams(body, params)
}

// searchProblem is ProblemOf for a search: one without a slot in time, or without memory, is an overload.
func (r *Request) searchProblem(err error) *problem.Problem {
	if err == search.ErrNoMemory || err == search.ErrTimeout && r.permit.Shed() {
		return problem.Of(problem.Overloaded)
	}
	return ProblemOf(err)
}

// noteCause keeps the cause of a problem that is the server's own fault.
func (r *Request) noteCause(p *problem.Problem, err error) {
	if p == problem.Of(problem.Internal) || p == problem.Of(problem.Unreadable) {
		r.Cause = err
	}
}

func (r *Request) reject(p *problem.Problem) *problem.Problem {
	r.served.resources.Counters.Rejected.Inc(p.Code)
	return p
}

// admit waits until the request may be evaluated, or returns a problem if that takes too long. It
// comes before parsing: a parsed body takes many times the memory.
func (r *Request) admit() *problem.Problem {
	if r.permit = r.served.resources.Searches.Enter(r.Client, r.Since, r.LeaveLoop); r.permit == nil {
		return r.reject(problem.Of(problem.Overloaded))
	}
	before := r.work
	r.work = search.NewWorkLimit(r.permit)
	r.work.TakeMemory(r.takeMemory, before)
	return nil
}

// takeMemory takes memory that the search holds until the request ends.
func (r *Request) takeMemory(bytes int64) bool {
	if !r.memory().ResizeFor(r.Client, r.held, r.held+bytes) {
		return false
	}
	r.held += bytes
	return true
}

// detach leaves the event loop, before work that takes long without a pause.
func (r *Request) detach() {
	if r.permit != nil {
		r.permit.Detach()
	} else {
		leave(r.LeaveLoop)
	}
}

func (r *Request) evaluate(spec computedSpec, kind string, body *query.Body, links func(total int) []byte) (*respcache.Response, *problem.Problem) {
	r.served.resources.Counters.Searches.Inc(kind)
	eval := search.EvalWithin
	if body.Show.AsHits {
		eval = search.EvalHits
	}
	result, err := eval(r.work, r.reader, body)
	if err != nil {
		p := r.searchProblem(err)
		r.noteCause(p, err)
		return nil, r.reject(p)
	}
	defer result.Release()
	if links != nil {
		spec.link = links(result.Total)
	}
	if result.Timed {
		spec.entry, r.Timed = nil, true
	}
	size := hitBytes(r.reader, result.Docs) + len(result.Aggregations) + len(result.Suggestions)
	var beside *hits.Writer
	if body.Show.AsHits {
		beside = hits.NewWriterWithoutSource(body)
		size += beside.Size(&result.Page)
	}
	return r.compute(spec, envelope.ListSize(len(result.Docs), size, result.Total), func(dst []byte) ([]byte, error) {
		dst, err := r.appendHits(envelope.AppendListOpen(dst), result.Docs, body.Show.Source)
		if err != nil {
			return nil, err
		}
		dst = envelope.AppendListTotal(dst, result.Total, result.Aggregations)
		if result.Suggestions != nil {
			dst = envelope.AppendSuggestions(dst, result.Suggestions)
		}
		if beside != nil {
			if dst, err = beside.AppendAll(envelope.AppendHitsName(dst), &result.Page, r.work); err != nil {
				return nil, err
			}
		}
		return envelope.AppendClose(dst), nil
	})
}
