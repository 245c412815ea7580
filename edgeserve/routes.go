// This file lists the public routes, their methods and the checks in front of them. On Linux the
// fast path answers most requests first, with the same bytes.

package edgeserve

import (
	"runtime/debug"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/serve/delivery"
	"contentedge/edgeserve/serve/metrics"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
)

const (
	livePath  = "/livez"
	readyPath = "/readyz"
	allowAny  = "GET, HEAD, POST, OPTIONS" // what OPTIONS * answers
)

// routes registers the public interface. Limits of connections (package netlimit), heads and bodies
// (Config) and then strict come before routing.
func (a *fiberAdapter) routes() {
	a.route("/cda/rest/v1/:env/contents", address.Contents, a.serveContent)
	a.route("/cda/rest/v1/:env/contents/:id", address.Item, a.serveContent)
	a.route("/cda/rest/v1/:env/contents-list/*", address.ListFile, a.serveContent)
	a.route("/cda/rest/v1/:env/searches/:page", address.SavedSearch, a.serveContent)
	a.route("/cda/es/v1", address.ElasticInfo, a.serveContent)
	a.route("/cda/es/v1/", address.ElasticInfo, a.serveContent)
	a.route("/cda/es/v1/_msearch", address.ElasticMultiSearch, a.serveContent)
	a.route("/cda/es/v1/_mget", address.ElasticMultiGet, a.serveContent)
	a.route("/cda/es/v1/:env", address.Search, a.serveContent)
	a.route("/cda/es/v1/:env/_search", address.ElasticSearch, a.serveContent)
	a.route("/cda/es/v1/:env/_msearch", address.ElasticMultiSearch, a.serveContent)
	a.route("/cda/es/v1/:env/_count", address.ElasticCount, a.serveContent)
	a.route("/cda/es/v1/:env/_doc/:id", address.ElasticDoc, a.serveContent)
	a.route("/cda/es/v1/:env/_doc/:id/_source", address.ElasticSource, a.serveContent)
	a.route("/cda/es/v1/:env/_source/:id", address.ElasticSource, a.serveContent)
	a.route("/cda/es/v1/:env/_explain/:id", address.ElasticExplain, a.serveContent)
	a.route("/cda/es/v1/:env/_mget", address.ElasticMultiGet, a.serveContent)
	a.route("/cda/es/v1/:env/_mapping", address.ElasticMapping, a.serveContent)
	a.route("/cda/es/v1/:env/_field_caps", address.ElasticFieldCaps, a.serveContent)
	a.route("/cda/es/v1/:env/_validate/query", address.ElasticValidate, a.serveContent)
	a.route("/cda/es/v1/:env/_analyze", address.ElasticAnalyze, a.serveContent)
	a.route(livePath, probe, a.livez)
	a.route(readyPath, probe, a.readyz)
	a.route(rootPath, probe, a.root)
	a.app.Use(a.unknownRoute)
}

const probe address.Kind = 0 // of a path that is no address of content

// route registers a path: its handler, and for other methods OPTIONS and the 405.
func (a *fiberAdapter) route(path string, kind address.Kind, handle func(*fiber.Ctx, address.Kind) error) {
	allow := allowOf(kind)
	a.describe(path, allow)
	for method := range strings.SplitSeq(allow, ", ") {
		if method != fiber.MethodOptions {
			a.app.Add(method, path, func(c *fiber.Ctx) error { return handle(c, kind) })
		}
	}
	a.app.All(path, func(c *fiber.Ctx) error { return a.otherMethod(c, kind, allow) })
}

func allowOf(kind address.Kind) string {
	if kind.TakesBody() {
		return release.AllowSearch
	}
	return release.AllowRead
}

// serveContent answers a request for content. Package address reads the target as it was sent.
func (a *fiberAdapter) serveContent(c *fiber.Ctx, kind address.Kind) error {
	ctx := c.Context()
	if a.respondFromCache(ctx) {
		return nil
	}
	path, query := splitTarget(string(ctx.Request.Header.RequestURI()))
	route, ok := address.ParsePath(path)
	if !ok || route.Kind != kind {
		return a.unknownRoute(c)
	}
	if reads(ctx) {
		route = route.Read()
	}
	setRoute(ctx, routeOfKind(route.Kind))
	a.respond(ctx, route, query)
	return nil
}

func (a *fiberAdapter) livez(c *fiber.Ctx, _ address.Kind) error {
	setRoute(c.Context(), metrics.Probe)
	a.sendHealth(c.Context(), "live")
	return nil
}

func (a *fiberAdapter) readyz(c *fiber.Ctx, _ address.Kind) error {
	setRoute(c.Context(), metrics.Probe)
	if a.current.Load() == nil {
		a.fail(c.Context(), a.contentError.notReady())
	} else {
		a.sendReady(c.Context())
	}
	return nil
}

func (a *fiberAdapter) otherMethod(c *fiber.Ctx, kind address.Kind, allow string) error {
	path, _ := splitTarget(string(c.Request().Header.RequestURI()))
	if route, ok := address.ParsePath(path); kind != probe && (!ok || route.Kind != kind) {
		return a.unknownRoute(c)
	}
	setRoute(c.Context(), routeOfKind(kind))
	if c.Method() == fiber.MethodOptions {
		a.sendOptions(c.Context(), allow)
	} else {
		a.refuseMethod(c.Context(), allow)
	}
	return nil
}

// unknownRoute answers what no route matches, and OPTIONS * (RFC 9110 9.3.7).
func (a *fiberAdapter) unknownRoute(c *fiber.Ctx) error {
	setRoute(c.Context(), metrics.Unknown)
	switch {
	case string(c.Request().Header.RequestURI()) == "*": // fasthttp lets no other method through
		a.sendOptions(c.Context(), allowAny)
	case a.other != nil && a.other(c.Context()):
	default:
		a.fail(c.Context(), delivery.ErrRoute)
	}
	return nil
}

func (a *fiberAdapter) refuseMethod(ctx *fasthttp.RequestCtx, allow string) {
	a.fail(ctx, delivery.ErrMethod)
	ctx.Response.Header.Set("Allow", allow)
}

// strict is in front of Fiber: it recovers from panics, reads the body, refuses malformed heads and
// foreign hosts, and answers methods unknown to Fiber.
func (a *fiberAdapter) strict(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		a.telemetry.requests.Began()
		defer a.observeResponse(ctx)
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
			a.refuse(ctx, refusal)
		case !a.hosts.allowRequest(ctx):
			a.refuse(ctx, delivery.ErrHost)
		case fiberKnows(ctx.Method()):
			next(ctx)
		default:
			a.unknownMethod(ctx)
		}
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
	kind, allow := kindOfTarget(string(ctx.Request.Header.RequestURI()))
	if allow == "" {
		setRoute(ctx, metrics.Unknown)
		a.fail(ctx, delivery.ErrRoute)
		return
	}
	setRoute(ctx, routeOfKind(kind))
	a.refuseMethod(ctx, allow)
}

// kindOfTarget finds the kind of a request target and its Allow list; empty: no such path.
func kindOfTarget(target string) (kind address.Kind, allow string) {
	path, _ := splitTarget(target)
	if path == livePath || path == readyPath || path == rootPath {
		return probe, allowOf(probe)
	}
	route, ok := address.ParsePath(path)
	if !ok {
		return probe, ""
	}
	return route.Kind, allowOf(route.Kind)
}
