// This file registers the routes of package address with their handlers, and runs the checks before them. On Linux the
// fast path answers most requests first, with the same bytes.

package edgeserve

import (
	"runtime/debug"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/serve/metrics"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/problem"
)

// routes registers the public interface. Limits of connections (package netlimit), heads and bodies
// (ServerConfig) and then strict come before routing.
func (a *fiberAdapter) routes() {
	for _, e := range address.Endpoints() {
		a.route(e)
	}
	a.app.Use(a.unknownRoute)
}

// route registers an endpoint: its handler, and for other methods OPTIONS and the 405.
func (a *fiberAdapter) route(e address.Endpoint) {
	handle := a.handlerOf(e.Kind)
	for method := range strings.SplitSeq(e.Allow, ", ") {
		if method != fiber.MethodOptions {
			a.app.Add(method, e.Pattern, handle)
		}
	}
	a.app.All(e.Pattern, func(c *fiber.Ctx) error { return a.otherMethod(c, e) })
}

func (a *fiberAdapter) handlerOf(kind address.Kind) fiber.Handler {
	switch kind {
	case address.Live:
		return a.livez
	case address.Ready:
		return a.readyz
	case address.Home:
		return a.root
	}
	return func(c *fiber.Ctx) error { return a.serveContent(c, kind) }
}

// serveContent answers a request for content. Package address reads the target as it was sent.
func (a *fiberAdapter) serveContent(c *fiber.Ctx, kind address.Kind) error {
	ctx := c.Context()
	if a.respondFromCache(ctx) {
		return nil
	}
	path, query := address.SplitTarget(string(ctx.Request.Header.RequestURI()))
	route, ok := address.ParsePath(path)
	if !ok || route.Kind != kind {
		return a.unknownRoute(c)
	}
	if reads(ctx) {
		route = route.ForGET(query)
	}
	setRoute(ctx, routeOfKind(route.Kind))
	a.deliver(ctx, route, query)
	return nil
}

func (a *fiberAdapter) livez(c *fiber.Ctx) error {
	setRoute(c.Context(), metrics.Probe)
	a.respond.sendHealth(c.Context(), respond.Live)
	return nil
}

func (a *fiberAdapter) readyz(c *fiber.Ctx) error {
	setRoute(c.Context(), metrics.Probe)
	switch {
	case a.shared.life.leaving.Load():
		a.respond.fail(c.Context(), problem.New(problem.NotReady, stopping))
	case a.shared.current.Served.Load() == nil:
		a.respond.fail(c.Context(), a.observe.contentError.notReady())
	default:
		a.sendReady(c.Context())
	}
	return nil
}

// otherMethod answers a method that has no handler at an endpoint's pattern.
func (a *fiberAdapter) otherMethod(c *fiber.Ctx, e address.Endpoint) error {
	kind, _, ok := address.AllowOf(string(c.Request().Header.RequestURI()))
	if e.Group != address.Probes && (!ok || kind != e.Kind) {
		return a.unknownRoute(c)
	}
	setRoute(c.Context(), routeOfKind(e.Kind))
	if c.Method() == fiber.MethodOptions {
		a.respond.sendOptions(c.Context(), e.Allow)
	} else {
		a.refuseMethod(c.Context(), e.Allow)
	}
	return nil
}

// unknownRoute answers what no route matches, and OPTIONS * (RFC 9110 9.3.7).
func (a *fiberAdapter) unknownRoute(c *fiber.Ctx) error {
	setRoute(c.Context(), metrics.Unknown)
	switch {
	case string(c.Request().Header.RequestURI()) == "*": // fasthttp lets no other method through
		a.respond.sendOptions(c.Context(), address.AllowSearch)
	case a.shared.fallback != nil && a.shared.fallback(c.Context()):
	default:
		a.respond.fail(c.Context(), unknownRoute(c.Context()))
	}
	return nil
}

// unknownRoute is the problem of a request whose path has no route.
func unknownRoute(ctx *fasthttp.RequestCtx) *problem.Problem {
	path, _ := address.SplitTarget(string(ctx.Request.Header.RequestURI()))
	return respond.UnknownRoute(path)
}

func (a *fiberAdapter) refuseMethod(ctx *fasthttp.RequestCtx, allow string) {
	a.respond.fail(ctx, problem.Of(problem.MethodNotAllowed))
	ctx.Response.Header.Set(httpfield.Allow, allow)
}

// strict is in front of Fiber: it recovers from panics, reads the body, refuses malformed heads and
// foreign hosts, and answers methods unknown to Fiber.
func (a *fiberAdapter) strict(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		a.observe.telemetry.requests.Began()
		defer a.observe.recordResponse(ctx)
		defer a.endConnection(ctx)
		defer a.addHSTS(ctx)
		defer a.recovered(ctx)
		// A read of a mapped file that shrank is then a panic of one request, not the end of the
		// process. It holds for this goroutine; fasthttp uses many.
		debug.SetPanicOnFault(true)
		closing, refusal := checkHead(&ctx.Request.Header, a.bodyLimit)
		if refusal == nil {
			var taken int64
			taken, refusal = a.readBody(ctx)
			defer func() { a.requests.Resize(taken, 0) }()
		}
		if closing || chunksUnchecked(ctx) {
			ctx.SetConnectionClose()
		}
		switch {
		case refusal != nil:
			a.respond.refuse(ctx, refusal)
		case !allowedHost(a.observe.hosts, ctx):
			a.respond.refuse(ctx, problem.Of(problem.UnknownHost))
		default:
			a.respondTo(ctx, next)
		}
	}
}

// endConnection announces the end of a connection while the server drains. fasthttp could announce
// it too, but it also ends connections whose response was made before, and did not say so: a client
// that sends its next request meanwhile would lose it.
func (a *fiberAdapter) endConnection(ctx *fasthttp.RequestCtx) {
	if a.shared.life.closing.Load() {
		ctx.SetConnectionClose()
	}
}

// stopping is why the probes of a server that leaves say it is not ready.
const stopping = "the server is stopping"

// respondTo answers a well-formed request, unless its client has had too many.
func (a *fiberAdapter) respondTo(ctx *fasthttp.RequestCtx, next fasthttp.RequestHandler) {
	switch p := a.clients.takeFiber(ctx); {
	case p != nil:
		a.respond.nameRelease(&ctx.Response) // first, as on the fast path
		a.respond.fail(ctx, p)
	case fiberKnows(ctx.Method()):
		next(ctx)
	default:
		a.unknownMethod(ctx)
	}
}

// fiberKnows reports whether Fiber routes a method. It would refuse others in its own words.
func fiberKnows(method []byte) bool {
	switch string(method) {
	case "GET", "HEAD", "POST", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT":
		return true
	}
	return false
}

func (a *fiberAdapter) unknownMethod(ctx *fasthttp.RequestCtx) {
	kind, allow, ok := address.AllowOf(string(ctx.Request.Header.RequestURI()))
	if !ok {
		setRoute(ctx, metrics.Unknown)
		a.respond.fail(ctx, unknownRoute(ctx))
		return
	}
	setRoute(ctx, routeOfKind(kind))
	a.refuseMethod(ctx, allow)
}
