// This file computes responses for the fast path that are not cached. It must send what
// Fiber's routes send to the same request.

package edgeserve

import (
	"bufio"
	"bytes"
	"net/netip"
	"runtime/debug"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/fastpath"
	"contentedge/edgeserve/netlimit"
	"contentedge/edgeserve/release"
	"contentedge/edgeserve/respcache"
)

// responseBuffer is memory for the head of a response that is sent once, and for its body if
// that is short.
type responseBuffer struct {
	body  []byte
	head  respcache.Lines
	large *respcache.Response // released with the buffer; nil: none

	memory  *respcache.Budget // that large is held in,
	client  netip.Addr        // for this client
	release func()            // free, made once
}

var responseBuffers sync.Pool

func newResponseBuffer() *responseBuffer {
	r, ok := responseBuffers.Get().(*responseBuffer)
	if !ok {
		r = new(responseBuffer)
		r.release = r.free
	}
	return r
}

// free gives the buffer back to the pool.
func (r *responseBuffer) free() {
	if r.large != nil {
		r.memory.Release(r.large, r.client)
		r.large = nil
	}
	if cap(r.body) >= 2*respcache.LargeBody {
		r.body = nil // too long to be pooled
	}
	responseBuffers.Put(r)
}

// computeFast computes a response, or finds a large one. It leaves to Fiber what must wait,
// and what is no request for content.
func (s *Server) computeFast(r *fastpath.Request, since time.Time, leaveLoop func()) (w fastpath.Response, ok bool) {
	if s.contentError.Load() != nil {
		return w, false
	}
	g := s.acquire()
	if g == nil {
		return w, false
	}
	defer g.Release()
	if !validTarget(r.Target) {
		return w, false
	}
	path, query := splitTarget(string(r.Target))
	route, known := address.ParsePath(path)
	reader := g.Readers[route.Env]
	if !known || reader == nil || r.Post != (route.Kind == address.Search) {
		return w, false
	}
	c := request{
		server: s, gen: g, reader: reader, env: route.Env, client: netlimit.Client(r.From), buffer: newResponseBuffer(),
		target: r.Target, body: r.Body, since: since, leaveLoop: leaveLoop,
	}
	c.accept.Read(r.AcceptEncoding)
	debug.SetPanicOnFault(true) // see strict
	a, p := c.content(route, query)
	if c.cause != nil {
		s.searchFailed(&c, s.fastRequestID(r, &w))
	}
	w.Route = uint8(routeOfKind(route.Kind))
	switch {
	case p == errWouldBlock:
		c.buffer.free()
		return w, false
	case p != nil:
		c.buffer.free()
		s.failFast(&w, r, g, p)
	case a.Head == nil || a.IsLarge():
		c.buffer.fill(&w, r, a, s.responses, c.client)
	default:
		c.buffer.free()
		fillFast(&w, r, a, a.Head, a.NotModifiedFrom)
	}
	return w, true
}

// failFast fills in a problem. fasthttp encodes it: problems are rare.
func (s *Server) failFast(w *fastpath.Response, r *fastpath.Request, g *served, p *problem) {
	var ctx fasthttp.RequestCtx
	ctx.Response.Header.Set(release.Header, g.Build())
	ctx.SetUserValue(idKey{}, s.fastRequestID(r, w))
	s.fail(&ctx, p)
	s.setErrorID(&ctx)
	w.Status = p.Status
	w.StatusLine, w.Fields, w.Body = cutResponse(&ctx.Response)
	if r.Head {
		w.Body = nil
	}
}

// errorResponse is the whole response to a request that could not be read or that panicked.
// There is none for a request that was answered.
func (s *Server) errorResponse(why error) []byte {
	var ctx fasthttp.RequestCtx
	if fault, ok := why.(*fastpath.Panic); ok {
		if fault.Request == nil {
			s.panicked(fault.Cause, s.ids.New(), nil, nil)
			return nil
		}
		id := s.validID(fault.Request.ID)
		ctx.SetUserValue(idKey{}, id)
		s.refuse(&ctx, s.panicked(fault.Cause, id, methodOf(fault.Request), fault.Request.Target))
		s.observeUnrouted(&ctx)
		return rawResponse(&ctx.Response)
	}
	if fault, ok := why.(*fastpath.BodyError); ok {
		// Fields that the response repeats, such as the request id, stand in the head. If
		// fasthttp cannot read it, the response has none.
		_ = ctx.Request.Header.Read(bufio.NewReaderSize(bytes.NewReader(fault.Head), len(fault.Head)))
	}
	s.parseError(&ctx, why)
	return rawResponse(&ctx.Response)
}

// validTarget reports whether a target has no byte that fasthttp or checkHead refuses.
func validTarget(target []byte) bool {
	for _, c := range target {
		if c < ' ' || c == 0x7f || c == '#' {
			return false
		}
	}
	return true
}

// fill fills in a response that is sent once or held. The buffer is freed once it is sent.
func (r *responseBuffer) fill(w *fastpath.Response, req *fastpath.Request, a *respcache.Response, m *respcache.Budget, client netip.Addr) {
	if a.IsLarge() {
		r.large, r.memory, r.client = a, m, client
	}
	head, shared := a.Head, a.NotModifiedFrom
	if head == nil {
		r.head = r.head[:0]
		shared = a.AppendHead(&r.head)
		head = r.head
	}
	fillFast(w, req, a, head, shared)
	w.Done = r.release
}
