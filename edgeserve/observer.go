// This file counts and logs requests. All responses end in recordRequest or fastAdapter.onResponse.

package edgeserve

import (
	"bytes"
	"time"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/serve/delivery"
	"contentedge/edgeserve/serve/httphead"
	"contentedge/edgeserve/serve/logs"
	"contentedge/edgeserve/serve/metrics"
	"contentedge/edgeserve/serve/netlimit"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/release"
)

// telemetry is what the process counts.
type telemetry struct {
	requests *metrics.Requests
	node     *metrics.Node
	delivery *delivery.Counters
}

func newTelemetry() *telemetry {
	return &telemetry{requests: metrics.NewRequests(), node: metrics.NewNode(), delivery: delivery.NewCounters()}
}

type observer struct {
	telemetry    *telemetry
	accessLog    *logs.Access                              // nil means no access log
	onResponse   func(ctx *fasthttp.RequestCtx, ours bool) // may be nil
	ids          *logs.IDs
	clients      clients
	hosts        httphead.Hosts
	contentError contentError
}

// logs reports whether the access log has a line for each request of a route. It has none for probes.
func (o *observer) logs(route metrics.Route) bool {
	return o.accessLog != nil && route != metrics.Probe
}

func (o *observer) recordResponse(ctx *fasthttp.RequestCtx) {
	head := &ctx.Request.Header
	o.recordRequest(ctx, func() logs.Request {
		return logs.Request{Method: ctx.Method(), Target: head.RequestURI(), Protocol: head.Protocol(), Fields: logs.FieldsOf(head.RawHeaders())}
	})
}

// recordRequest counts and logs a response. sent returns what the log shows of the request.
func (o *observer) recordRequest(ctx *fasthttp.RequestCtx, sent func() logs.Request) {
	resp := &ctx.Response
	var took time.Duration
	if began := ctx.Time(); !began.IsZero() {
		took = time.Since(began)
	}
	o.setErrorID(ctx)
	ours := allowedHost(o.hosts, ctx)
	if o.onResponse != nil {
		o.onResponse(ctx, ours)
	}
	if ours {
		o.contentError.setHeader(&resp.Header)
	} else {
		resp.Header.Del(httpfield.Release)
	}
	route, size := routeOf(ctx), bodySize(ctx)
	o.telemetry.requests.Answered(route, resp.StatusCode(), size, took)
	if o.logs(route) {
		r := sent()
		r.ID, r.Client, r.Peer = o.requestID(ctx), o.clients.address(ctx), netlimit.Peer(ctx.RemoteAddr())
		r.Status, r.Error, r.Bytes, r.Duration, r.Coding = resp.StatusCode(), errorOf(ctx), size, took, resp.Header.ContentEncoding()
		r.Release, r.Cache = string(resp.Header.Peek(httpfield.Release)), sourceOf(ctx).String()
		o.accessLog.Log(r)
	}
}

// setErrorID adds the request id to an error. Responses that caches may store have none: others
// would get the id, which a client can choose.
func (o *observer) setErrorID(ctx *fasthttp.RequestCtx) {
	if resp := &ctx.Response; resp.StatusCode() >= fasthttp.StatusBadRequest && uncached(resp) {
		resp.Header.Set(httpfield.RequestID, o.requestID(ctx))
	}
}

// recordUnrouted records a response to a request that fasthttp may have no head of: it would report GET /. received are
// the first bytes of the request.
func (o *observer) recordUnrouted(ctx *fasthttp.RequestCtx, received []byte) {
	o.telemetry.requests.Began()
	if len(ctx.Request.Header.RawHeaders()) == 0 {
		o.recordRequest(ctx, func() logs.Request { return logs.Unparsed(received) })
		return
	}
	o.recordResponse(ctx)
}

func bodySize(ctx *fasthttp.RequestCtx) int {
	switch {
	case ctx.IsHead():
		return 0
	case ctx.Response.IsBodyStream():
		return ctx.Response.Header.ContentLength()
	}
	return len(ctx.Response.Body())
}

// routeKey and idKey are keys of user values. A value that fits a byte allocates nothing.
type (
	routeKey  struct{}
	idKey     struct{}
	sourceKey struct{}
	errorKey  struct{}
)

func setError(ctx *fasthttp.RequestCtx, code string) { ctx.SetUserValue(errorKey{}, code) }

// errorOf is empty until setError is called.
func errorOf(ctx *fasthttp.RequestCtx) string {
	code, _ := ctx.UserValue(errorKey{}).(string)
	return code
}

func setSource(ctx *fasthttp.RequestCtx, s delivery.Source) { ctx.SetUserValue(sourceKey{}, s) }

// sourceOf is delivery.FromNone until setSource is called.
func sourceOf(ctx *fasthttp.RequestCtx) delivery.Source {
	s, _ := ctx.UserValue(sourceKey{}).(delivery.Source)
	return s
}

func setRoute(ctx *fasthttp.RequestCtx, r metrics.Route) { ctx.SetUserValue(routeKey{}, r) }

// routeOf is Malformed until setRoute is called.
func routeOf(ctx *fasthttp.RequestCtx) metrics.Route {
	r, _ := ctx.UserValue(routeKey{}).(metrics.Route)
	return r
}

func routeOfKind(k address.Kind) metrics.Route {
	if k.Group() == address.Probes {
		return metrics.Probe
	}
	return routeOfClass(release.ClassOf(k))
}

func routeOfClass(c release.Class) metrics.Route {
	switch c {
	case release.ClassItem:
		return metrics.Item
	case release.ClassSearch:
		return metrics.Search
	case release.ClassMedia:
		return metrics.Media
	}
	return metrics.List
}

// requestID is the client's id if it is valid, otherwise a new one, fixed for the request.
func (o *observer) requestID(ctx *fasthttp.RequestCtx) string {
	if id, ok := ctx.UserValue(idKey{}).(string); ok {
		return id
	}
	id := o.validID(ctx.Request.Header.Peek(httpfield.RequestID))
	ctx.SetUserValue(idKey{}, id)
	return id
}

func (o *observer) validID(sent []byte) string {
	if logs.ValidID(sent) {
		return string(sent)
	}
	return o.ids.New()
}

func uncached(resp *fasthttp.Response) bool {
	return bytes.Contains(resp.Header.Peek(httpfield.CacheControl), []byte("no-store"))
}
