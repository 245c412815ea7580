// This file answers requests of the fast path from the cache. It must send what Fiber's routes
// send to the same request (TestFastPathSendsWhatFiberSends).

package edgeserve

import (
	"net"
	"slices"
	"time"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/contentcoding"
	"contentedge/edgeserve/fastpath"
	"contentedge/edgeserve/metrics"
	"contentedge/edgeserve/respcache"
)

// bypassHeaders are the request fields that responses depend on and the fast path does not read.
// A request with one of them goes to Fiber.
var bypassHeaders = []string{"range", "if-range", "if-match", "x-release", "content-encoding"}

// fastPathListener puts the fast path before Fiber on a listener.
func (s *Server) fastPathListener(ln net.Listener) (*fastpath.Listener, error) {
	bypass := slices.Clone(bypassHeaders)
	if s.headers.origins != nil {
		bypass = append(bypass, "origin")
	}
	if s.hosts != nil {
		bypass = append(bypass, "host")
	}
	return fastpath.Listen(ln, fastpath.Config{
		Head: s.cfg.HeaderTimeout, Body: s.cfg.ReadTimeout, Write: s.cfg.WriteTimeout, Idle: s.cfg.IdleTimeout,
		HeadLimit: s.cfg.HeadLimit, MaxBody: s.cfg.BodyLimit,
		BypassHeaders: bypass, RejectsBody: s.rejectsBody, ReserveRequest: s.requests.Resize, LowMemory: s.responses.IsLow,
		Lookup: s.lookupFast, Compute: s.computeFast, InFlight: &s.telemetry.requests.Waiting, ErrorResponse: s.errorResponse, OnResponse: s.onResponse, Log: s.log,
	})
}

// lookupFast finds a cached response. It needs no reference to the generation, as cached
// responses are not mapped memory.
func (s *Server) lookupFast(r *fastpath.Request) (w fastpath.Response, ok bool) {
	g := s.current.Load()
	if g == nil || s.contentError.Load() != nil {
		return w, false
	}
	var f *respcache.Entry
	if r.Post {
		f = g.cache.GetSearch(r.Target, r.Body)
	} else {
		f = g.cache.GetTarget(r.Target)
	}
	if f == nil {
		return w, false
	}
	var accept contentcoding.Accept
	accept.Read(r.AcceptEncoding)
	a := f.Cached(&accept)
	if a == nil || a.IsLarge() {
		return w, false
	}
	w.Route = uint8(routeOfClass(f.Class))
	fillFast(&w, r, a, a.Head, a.NotModifiedFrom)
	return w, true
}

// fillFast fills in a response with a head, which a 304 repeats from an offset on.
func fillFast(w *fastpath.Response, r *fastpath.Request, a *respcache.Response, head []byte, shared int) {
	if r.IfNoneMatch != nil && matchesTag(r.IfNoneMatch, a.ETag) {
		w.Status, w.StatusLine, w.Fields = fasthttp.StatusNotModified, respcache.NotModifiedLine, head[shared:]
		return
	}
	w.Status, w.StatusLine, w.Fields = fasthttp.StatusOK, respcache.OKLine, head[len(respcache.OKLine):]
	if a.Coding != contentcoding.Identity {
		w.Coding = a.Coding.String()
	}
	if !r.Head {
		w.Body, w.Memfile = a.Body, a.Memfile
	}
}

// onResponse observes a response of the fast path, as observeResponse does for Fiber.
func (s *Server) onResponse(r *fastpath.Request, w *fastpath.Response, took time.Duration) {
	s.telemetry.requests.Began()
	a := requestRecord{route: metrics.Route(w.Route), status: w.Status, bytes: len(w.Body), took: took}
	if s.cfg.AccessLog != nil {
		a.id, a.method, a.target, a.coding = s.fastRequestID(r, w), methodOf(r), r.Target, []byte(w.Coding)
	}
	s.observe(a)
}

// fastRequestID is requestID for the fast path.
func (s *Server) fastRequestID(r *fastpath.Request, w *fastpath.Response) string {
	if w.ID == "" {
		w.ID = s.validID(r.ID)
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
