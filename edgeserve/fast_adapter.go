// This file answers from the cache what Fiber's routes would (TestFastPathSendsWhatFiberSends).

package edgeserve

import (
	"net"
	"slices"
	"time"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/serve/delivery"
	"contentedge/edgeserve/serve/fastpath"
	"contentedge/edgeserve/serve/httphead"
	"contentedge/edgeserve/serve/logs"
	"contentedge/edgeserve/serve/metrics"
	"contentedge/edgeserve/serve/netlimit"
	"contentedge/edgeserve/serve/respcache"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/httpfield"
)

// bypassHeaders are request fields that only Fiber reads. A request with such a field goes to Fiber.
var bypassHeaders = []string{httpfield.Range, httpfield.IfRange, httpfield.IfMatch, httpfield.Release, httpfield.ContentEncoding}

type fastAdapter struct {
	shared   *adapter
	respond  *responder // of shared, as the next
	observe  *observer
	requests *bodies.Budget // bodies of requests that are being received or answered
}

func (a *fastAdapter) listen(ln net.Listener, cfg *ServerConfig) (*fastpath.Listener, error) {
	bypass := slices.Clone(bypassHeaders)
	if a.respond.fields.DependOnOrigin() {
		bypass = append(bypass, "origin")
	}
	if !a.observe.clients.timing.IsEmpty() {
		bypass = append(bypass, httpfield.AskTiming)
	}
	if a.observe.hosts != nil {
		bypass = append(bypass, "host")
	}
	return fastpath.Listen(ln, fastpath.ListenerConfig{
		First: cfg.FirstByteTimeout, Head: cfg.HeaderTimeout, Body: cfg.ReadTimeout, Write: cfg.WriteTimeout, Idle: cfg.IdleTimeout,
		HeadLimit: cfg.HeadLimit, MaxBody: cfg.BodyLimit,
		BypassHeaders: bypass, RejectsBody: a.rejectsBody, ReserveRequest: a.requests.Resize, LowMemory: a.respond.memory.IsLow,
		Lookup: a.lookup, Compute: a.compute, InFlight: &a.observe.telemetry.requests.Waiting, ErrorResponse: a.errorResponse, OnResponse: a.onResponse, Log: a.shared.log,
	})
}

func (a *fastAdapter) rejectsBody(r *fastpath.Request) bool {
	return a.shared.rejects(string(methodOf(r)), string(r.Target))
}

// lookup finds a cached response. It needs no generation: cached responses are not mapped memory.
func (a *fastAdapter) lookup(r *fastpath.Request) (w fastpath.Response, ok bool) {
	served := a.shared.current.Served.Load()
	if served == nil || a.observe.contentError.current.Load() != nil {
		return w, false
	}
	var entry *respcache.Entry
	if r.Post {
		entry = a.shared.current.FindSearch(served, r.Target, r.Body)
	} else {
		entry = a.shared.current.FindTarget(served, r.Target)
	}
	if entry == nil {
		return w, false
	}
	var accept contentcoding.Accept
	accept.Read(r.AcceptEncoding)
	response := entry.Cached(&accept)
	if response == nil || response.IsLarge() {
		return w, false
	}
	w.Route, w.Release, w.Source = uint8(routeOfClass(entry.Class)), served.Generation.Dir.Build(), uint8(delivery.FromCache)
	if p := a.observe.clients.takeFast(r); p != nil {
		a.fail(&w, r, served, p)
		return w, true
	}
	fillFast(&w, r, served, response, response.Head, response.NotModifiedFrom)
	return w, true
}

// fillFast fills in a response of a release with a head, which a 304 repeats from an offset on.
func fillFast(w *fastpath.Response, r *fastpath.Request, served *delivery.Served, response *respcache.Response, head []byte, shared int) {
	w.ReleaseField, w.Fields = served.ReleaseLine, head[shared:]
	if r.IfNoneMatch != nil && respond.MatchesTag(r.IfNoneMatch, response.Meta.ETag) {
		w.Status, w.StatusLine = fasthttp.StatusNotModified, respond.NotModifiedLine
		_ = response.Disk.Close()
		return
	}
	w.Status, w.StatusLine, w.BodyFields = fasthttp.StatusOK, respond.OKLine, head[len(respond.OKLine):shared]
	if response.Meta.Coding != contentcoding.Identity {
		w.Coding = response.Meta.Coding.String()
	}
	switch {
	case r.Head:
		_ = response.Disk.Close()
	case response.Disk != nil:
		w.Stream = response.Disk
	default:
		w.Body, w.Memfile = response.Body, response.Memfile
	}
}

func (a *fastAdapter) onResponse(r *fastpath.Request, w *fastpath.Response, took time.Duration) {
	requests, route, size := a.observe.telemetry.requests, metrics.Route(w.Route), w.Size()
	requests.Began()
	requests.Answered(route, w.Status, size, took)
	if a.observe.logs(route) {
		a.observe.accessLog.Log(logs.Request{
			ID: a.fastRequestID(r, w), Client: a.observe.clients.fastAddress(r), Peer: netlimit.Peer(r.From),
			Method: methodOf(r), Target: r.Target, Protocol: protocol, Fields: logs.FieldsOf(r.Fields),
			Status: w.Status, Error: w.Error, Bytes: size, Duration: took, Coding: []byte(w.Coding), Release: w.Release, Cache: delivery.Source(w.Source).String(),
		})
	}
}

var protocol = []byte(httphead.HTTP11) // of all requests that the fast path answers

func (a *fastAdapter) fastRequestID(r *fastpath.Request, w *fastpath.Response) string {
	if w.ID == "" {
		w.ID = a.observe.validID(r.ID)
	}
	return w.ID
}

func methodOf(r *fastpath.Request) []byte {
	switch {
	case r.Head:
		return []byte(fasthttp.MethodHead)
	case r.Post:
		return []byte(fasthttp.MethodPost)
	}
	return []byte(fasthttp.MethodGet)
}
