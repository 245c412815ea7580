// This file answers requests for content through Fiber. The routes are in routes.go.

package edgeserve

import (
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/serve/delivery"
	"contentedge/edgeserve/serve/fastpath"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

type fiberAdapter struct {
	shared    *adapter
	respond   *responder // of shared, as the next
	observe   *observer
	clients   clients // of observe
	app       *fiber.App
	requests  *bodies.Budget // bodies of requests that are being received or answered
	bodyLimit int
	bodyTime  time.Duration

	listEnvironments bool   // in the document at /
	documentation    string // its URL, for the document at /
	hsts             string // the value of the field; "" means not sent
}

// hstsOf returns the value of the field that tells browsers to use HTTPS only.
func hstsOf(cfg *ServerConfig) string {
	if cfg.HSTS == 0 {
		return ""
	}
	return fmt.Sprintf("max-age=%d", int(cfg.HSTS.Seconds()))
}

// addHSTS adds the field to a response.
func (a *fiberAdapter) addHSTS(ctx *fasthttp.RequestCtx) {
	if a.hsts != "" {
		ctx.Response.Header.Set(httpfield.StrictTransportSecurity, a.hsts)
	}
}

func newFiberAdapter(shared *adapter, requests *bodies.Budget, cfg *ServerConfig) *fiberAdapter {
	a := &fiberAdapter{
		shared: shared, respond: shared.respond, observe: shared.observe, clients: shared.observe.clients,
		requests: requests, bodyLimit: cfg.BodyLimit, bodyTime: cfg.ReadTimeout, listEnvironments: cfg.ListEnvironments, documentation: cfg.Documentation, hsts: hstsOf(cfg),
	}
	a.app = fiber.New(fiber.Config{
		CaseSensitive: true, StrictRouting: true,
		DisableStartupMessage: true, DisableDefaultContentType: true,
		BodyLimit: cfg.BodyLimit,
		// Otherwise fasthttp allocates a body by its announced length.
		StreamRequestBody: true,
		ReadTimeout:       cfg.HeaderTimeout, // for the rest see headerReceived
		WriteTimeout:      cfg.WriteTimeout,
		IdleTimeout:       cfg.IdleTimeout,
		// The listener refuses earlier, with a proper response.
		Concurrency:                  cfg.MaxConns + maxEnding,
		ReadBufferSize:               cfg.HeadLimit,
		WriteBufferSize:              writeBuffer,
		DisablePreParseMultipartForm: true,
		ErrorHandler:                 a.fiberError,
	})
	a.routes()
	engine := a.app.Server()
	engine.Handler = a.strict(a.app.Handler())
	engine.ErrorHandler = func(ctx *fasthttp.RequestCtx, err error) {
		a.shared.parseError(ctx, err, fastpath.Received(ctx.Conn()))
		a.addHSTS(ctx)
	}
	engine.HeaderReceived = a.headerReceived
	engine.CloseOnShutdown = true
	return a
}

func (a *fiberAdapter) recovered(ctx *fasthttp.RequestCtx) {
	cause := recover()
	if cause == nil {
		return
	}
	p := a.shared.panicked(cause, a.observe.requestID(ctx), ctx.Method(), ctx.Request.Header.RequestURI())
	ctx.Response.Reset()
	a.respond.fail(ctx, p)
}

// maxEnding bounds the connections that the listener no longer counts, because they were closed, and whose goroutines have
// not ended: many clients that connect at once close as many idle connections.
const maxEnding = 1 << 16

// fiberError answers an error of Fiber itself: a fault of the server, as all routes are ours.
func (a *fiberAdapter) fiberError(c *fiber.Ctx, err error) error {
	a.shared.log.Error("engine failed", "request_id", a.observe.requestID(c.Context()), "error", err)
	a.respond.fail(c.Context(), problem.Of(problem.Internal))
	return nil
}

// respondFromCache answers a request whose target the cache knows, without parsing it.
func (a *fiberAdapter) respondFromCache(ctx *fasthttp.RequestCtx) bool {
	if h := &ctx.Request.Header; !h.IsGet() && !h.IsHead() {
		return false
	}
	served := a.shared.current.Acquire()
	if served == nil {
		return false
	}
	defer served.Generation.Release()
	entry := a.shared.current.FindTarget(served, ctx.Request.Header.RequestURI())
	if entry == nil || entry.Class == release.ClassSearch && len(ctx.Request.Body()) > 0 {
		return false
	}
	setRoute(ctx, routeOfClass(entry.Class))
	if a.mismatched(ctx, served) {
		return true
	}
	accept := acceptEncoding(ctx)
	response, source, p := served.FromEntry(entry, &accept, a.clients.identity(ctx), nil)
	if response == nil && p == nil {
		return false
	}
	ctx.Response.Header.Set(httpfield.Release, served.Generation.Dir.Build())
	setSource(ctx, source)
	a.respond.reply(ctx, response, p)
	a.setTiming(ctx, source, delivery.Timing{})
	return true
}

func (a *fiberAdapter) mismatched(ctx *fasthttp.RequestCtx, served *delivery.Served) bool {
	p := respond.Mismatch(served.Generation.Dir.Build(), &ctx.Request.Header)
	if p == nil {
		return false
	}
	ctx.Response.Header.Set(httpfield.Release, served.Generation.Dir.Build())
	a.respond.fail(ctx, p)
	return true
}

func (a *fiberAdapter) deliver(ctx *fasthttp.RequestCtx, route address.Route, query string) {
	served := a.shared.current.Acquire()
	if served == nil {
		a.respond.fail(ctx, a.observe.contentError.notReady())
		return
	}
	defer served.Generation.Release()
	if a.mismatched(ctx, served) {
		return
	}
	ctx.Response.Header.Set(httpfield.Release, served.Generation.Dir.Build())
	gzipped, known := contentcoding.OfRequest(ctx.Request.Header.PeekAll(httpfield.ContentEncoding))
	if route.Kind.TakesBody() && !known && (route.Env == "" || served.Generation.Dir.Readers[route.Env] != nil || route.Several()) {
		a.respond.fail(ctx, problem.Of(problem.ContentEncoding))
		return
	}
	buffer := newResponseBuffer()
	defer buffer.free()
	r := delivery.Request{
		Client: a.clients.identity(ctx), Exempt: a.clients.limits.IsExempt(a.clients.address(ctx)), Target: ctx.Request.Header.RequestURI(), Body: ctx.Request.Body(), Gzipped: gzipped,
		Accept: acceptEncoding(ctx), Buffer: &buffer.body, Since: time.Now(),
	}
	r.Measure = a.asksTiming(ctx)
	response, p := served.Respond(&r, route, query)
	if r.Cause != nil {
		a.shared.searchFailed(r.Cause, route.Env, a.observe.requestID(ctx))
	}
	setSource(ctx, r.Source)
	a.respond.reply(ctx, response, p)
	a.setTiming(ctx, r.Source, r.Timing)
}
