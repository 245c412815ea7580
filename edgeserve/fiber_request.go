// This file checks and receives requests for Fiber. Faults of a head end the connection. Bodies get
// memory as they arrive; fasthttp itself would allocate their announced length.

package edgeserve

import (
	"bytes"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/serve/fastpath"
	"contentedge/edgeserve/serve/httphead"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
)

const chunkedLength = -1 // fasthttp's length of a chunked body

// headerReceived decides about the body once the head is read. A request rejected by its head does
// not wait for a body, and its connection ends. Others have ServerConfig.ReadTimeout.
func (a *fiberAdapter) headerReceived(h *fasthttp.RequestHeader) (c fasthttp.RequestConfig) {
	if n := h.ContentLength(); n <= 0 && n != chunkedLength {
		return c
	}
	_, refusal := checkHead(h, a.bodyLimit)
	if refusal != nil || a.shared.rejects(string(h.Method()), string(h.RequestURI())) {
		h.SetContentLength(0) // what was sent stays in its raw form
		h.Del(fasthttp.HeaderExpect)
		h.SetConnectionClose()
		return c
	}
	c.ReadTimeout = a.bodyTime
	return c
}

// rejects reports whether a request is refused whatever its body is: by its address or method.
// ServerConfig.Fallback reads the body before it decides.
func (a *adapter) rejects(method, target string) bool {
	_, allow, known := address.AllowOf(target)
	return !address.Takes(allow, method) && (known || a.fallback == nil)
}

// readBody reads a body into memory that grows as it arrives. taken is the memory it took.
func (a *fiberAdapter) readBody(ctx *fasthttp.RequestCtx) (taken int64, p *problem.Problem) {
	from := ctx.RequestBodyStream()
	if from == nil {
		return 0, nil
	}
	length := ctx.Request.Header.ContentLength()
	limit := a.bodyLimit
	if length != chunkedLength {
		limit = min(limit, length)
	}
	body, taken, err := a.requests.Receive(from, limit)
	switch {
	case err != nil:
		p = unread(err)
	case length != chunkedLength && len(body) < length:
		p = problem.Of(problem.BadRequest) // the stream's end came first
	case length == chunkedLength && fastpath.ReadEOF(ctx.Conn()):
		p = problem.Of(problem.BadRequest) // fasthttp takes the client's EOF for the end of the last chunk
	}
	ctx.Request.SetBodyRaw(body)
	return taken, p
}

// chunksUnchecked reports whether only fasthttp finds the end of a chunked body. It accepts ends that other readers do
// not accept, and they may then see other requests after the body: the connection must end.
func chunksUnchecked(ctx *fasthttp.RequestCtx) bool {
	return ctx.Request.Header.ContentLength() == chunkedLength && !fastpath.EndIsKnown(ctx.Conn())
}

var refusals = map[httphead.Fault]*problem.Problem{
	httphead.Fields: problem.Of(problem.BadHeader), httphead.Version: problem.Of(problem.BadHTTPVersion), httphead.Host: problem.Of(problem.BadHost), httphead.Framing: problem.Of(problem.BadFraming),
}

// checkHead returns the refusal of a head, nil if it is sound, and whether the client wants the
// connection closed. limit is the length of the longest body.
func checkHead(h *fasthttp.RequestHeader, limit int) (closing bool, refusal *problem.Problem) {
	var f httphead.Head
	if !f.Read(h.RawHeaders()) {
		return false, problem.Of(problem.BadHeader)
	}
	if bytes.IndexByte(h.RequestURI(), '#') >= 0 {
		return false, problem.Of(problem.BadTarget)
	}
	if fault := f.Judge(string(h.Protocol())); fault != httphead.None {
		return false, refusals[fault]
	}
	if f.Length > limit {
		return false, problem.Of(problem.BodyTooLarge)
	}
	return f.Close, nil
}

// allowedHost reports whether a request is for one of the hosts.
func allowedHost(hosts httphead.Hosts, ctx *fasthttp.RequestCtx) bool {
	head := &ctx.Request.Header
	return hosts.AllowRequest(head.Host(), head.RequestURI())
}
