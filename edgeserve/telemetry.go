// This file counts and logs requests. All responses end in Server.observe.

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

// telemetry is everything that a server counts.
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

// kindList is the kind of search of a list without a file.
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

// kindOf names the query at the top of a search.
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

// requestRecord is what is counted and logged of a request. Its texts are the client's, and
// valid during the call only.
type requestRecord struct {
	route  metrics.Route
	status int
	bytes  int // of the body as sent
	took   time.Duration

	// Only the access log reads these.
	id                     string
	method, target, coding []byte
}

// observe counts a request, which telemetry.requests.Began counted before, and logs it unless
// it was a probe.
func (s *Server) observe(a requestRecord) {
	s.telemetry.requests.Answered(a.route, a.status, a.bytes, a.took)
	if s.cfg.AccessLog == nil || a.route == metrics.Probe {
		return
	}
	s.cfg.AccessLog.Log(logs.Request{
		ID: a.id, Method: a.method, Target: a.target, Status: a.status, Bytes: a.bytes, Duration: a.took, Coding: a.coding,
	})
}

// observeResponse observes what fasthttp is about to send.
func (s *Server) observeResponse(ctx *fasthttp.RequestCtx) {
	s.observeRequest(ctx, ctx.Method(), ctx.Request.Header.RequestURI())
}

// observeRequest is observeResponse with the method and target to log.
func (s *Server) observeRequest(ctx *fasthttp.RequestCtx, method, target []byte) {
	resp := &ctx.Response
	a := requestRecord{route: routeOf(ctx), status: resp.StatusCode(), bytes: bodySize(ctx)}
	if began := ctx.Time(); !began.IsZero() {
		a.took = time.Since(began)
	}
	s.setErrorID(ctx)
	ours := s.allowsHost(ctx)
	if s.cfg.Answered != nil {
		s.cfg.Answered(ctx, ours)
	}
	if ours {
		s.tellContentError(&resp.Header)
	} else {
		resp.Header.Del(release.Header)
	}
	if s.cfg.AccessLog != nil {
		a.id, a.method, a.target, a.coding = s.requestID(ctx), method, target, resp.Header.ContentEncoding()
	}
	s.observe(a)
}

// setErrorID adds the request id to an error, for the operator. A response that caches may
// store has none: the id would be another request's, and a client could write into what others
// get.
func (s *Server) setErrorID(ctx *fasthttp.RequestCtx) {
	if resp := &ctx.Response; resp.StatusCode() >= fasthttp.StatusBadRequest && uncached(resp) {
		resp.Header.Set(release.RequestIDHeader, s.requestID(ctx))
	}
}

// observeUnrouted is observeResponse for a request that reaches no route.
func (s *Server) observeUnrouted(ctx *fasthttp.RequestCtx) {
	s.telemetry.requests.Began()
	if len(ctx.Request.Header.RawHeaders()) == 0 { // no head was read; fasthttp would report GET /
		s.observeRequest(ctx, nil, nil)
		return
	}
	s.observeResponse(ctx)
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

// routeKey and idKey are keys of user values. A value that fits a byte, such as a route's,
// allocates nothing.
type (
	routeKey struct{}
	idKey    struct{}
)

// setRoute notes the kind of address of a request.
func setRoute(ctx *fasthttp.RequestCtx, r metrics.Route) { ctx.SetUserValue(routeKey{}, r) }

// routeOf is Malformed until setRoute is called.
func routeOf(ctx *fasthttp.RequestCtx) metrics.Route {
	r, _ := ctx.UserValue(routeKey{}).(metrics.Route)
	return r
}

// routeOfKind is the route of a kind of address.
func routeOfKind(k address.Kind) metrics.Route {
	switch k {
	case probe:
		return metrics.Probe
	case address.Item:
		return metrics.Item
	case address.Search:
		return metrics.Search
	}
	return metrics.List
}

// routeOfClass is the route of a class of responses.
func routeOfClass(c release.Class) metrics.Route {
	switch c {
	case release.ClassItem:
		return metrics.Item
	case release.ClassSearch:
		return metrics.Search
	}
	return metrics.List
}

// requestID is the client's id if it is valid, else a new one. It stays the same for a
// request.
func (s *Server) requestID(ctx *fasthttp.RequestCtx) string {
	if id, ok := ctx.UserValue(idKey{}).(string); ok {
		return id
	}
	id := s.validID(ctx.Request.Header.Peek(release.RequestIDHeader))
	ctx.SetUserValue(idKey{}, id)
	return id
}

// validID is the client's id if it is valid, else a new one.
func (s *Server) validID(sent []byte) string {
	if logs.ValidID(sent) {
		return string(sent)
	}
	return s.ids.New()
}

// uncached reports whether no cache may store a response.
func uncached(resp *fasthttp.Response) bool {
	return bytes.Contains(resp.Header.Peek("Cache-Control"), []byte("no-store"))
}
