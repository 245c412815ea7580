// This file answers requests for content through Fiber.

package edgeserve

import (
	"bytes"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/delivery"
	"contentedge/edgeserve/httphead"
	"contentedge/edgeserve/netlimit"
	"contentedge/edgeserve/release"
)

// recovered answers a request whose handler panicked, and logs the panic.
func (a *fiberAdapter) recovered(ctx *fasthttp.RequestCtx) {
	cause := recover()
	if cause == nil {
		return
	}
	p := a.panicked(cause, a.requestID(ctx), ctx.Method(), ctx.Request.Header.RequestURI())
	ctx.Response.Reset()
	a.fail(ctx, p)
}

// fiberError answers an error of Fiber itself. All routes are ours, so it is a fault of the
// server.
func (a *fiberAdapter) fiberError(c *fiber.Ctx, err error) error {
	a.log.Error("engine failed", "request_id", a.requestID(c.Context()), "error", err)
	a.fail(c.Context(), delivery.ErrInternal)
	return nil
}

// respondFromCache answers a request whose target the cache knows, without parsing it. It
// returns false for any other.
func (a *fiberAdapter) respondFromCache(ctx *fasthttp.RequestCtx) bool {
	if h := &ctx.Request.Header; !h.IsGet() && !h.IsHead() {
		return false
	}
	g := a.current.Acquire()
	if g == nil {
		return false
	}
	defer g.Release()
	entry := g.Cache.GetTarget(ctx.Request.Header.RequestURI())
	if entry == nil {
		return false
	}
	setRoute(ctx, routeOfClass(entry.Class))
	if a.mismatched(ctx, g) {
		return true
	}
	accept := acceptEncoding(ctx)
	response, p := g.FromEntry(entry, &accept, netlimit.Client(ctx.RemoteAddr()), true)
	if response == nil && p == nil {
		return false
	}
	a.reply(ctx, response, p)
	return true
}

// mismatched refuses a request for another release than the one served.
func (a *fiberAdapter) mismatched(ctx *fasthttp.RequestCtx, g *delivery.Served) bool {
	p := g.Mismatch(ctx.Request.Header.PeekAll(release.Header))
	if p == nil {
		return false
	}
	ctx.Response.Header.Set(release.Header, g.Build())
	a.fail(ctx, p)
	return true
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

// respond answers a parsed request from the release that is current now.
func (a *fiberAdapter) respond(ctx *fasthttp.RequestCtx, route address.Route, query string) {
	g := a.current.Acquire()
	if g == nil {
		a.fail(ctx, a.contentError.notReady())
		return
	}
	defer g.Release()
	if a.mismatched(ctx, g) {
		return
	}
	ctx.Response.Header.Set(release.Header, g.Build())
	gzipped, known := bodyCoding(ctx.Request.Header.PeekAll("Content-Encoding"))
	if route.Kind == address.Search && !known && g.Readers[route.Env] != nil {
		a.fail(ctx, delivery.ErrBodyCoding)
		ctx.Response.Header.Set("Accept-Encoding", "gzip, identity")
		return
	}
	buffer := newResponseBuffer()
	defer buffer.free()
	r := delivery.Request{
		Client: netlimit.Client(ctx.RemoteAddr()), Target: ctx.Request.Header.RequestURI(), Body: ctx.Request.Body(), Gzipped: gzipped,
		Accept: acceptEncoding(ctx), Buffer: &buffer.body,
	}
	response, p := g.Respond(&r, route, query)
	if r.Cause != nil {
		a.searchFailed(r.Cause, route.Env, a.requestID(ctx))
	}
	a.reply(ctx, response, p)
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
