// This file is the one place where an answered request is counted, logged and named.
// Whatever answers a request ends in Server.observe.

package edgeserve

import (
	"bytes"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/logs"
	"contentedge/edgeserve/metrics"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/release"
)

// telemetry is everything a server counts.
type telemetry struct {
	requests *metrics.Requests
	searches *metrics.Counters // evaluated, by kind
	rejected *metrics.Counters // searches refused, by the error's code
	swaps    *metrics.Counters // by result

	connections  atomic.Int64    // open ones
	turnedAway   metrics.Counter // those above the limit
	acceptErrors metrics.Counter
	panics       metrics.Counter
	missing      metrics.Counter // files that ought to be there and are not
	unreadable   metrics.Counter // files that are there and of no use
	damaged      metrics.Counter // releases withdrawn for damage
	scrubs       metrics.Counter // passes over all snapshots that found them whole
	scrubbedAt   atomic.Int64    // when the last of these ended, in milliseconds since 1970
	suppressed   metrics.Counter // log lines kept back
}

// The results of a swap.
const (
	swapped = "ok"
	refused = "failed"
)

// kindList is the kind of a search that a list without a file is.
const kindList = "list"

func newTelemetry() *telemetry {
	return &telemetry{
		requests: metrics.NewRequests(),
		searches: metrics.NewCounters("kind", kindList, "match_all", "match_none", "bool", "term", "terms", "prefix", "wildcard",
			"range", "exists", "ids", "match", "match_phrase", "match_phrase_prefix", "multi_match", "constant_score",
			"query_string", "simple_query_string"),
		rejected: metrics.NewCounters("code", "bad_gzip", "body_too_large", "bad_json", "bad_body", "bad_query", "unknown_query", "unknown_option", "bad_query_string",
			"bad_regexp", "bad_value", "bad_from", "bad_size", "bad_sort", "bad_source", "bad_track_total_hits", "bad_aggregation",
			"too_deep", "too_many_clauses", "too_many_buckets", "too_costly", "overloaded", "timeout"),
		swaps: metrics.NewCounters("result", swapped, refused),
	}
}

// kindOf names what a search asks for at the top of its tree.
func kindOf(n query.Node) string {
	switch n.(type) {
	case nil, *query.MatchAll:
		return "match_all"
	case *query.MatchNone:
		return "match_none"
	case *query.Bool:
		return "bool"
	case *query.Term:
		return "term"
	case *query.Terms:
		return "terms"
	case *query.Prefix:
		return "prefix"
	case *query.Wildcard:
		return "wildcard"
	case *query.Range:
		return "range"
	case *query.Exists:
		return "exists"
	case *query.IDs:
		return "ids"
	case *query.Match:
		return "match"
	case *query.MatchPhrase:
		return "match_phrase"
	case *query.MatchPhrasePrefix:
		return "match_phrase_prefix"
	case *query.MultiMatch:
		return "multi_match"
	case *query.ConstantScore:
		return "constant_score"
	case *query.QueryString:
		return "query_string"
	case *query.SimpleQueryString:
		return "simple_query_string"
	}
	return "other"
}

// answered is what is counted and logged of a request. Texts are as the client sent
// them, and only for the time of the call.
type answered struct {
	route  metrics.Route
	status int
	bytes  int // of the body as sent
	took   time.Duration

	// Only the access log reads these.
	id                     string
	method, target, coding []byte
}

// observe counts an answered request, which telemetry.requests.Began counted before,
// and logs it unless it was a probe.
func (s *Server) observe(a answered) {
	s.telemetry.requests.Answered(a.route, a.status, a.bytes, a.took)
	if s.cfg.AccessLog == nil || a.route == metrics.Probe {
		return
	}
	s.cfg.AccessLog.Log(logs.Request{
		ID: a.id, Method: a.method, Target: a.target, Status: a.status, Bytes: a.bytes, Took: a.took, Coding: a.coding,
	})
}

