// This file decides where a response comes from: a file of the release, the cache, or package answer. The
// bytes of the body are the same.

package delivery

import (
	"context"
	"time"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/serve/admission"
	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/serve/clientnet"
	"contentedge/edgeserve/serve/respcache"
	"contentedge/edgeserve/serve/slowlog"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

// Request is one content request. An adapter fills in the exported members.
type Request struct {
	Client       clientnet.Client
	Exempt       bool   // the client has no limit of work
	Target, Body []byte // as the client sent them
	Gzipped      bool   // Body is compressed by gzip
	Accept       contentcoding.Accept
	Buffer       *[]byte // memory for the body of a response that is sent once; it may grow

	// LeaveLoop lets the caller's event loop continue without this request. Respond may call it several
	// times: each time before it waits or works for long. Nil: no event loop waits for the request.
	LeaveLoop func()
	Since     time.Time // when the request arrived; the time limit of its search counts from then on

	// Cause is set with a problem that is the server's own fault; otherwise nil.
	Cause error

	// Source is set with a response.
	Source Source

	// Timing is filled in if Measure is set.
	Measure bool
	Timing  Timing

	// Timed is set with a response that depends on the clock.
	Timed bool

	served *Served
	kind   address.Kind
	permit *admission.Permit // nil until the request is admitted to search; most requests need no permit
	work   *scorer.WorkLimit // the work of the search so far, counted from its admission on
	steps  int               // of the searches of the request before this one
	paid   int               // steps of work that the client has been charged
	laps   laps
	held   int64 // bytes of the memory budget that the search holds
	asFile bool  // the computed body is the body of a file, which is not compressed

	endWait   context.CancelFunc // ends waits for other machines; may be nil
	takenAway bool               // memory for such waits was taken
}

// Respond returns the response to a request, given by its route and raw query, or a problem. A large
// response is held for the client, and the caller releases it.
func (v *Served) Respond(r *Request, route address.Route, query string) (response *respcache.Response, p *problem.Problem) {
	r.served, r.kind = v, route.Kind
	if route.Kind == address.Media {
		return v.media(r, route)
	}
	c, err := v.content.Find(route, query)
	if err != nil {
		p, _ := c.Problem(err)
		return nil, p
	}
	defer r.end()
	since := r.Since // which each search of a request with several searches sets again
	if c.Key == "" {
		response, p = r.search(&c)
	} else {
		response, p = r.read(&c)
	}
	r.noteSlow(route.Env, since, p)
	return response, p
}

// noteSlow remembers a request that searched if it is among the slowest.
func (r *Request) noteSlow(env string, since time.Time, p *problem.Problem) {
	if r.work == nil || r.served.Slow == nil {
		return
	}
	now := time.Now()
	took := now.Sub(since)
	if !r.served.Slow.Wants(took) {
		return
	}
	e := slowlog.Entry{At: now, Took: took, Steps: r.steps + r.work.Work(), Environment: env}
	if p != nil {
		e.Code = p.Code
	}
	r.served.Slow.Add(e, r.Target, r.Body)
}

// read answers a request without a body: from a file or the cache or, failing that, with a computed response.
func (r *Request) read(c *answer.Content) (*respcache.Response, *problem.Problem) {
	cache, group := r.served.Cache, r.served.group(c)
	entry := cache.GetOf(group, []byte(c.Key))
	seenBefore, isFirst := entry != nil, false
	if entry == nil && r.served.isFar() {
		leave(r.LeaveLoop)
	}
	if entry == nil && c.File != "" && !r.served.Generation.Dir.SnapshotOnly {
		seenBefore = cache.SeenBefore(group, c.Key)
		isFirst = !seenBefore
		var response *respcache.Response
		if response, entry = r.fromNewFile(c, seenBefore); response != nil {
			return response, nil
		}
	}
	if response, p := r.fromEntry(entry); response != nil || p != nil {
		return response, p
	}
	if !c.IsCheap() {
		if p := r.admit(); p != nil {
			return nil, p
		}
	}
	if r.kind == address.Description {
		if r.permit.NeedSlot() != nil {
			return nil, r.reject(problem.Of(problem.Overloaded))
		}
		cache.SeenBefore(group, c.Key) // the first response is cached: it costs milliseconds, and all clients share it
	}
	a, p := r.evaluate(c)
	if p != nil {
		return nil, p
	}
	if r.asFile && a.Size >= bodies.Large {
		// The file is sent from the disk if memory for it is short.
		r.asFile, entry = false, r.served.addFile(c)
		if response, p := r.fromEntry(entry); response != nil || p != nil {
			return response, p
		}
	}
	if entry == nil && !isFirst {
		// Only a request that has a response counts as seen.
		entry, seenBefore = cache.GetOrAddComputed(group, []byte(c.Key), c.Class)
	}
	return r.compute(c, &a, entryFor(&a, entry, seenBefore))
}

// fromEntry is Served.FromEntry for an entry, which may be nil. It adds an alias for the next request.
func (r *Request) fromEntry(entry *respcache.Entry) (*respcache.Response, *problem.Problem) {
	if entry == nil {
		return nil, nil
	}
	response, source, p := r.served.FromEntry(entry, &r.Accept, r.Client, r.LeaveLoop)
	if response != nil {
		r.Source = source
		r.addAlias(entry)
	}
	return response, p
}

// addAlias lets the cache find an entry by the target of the request. The key of a search includes its body, so the
// only searches with an alias are Elasticsearch's without a body.
func (r *Request) addAlias(entry *respcache.Entry) {
	if entry.Class != release.ClassSearch || r.kind.IsElastic() && len(r.Body) == 0 {
		r.served.Cache.Alias(r.Target, entry)
	}
}
