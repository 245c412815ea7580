// This file is the table of the public interface: every route with its methods, and the
// checks in front of them. On Linux the fast path answers most requests before Fiber reads
// them (fastpath_lookup.go, fastpath_compute.go), with the same bytes.

package edgeserve

import (
	"runtime/debug"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/metrics"
	"contentedge/edgeserve/release"
)

const (
	livePath  = "/livez"
	readyPath = "/readyz"
	// allowAny is what OPTIONS * answers.
	allowAny = "GET, HEAD, POST, OPTIONS"
)

// routes registers the public interface. A request passes strict before it is routed, and
// limits hold before that: of connections (package netlimit), of a head (Config.HeadLimit) and
// of a body (Config.BodyLimit).
func (s *Server) routes() {
	s.route("/cda/rest/v1/:env/contents", address.Contents, s.contents)
	s.route("/cda/rest/v1/:env/contents/:id", address.Item, s.item)
	s.route("/cda/rest/v1/:env/contents-list/*", address.ListFile, s.listFile)
	s.route("/cda/es/v1/:env", address.Search, s.search)
	s.route(livePath, probe, s.livez)
	s.route(readyPath, probe, s.readyz)
	s.app.Use(s.unknownRoute)
}

// probe is the kind of a path that is no address of content.
const probe address.Kind = 0

// route registers a path: the handler for its methods, and for all others OPTIONS and the 405.
func (s *Server) route(path string, kind address.Kind, handle fiber.Handler) {
	allow := allowOf(kind)
	for method := range strings.SplitSeq(allow, ", ") {
		if method != fiber.MethodOptions {
			s.app.Add(method, path, handle)
		}
	}
	s.app.All(path, func(c *fiber.Ctx) error { return s.otherMethod(c, kind, allow) })
}

// allowOf is the Allow list of a kind of addresses.
func allowOf(kind address.Kind) string {
	if kind == address.Search {
		return release.AllowSearch
	}
	return release.AllowRead
}

func (s *Server) contents(c *fiber.Ctx) error { return s.deliver(c, address.Contents) }
func (s *Server) item(c *fiber.Ctx) error     { return s.deliver(c, address.Item) }
func (s *Server) listFile(c *fiber.Ctx) error { return s.deliver(c, address.ListFile) }
func (s *Server) search(c *fiber.Ctx) error   { return s.deliver(c, address.Search) }

// deliver answers a request for content. Fiber chose the kind; package address reads the
// target as it was sent, so nothing is decoded or normalised on the way.
func (s *Server) deliver(c *fiber.Ctx, kind address.Kind) error {
	ctx := c.Context()
	if s.deliverCached(ctx) {
		return nil
	}
	path, query := splitTarget(string(ctx.Request.Header.RequestURI()))
	route, ok := address.ParsePath(path)
	if !ok || route.Kind != kind {
		return s.unknownRoute(c)
	}
	setRoute(ctx, routeOfKind(kind))
	s.content(ctx, route, query)
	return nil
}

// livez answers that the process runs.
func (s *Server) livez(c *fiber.Ctx) error {
	setRoute(c.Context(), metrics.Probe)
	s.sendHealth(c.Context(), "live")
	return nil
}

// readyz answers whether a release is served.
func (s *Server) readyz(c *fiber.Ctx) error {
	setRoute(c.Context(), metrics.Probe)
	if s.current.Load() == nil {
		s.fail(c.Context(), s.notReady())
	} else {
		s.sendReady(c.Context())
	}
	return nil
}

// otherMethod answers OPTIONS, and refuses the methods that a path does not take.
func (s *Server) otherMethod(c *fiber.Ctx, kind address.Kind, allow string) error {
	path, _ := splitTarget(string(c.Request().Header.RequestURI()))
	if route, ok := address.ParsePath(path); kind != probe && (!ok || route.Kind != kind) {
		return s.unknownRoute(c)
	}
	setRoute(c.Context(), routeOfKind(kind))
	if c.Method() == fiber.MethodOptions {
		s.sendOptions(c.Context(), allow)
	} else {
		s.refuseMethod(c.Context(), allow)
	}
	return nil
}

// unknownRoute answers what no route matches, and OPTIONS * (RFC 9110 9.3.7).
func (s *Server) unknownRoute(c *fiber.Ctx) error {
	setRoute(c.Context(), metrics.Unknown)
	switch all := string(c.Request().Header.RequestURI()) == "*"; {
	case all && c.Method() == fiber.MethodOptions:
		s.sendOptions(c.Context(), allowAny)
	case all && !takes(allowAny, c.Method()):
		s.refuseMethod(c.Context(), allowAny)
	case s.cfg.Other != nil && s.cfg.Other(c.Context()):
	default:
		s.fail(c.Context(), errRoute)
	}
	return nil
}

// refuseMethod answers a method that a path does not take.
func (s *Server) refuseMethod(ctx *fasthttp.RequestCtx, allow string) {
	s.fail(ctx, errMethod)
	ctx.Response.Header.Set("Allow", allow)
}

// strict is in front of Fiber: it recovers from panics, reads the body, refuses malformed
// heads and hosts of others, and answers methods that Fiber does not know.
func (s *Server) strict(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		s.telemetry.requests.Began()
		defer s.observeResponse(ctx)
		defer s.recovered(ctx)
		// A mapped file that shrinks makes reads fault. With this, a fault is a panic of one
		// request instead of the end of the process. It holds for the goroutine, and fasthttp
		// uses many.
		debug.SetPanicOnFault(true)
		closing, refusal := checkHead(&ctx.Request.Header, s.cfg.BodyLimit)
		if refusal == nil {
			var taken int64
			taken, refusal = s.readBody(ctx)
			defer func() { s.requests.Resize(taken, 0) }()
		}
		if closing || chunksUnchecked(ctx) {
			ctx.SetConnectionClose()
		}
		switch {
		case refusal != nil:
			s.refuse(ctx, refusal)
		case !s.allowsHost(ctx):
			s.refuse(ctx, errHost)
		case fiberKnows(ctx.Method()):
			next(ctx)
		default:
			s.unknownMethod(ctx)
		}
	}
}

// fiberKnows reports whether Fiber routes a method. It refuses others in its own words.
func fiberKnows(method []byte) bool {
	switch string(method) {
	case "GET", "HEAD", "POST", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT":
		return true
	}
	return false
}

// unknownMethod refuses a method that Fiber does not know.
func (s *Server) unknownMethod(ctx *fasthttp.RequestCtx) {
	kind, allow := kindOfTarget(string(ctx.Request.Header.RequestURI()))
	if allow == "" {
		setRoute(ctx, metrics.Unknown)
		s.fail(ctx, errRoute)
		return
	}
	if allow == allowAny {
		setRoute(ctx, metrics.Unknown)
	} else {
		setRoute(ctx, routeOfKind(kind))
	}
	s.refuseMethod(ctx, allow)
}

// kindOfTarget finds the kind of a request target and its Allow list, which is empty if the
// interface has no such path.
func kindOfTarget(target string) (kind address.Kind, allow string) {
	path, _ := splitTarget(target)
	if target == "*" {
		return probe, allowAny
	}
	if path == livePath || path == readyPath {
		return probe, allowOf(probe)
	}
	route, ok := address.ParsePath(path)
	if !ok {
		return probe, ""
	}
	return route.Kind, allowOf(route.Kind)
}