// finished observes what the engine is about to send.
func (s *Server) finished(ctx *fasthttp.RequestCtx) {
	s.finish(ctx, ctx.Method(), ctx.Request.Header.RequestURI())
}

// finish is finished with what the log is to say was asked.
func (s *Server) finish(ctx *fasthttp.RequestCtx, method, target []byte) {
	resp := &ctx.Response
	a := answered{route: routeOf(ctx), status: resp.StatusCode(), bytes: bodySize(ctx)}
	if began := ctx.Time(); !began.IsZero() {
		a.took = time.Since(began)
	}
	s.nameFailure(ctx)
	if s.allowsHost(ctx) {
		s.tellContentError(&resp.Header)
	} else {
		resp.Header.Del(release.Header)
	}
	if s.cfg.AccessLog != nil {
		a.id, a.method, a.target, a.coding = s.requestID(ctx), method, target, resp.Header.ContentEncoding()
	}
	s.observe(a)
}

// nameFailure has a failure say which request it is about, for the operator. In an answer
// that a cache may keep the id would be another request's, and a client could write into
// what others get.
func (s *Server) nameFailure(ctx *fasthttp.RequestCtx) {
	if resp := &ctx.Response; resp.StatusCode() >= fasthttp.StatusBadRequest && uncached(resp) {
		resp.Header.Set(release.RequestIDHeader, s.requestID(ctx))
	}
}

// unread is finished for a request that no handler sees.
func (s *Server) unread(ctx *fasthttp.RequestCtx) {
	s.telemetry.requests.Began()
	if len(ctx.Request.Header.RawHeaders()) == 0 { // no head was read; the engine would say GET /
		s.finish(ctx, nil, nil)
		return
	}
	s.finished(ctx)
}

// bodySize is the length of the body that is sent.
func bodySize(ctx *fasthttp.RequestCtx) int {
	switch {
	case ctx.IsHead():
		return 0
	case ctx.Response.IsBodyStream():
		return ctx.Response.Header.ContentLength()
	}
	return len(ctx.Response.Body())
}

// routeKey and idKey are keys of a request's own values. What is kept under routeKey
// fits a byte, so keeping it allocates nothing.
type (
	routeKey struct{}
	idKey    struct{}
)

// setRoute notes which kind of address was asked for.
func setRoute(ctx *fasthttp.RequestCtx, r metrics.Route) { ctx.SetUserValue(routeKey{}, r) }

// routeOf is Malformed until setRoute has been called.
func routeOf(ctx *fasthttp.RequestCtx) metrics.Route {
	r, _ := ctx.UserValue(routeKey{}).(metrics.Route)
	return r
}

// routeOfKind is the route of an address of the interface.
func routeOfKind(k address.Kind) metrics.Route {
	switch k {
	case address.Item:
		return metrics.Item
	case address.Search:
		return metrics.Search
	}
	return metrics.List
}

// routeOfClass is the route of a file.
func routeOfClass(c release.Class) metrics.Route {
	switch c {
	case release.ClassItem:
		return metrics.Item
	case release.ClassSearch:
		return metrics.Search
	}
	return metrics.List
}

// requestID is the client's own id if it is a valid one, else one made here; the same
// however often it is asked for.
func (s *Server) requestID(ctx *fasthttp.RequestCtx) string {
	if id, ok := ctx.UserValue(idKey{}).(string); ok {
		return id
	}
	id := s.nameOf(ctx.Request.Header.Peek(release.RequestIDHeader))
	ctx.SetUserValue(idKey{}, id)
	return id
}

// nameOf is the id that a client sent, if it is a valid one, else a new one.
func (s *Server) nameOf(sent []byte) string {
	if logs.ValidID(sent) {
		return string(sent)
	}
	return s.ids.New()
}

// uncached reports whether no cache may keep an answer.
func uncached(resp *fasthttp.Response) bool {
	return bytes.Contains(resp.Header.Peek("Cache-Control"), []byte("no-store"))
}
