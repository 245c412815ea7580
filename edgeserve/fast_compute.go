// This file computes uncached responses for the fast path. They must equal the responses of Fiber's routes.

package edgeserve

import (
	"bufio"
	"bytes"
	"net"
	"runtime/debug"
	"time"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/serve/clientnet"
	"contentedge/edgeserve/serve/delivery"
	"contentedge/edgeserve/serve/fastpath"
	"contentedge/edgeserve/serve/respcache"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/problem"
)

// compute answers requests for content. It leaves all others to Fiber, and all requests while it has no release.
func (a *fastAdapter) compute(r *fastpath.Request, since time.Time, leaveLoop func()) (w fastpath.Response, ok bool) {
	if a.observe.contentError.current.Load() != nil {
		return w, false
	}
	served := a.shared.current.Acquire()
	if served == nil {
		return w, false
	}
	defer served.Generation.Release()
	if !validTarget(r.Target) {
		return w, false
	}
	path, query := address.SplitTarget(string(r.Target))
	route, known := address.ParsePath(path)
	if !r.Post {
		route = route.ForGET(query)
	}
	if !known || r.Post && !route.Kind.TakesBody() {
		return w, false
	}
	if p := a.observe.clients.takeFast(r); p != nil {
		w.Route, w.Release = uint8(routeOfKind(route.Kind)), served.Generation.Dir.Build()
		a.fail(&w, r, served, p)
		return w, true
	}
	buffer := newResponseBuffer()
	request := delivery.Request{
		Client: a.observe.clients.fastIdentity(r), Exempt: a.observe.clients.limits.IsExempt(a.observe.clients.fastAddress(r)), Target: r.Target, Body: r.Body, Buffer: &buffer.body, Since: since, LeaveLoop: leaveLoop,
	}
	request.Accept.Read(r.AcceptEncoding)
	debug.SetPanicOnFault(true) // see strict
	response, p := served.Respond(&request, route, query)
	if request.Cause != nil {
		a.shared.searchFailed(request.Cause, route.Env, a.fastRequestID(r, &w))
	}
	w.Route, w.Release, w.Source = uint8(routeOfKind(route.Kind)), served.Generation.Dir.Build(), uint8(request.Source)
	switch {
	case p != nil:
		buffer.free()
		a.fail(&w, r, served, p)
	case response.Head == nil || response.IsLarge():
		buffer.fill(&w, r, served, response, a.respond.memory, request.Client)
	default:
		buffer.free()
		fillFast(&w, r, served, response, response.Head, response.NotModifiedFrom)
	}
	return w, true
}

// fail fills in a problem. fasthttp encodes it: problems are rare.
func (a *fastAdapter) fail(w *fastpath.Response, r *fastpath.Request, served *delivery.Served, p *problem.Problem) {
	var ctx fasthttp.RequestCtx
	ctx.Response.Header.Set(httpfield.Release, served.Generation.Dir.Build())
	ctx.Request.Header.SetRequestURIBytes(r.Target)
	ctx.Request.Header.SetMethodBytes(methodOf(r))
	ctx.SetUserValue(idKey{}, a.fastRequestID(r, w))
	a.respond.fail(&ctx, p)
	a.observe.setErrorID(&ctx)
	w.Error = p.Code
	w.Status, w.Source = p.Status, uint8(delivery.FromNone)
	w.StatusLine, w.Fields, w.Body = cutResponse(&ctx.Response)
	if r.Head {
		w.Body = nil
	}
}

// errorResponse is the response to a request that could not be read or that panicked unanswered.
func (a *fastAdapter) errorResponse(why error, from net.Addr) []byte {
	var ctx fasthttp.RequestCtx
	ctx.SetRemoteAddr(from)
	if fault, ok := why.(*fastpath.Panic); ok {
		if fault.Request == nil {
			a.shared.panicked(fault.Cause, a.observe.ids.New(), nil, nil)
			return nil
		}
		id := a.observe.validID(fault.Request.ID)
		ctx.SetUserValue(idKey{}, id)
		a.respond.refuse(&ctx, a.shared.panicked(fault.Cause, id, methodOf(fault.Request), fault.Request.Target))
		a.observe.recordUnrouted(&ctx, nil)
		return rawResponse(&ctx.Response)
	}
	var received []byte
	switch fault := why.(type) {
	case *fastpath.ReadError:
		received = fault.Received
	case *fastpath.BodyError:
		received = fault.Head
		// The response repeats fields of the head, such as the request id, if fasthttp can read it.
		_ = ctx.Request.Header.Read(bufio.NewReaderSize(bytes.NewReader(fault.Head), len(fault.Head)))
	}
	a.shared.parseError(&ctx, why, received)
	return rawResponse(&ctx.Response)
}

// validTarget reports whether neither fasthttp nor checkHead refuses a byte of a target.
func validTarget(target []byte) bool {
	for _, c := range target {
		if c < ' ' || c == 0x7f || c == '#' {
			return false
		}
	}
	return true
}

// fill fills in a response that is sent once or held. Sending it frees the buffer.
func (b *responseBuffer) fill(w *fastpath.Response, r *fastpath.Request, served *delivery.Served, response *respcache.Response, memory *bodies.Budget, client clientnet.Client) {
	if response.IsLarge() {
		b.large, b.memory, b.client = response, memory, client
	}
	head, shared := response.Head, response.NotModifiedFrom
	if head == nil {
		b.head = b.head[:0]
		shared = response.Meta.AppendHead(&b.head, response.Length())
		head = b.head
	}
	fillFast(w, r, served, response, head, shared)
	w.Done = b.release
}
