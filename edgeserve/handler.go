// This file delivers content through Fiber.

package edgeserve

import (
	"bytes"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/httphead"
	"contentedge/edgeserve/logs"
	"contentedge/edgeserve/netlimit"
	"contentedge/edgeserve/release"
)

// recovered answers a request whose handler panicked, and logs the panic.
func (s *Server) recovered(ctx *fasthttp.RequestCtx) {
	cause := recover()
	if cause == nil {
		return
	}
	p := s.panicked(cause, s.requestID(ctx), ctx.Method(), ctx.Request.Header.RequestURI())
	ctx.Response.Reset()
	s.fail(ctx, p)
}

// panicked reports a panic to the operator, and returns the problem for the client.
func (s *Server) panicked(cause any, id string, method, target []byte) *problem {
	s.telemetry.panics.Inc()
	s.reportFailure(cause)
	s.log.Error("request panicked", "cause", fmt.Sprint(cause), "request_id", id, "method", logs.Printable(method),
		"target", logs.Printable(target), "stack", string(debug.Stack()))
	if _, fault := cause.(interface{ Addr() uintptr }); fault {
		return errUnreadable
	}
	return errInternal
}

// deliverCached answers a request whose target the cache knows, without parsing it. It returns
// false for any other.
func (s *Server) deliverCached(ctx *fasthttp.RequestCtx) bool {
	if h := &ctx.Request.Header; !h.IsGet() && !h.IsHead() {
		return false
	}
	g := s.acquire()
	if g == nil {
		return false
	}
	defer g.Release()
	f := g.cache.GetTarget(ctx.Request.Header.RequestURI())
	if f == nil {
		return false
	}
	setRoute(ctx, routeOfClass(f.Class))
	if s.mismatched(ctx, g) {
		return true
	}
	accept := acceptEncoding(ctx)
	a, p := s.cachedResponse(g, f, &accept, netlimit.Client(ctx.RemoteAddr()), true)
	if a == nil && p == nil {
		return false
	}
	s.reply(ctx, a, p)
	return true
}

// mismatched refuses a request for another release than the one served.
func (s *Server) mismatched(ctx *fasthttp.RequestCtx, g *served) bool {
	for _, build := range ctx.Request.Header.PeekAll(release.Header) {
		if string(build) != g.Build() {
			ctx.Response.Header.Set(release.Header, g.Build())
			s.fail(ctx, mismatch(g.Build()))
			return true
		}
	}
	return false
}

// takes reports whether an Allow list names a method.
func takes(allow, method string) bool {
	for name := range strings.SplitSeq(allow, ", ") {
		if name == method {
			return true
		}
	}
	return false
}

// splitTarget splits a request target into path and query, without the scheme and authority of
// the absolute form. It decodes nothing.
func splitTarget(target string) (path, query string) {
	absolute := false
	if !strings.HasPrefix(target, "/") {
		var rest string
		if _, rest, absolute = strings.Cut(target, "://"); absolute {
			target = rest[strings.IndexAny(rest+"/", "/?"):]
		}
	}
	path, query, _ = strings.Cut(target, "?")
	if absolute && path == "" {
		path = "/"
	}
	return path, query
}

// content answers from the generation that is current now, to the end of the response.
func (s *Server) content(ctx *fasthttp.RequestCtx, route address.Route, query string) {
	g := s.acquire()
	if g == nil {
		s.fail(ctx, s.notReady())
		return
	}
	defer g.Release()
	if s.mismatched(ctx, g) {
		return
	}
	ctx.Response.Header.Set(release.Header, g.Build())
	reader, ok := g.Readers[route.Env]
	if !ok {
		s.fail(ctx, errEnvironment)
		return
	}
	gzipped, known := bodyCoding(ctx.Request.Header.PeekAll("Content-Encoding"))
	if route.Kind == address.Search && !known {
		s.fail(ctx, errBodyCoding)
		ctx.Response.Header.Set("Accept-Encoding", "gzip, identity")
		return
	}
	r := request{
		server: s, gen: g, reader: reader, env: route.Env, client: netlimit.Client(ctx.RemoteAddr()), buffer: newResponseBuffer(), gzipped: gzipped,
		target: ctx.Request.Header.RequestURI(), body: ctx.Request.Body(), accept: acceptEncoding(ctx),
	}
	defer r.buffer.free()
	a, p := r.content(route, query)
	if r.cause != nil {
		s.searchFailed(&r, s.requestID(ctx))
	}
	s.reply(ctx, a, p)
}

// bodyCoding reads Content-Encoding: none, or gzip once. Other codings are unknown.
func bodyCoding(values [][]byte) (gzipped, known bool) {
	for _, value := range values {
		for name := range bytes.SplitSeq(value, []byte(",")) {
			switch name = httphead.TrimSpace(name); {
			case len(name) == 0 || httphead.FoldEqual(name, "identity"):
			case !gzipped && (httphead.FoldEqual(name, "gzip") || httphead.FoldEqual(name, "x-gzip")):
				gzipped = true
			default:
				return false, false
			}
		}
	}
	return gzipped, true
}

// searchFailed reports a search that failed by the server's fault.
func (s *Server) searchFailed(r *request, id string) {
	s.log.Error("search failed", "request_id", id, "environment", r.env, "error", r.cause)
	s.reportFailure(r.cause)
}
