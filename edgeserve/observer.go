// This file counts and logs requests. All responses end in observer.record.

package edgeserve

import (
	"bytes"
	"time"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/serve/delivery"
	"contentedge/edgeserve/serve/httphead"
	"contentedge/edgeserve/serve/logs"
	"contentedge/edgeserve/serve/metrics"
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

// requestRecord describes an answered request, to be counted and logged. Its texts are valid during
// the call.
type requestRecord struct {
	route  metrics.Route
	status int
	bytes  int // of the body as sent
	took   time.Duration

	// Only the access log reads these.
	id                     string
	method, target, coding []byte
}

type observer struct {
	telemetry    *telemetry
	accessLog    *logs.Access                              // nil: none
	onResponse   func(ctx *fasthttp.RequestCtx, ours bool) // nil: nobody sees responses
	ids          *logs.IDs
	clients      clients
	hosts        httphead.Hosts
	contentError contentError
}

// record counts a request, which requests.Began has counted, and logs it unless it was a probe.
func (o *observer) record(r requestRecord) {
	o.telemetry.requests.Answered(r.route, r.status, r.bytes, r.took)
	if o.accessLog == nil || r.route == metrics.Probe {
		return
	}
	o.accessLog.Log(logs.Request{
		ID: r.id, Method: r.method, Target: r.target, Status: r.status, Bytes: r.bytes, Duration: r.took, Coding: r.coding,
	})
}

func (o *observer) recordResponse(ctx *fasthttp.RequestCtx) {
	o.recordRequest(ctx, ctx.Method(), ctx.Request.Header.RequestURI())
}

func (o *observer) recordRequest(ctx *fasthttp.RequestCtx, method, target []byte) {
	resp := &ctx.Response
	record := requestRecord{route: routeOf(ctx), status: resp.StatusCode(), bytes: bodySize(ctx)}
	if began := ctx.Time(); !began.IsZero() {
		record.took = time.Since(began)
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
	if o.accessLog != nil {
		record.id, record.method, record.target, record.coding = o.requestID(ctx), method, target, resp.Header.ContentEncoding()
	}
	o.record(record)
}

// setErrorID adds the request id to an error. Responses that caches may store have none: others
// would get the id, which a client can choose.
func (o *observer) setErrorID(ctx *fasthttp.RequestCtx) {
	if resp := &ctx.Response; resp.StatusCode() >= fasthttp.StatusBadRequest && uncached(resp) {
		resp.Header.Set(httpfield.RequestID, o.requestID(ctx))
	}
}

func (o *observer) recordUnrouted(ctx *fasthttp.RequestCtx) {
	o.telemetry.requests.Began()
	if len(ctx.Request.Header.RawHeaders()) == 0 { // no head was read; fasthttp would report GET /
		o.recordRequest(ctx, nil, nil)
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
	routeKey struct{}
	idKey    struct{}
)

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

// requestID is the client's id if it is valid, else a new one, fixed for the request.
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
