// This file takes a request from the engine to the one function that answers it.

package edgeserve

import (
	"bytes"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/guard"
	"contentedge/edgeserve/logs"
	"contentedge/edgeserve/metrics"
	"contentedge/edgeserve/release"
)

// allowAny is what the server as a whole takes.
const allowAny = "GET, HEAD, POST, OPTIONS"

// The probes' addresses.
const (
	livePath  = "/livez"
	readyPath = "/readyz"
)

// guarded is what the engine calls: it recovers from panics, refuses what the guard
// refuses, and passes the rest to Fiber. Fiber answers methods it does not know in
// its own words, so those do not reach it.
func (s *Server) guarded(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		s.telemetry.requests.Began()
		defer s.finished(ctx)
		defer s.recovered(ctx)
		// A mapped file that shrinks is a fault at an address; this makes it a
		// panic of the one request instead of the end of the process. The setting
		// is the goroutine's, and the engine's goroutines change.
		debug.SetPanicOnFault(true)
		closing, refusal := checkHead(&ctx.Request.Header)
		if closing {
			ctx.SetConnectionClose()
		}
		switch {
		case refusal != nil:
			s.refuse(ctx, refusal)
		case !s.allowsHost(ctx):
			s.refuse(ctx, errHost)
		case knownMethod(ctx.Method()):
			next(ctx)
		default:
			s.answer(ctx)
		}
	}
}

// knownMethod names the methods that Fiber routes.
func knownMethod(m []byte) bool {
	switch string(m) {
	case "GET", "HEAD", "POST", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT":
		return true
	}
	return false
}

// recovered answers in place of a handler that panicked, and logs why.
func (s *Server) recovered(ctx *fasthttp.RequestCtx) {
	cause := recover()
	if cause == nil {
		return
	}
	p := s.panicked(cause, s.requestID(ctx), ctx.Method(), ctx.Request.Header.RequestURI())
	ctx.Response.Reset()
	s.fail(ctx, p)
}

// panicked tells the operator of a request that panicked, and returns what its client is
// told.
func (s *Server) panicked(cause any, id string, method, target []byte) *problem {
	s.telemetry.panics.Inc()
	s.suspect(cause)
	s.log.Error("request panicked", "cause", fmt.Sprint(cause), "request_id", id, "method", logs.Printable(method),
		"target", logs.Printable(target), "stack", string(debug.Stack()))
	if _, fault := cause.(interface{ Addr() uintptr }); fault {
		return errUnreadable
	}
	return errInternal
}

// answer routes a request by its target as it was sent.
func (s *Server) answer(ctx *fasthttp.RequestCtx) {
	if s.answerKnown(ctx) {
		return
	}
	path, query := splitTarget(string(ctx.Request.Header.RequestURI()))
	route, known := address.ParsePath(path)
	setRoute(ctx, metrics.Unknown)
	if known {
		setRoute(ctx, routeOfKind(route.Kind))
	}
	allow := release.AllowRead
	switch {
	case path == "*":
		allow = allowAny
	case path == livePath || path == readyPath:
		setRoute(ctx, metrics.Probe)
	case !known:
		s.fail(ctx, errRoute)
		return
	case route.Kind == address.Search:
		allow = release.AllowSearch
	}
	switch method := string(ctx.Method()); {
	case method == "OPTIONS":
		s.sendOptions(ctx, allow)
	case !takes(allow, method):
		s.fail(ctx, errMethod)
		ctx.Response.Header.Set("Allow", allow)
	case known:
		s.content(ctx, route, query)
	default:
		s.probe(ctx, path)
	}
}

// answerKnown answers a request for a file whose target was seen before: nothing of it
// needs to be parsed again. It reports false for any other.
func (s *Server) answerKnown(ctx *fasthttp.RequestCtx) bool {
	if h := &ctx.Request.Header; !h.IsGet() && !h.IsHead() {
		return false
	}
	g := s.acquire()
	if g == nil {
		return false
	}
	defer g.Release()
	f := g.files.getTarget(ctx.Request.Header.RequestURI())
	if f == nil {
		return false
	}
	setRoute(ctx, routeOfClass(f.class))
	if s.mismatched(ctx, g) {
		return true
	}
	accept := accepted(ctx)
	a, p := s.ready(g, f, &accept)
	if a == nil && p == nil {
		return false
	}
	s.reply(ctx, a, p)
	return true
}

// mismatched refuses a request that has to be answered from another release.
func (s *Server) mismatched(ctx *fasthttp.RequestCtx, g *Generation) bool {
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

// splitTarget takes a request target apart: its path and query, without the scheme and
// authority of the absolute form. Nothing is decoded.
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

func (s *Server) probe(ctx *fasthttp.RequestCtx, path string) {
	switch {
	case path == livePath:
		s.sendHealth(ctx, "live")
	case path == readyPath && s.current.Load() == nil:
		s.fail(ctx, s.notReady())
	case path == readyPath:
		s.sendReady(ctx)
	default:
		s.fail(ctx, errRoute)
	}
}

// content answers from the generation that is current now, to the end of the answer.
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
	reader, ok := g.readers[route.Env]
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
		server: s, gen: g, reader: reader, env: route.Env, client: clientOf(ctx.RemoteAddr()), room: newRoom(), gzipped: gzipped,
		target: ctx.Request.Header.RequestURI(), body: ctx.Request.Body(), accept: accepted(ctx),
	}
	defer r.room.end()
	a, p := r.content(route, query)
	if r.cause != nil {
		s.searchFailed(&r, s.requestID(ctx))
	}
	s.reply(ctx, a, p)
}

// bodyCoding reads how a body is coded: not at all or, if gzipped, once in gzip. Any other
// way is not known here.
func bodyCoding(values [][]byte) (gzipped, known bool) {
	for _, value := range values {
		for name := range bytes.SplitSeq(value, []byte(",")) {
			switch name = guard.TrimSpace(name); {
			case len(name) == 0 || guard.FoldEqual(name, "identity"):
			case !gzipped && (guard.FoldEqual(name, "gzip") || guard.FoldEqual(name, "x-gzip")):
				gzipped = true
			default:
				return false, false
			}
		}
	}
	return gzipped, true
}

// searchFailed tells the operator of a search whose problem is the server's own.
func (s *Server) searchFailed(r *request, id string) {
	s.log.Error("search failed", "request_id", id, "environment", r.env, "error", r.cause)
	s.suspect(r.cause)
}
