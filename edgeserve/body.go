// This file receives request bodies for Fiber. fasthttp itself allocates their announced length.

package edgeserve

import (
	"errors"
	"io"
	"net"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/serve/delivery"
	"contentedge/edgeserve/serve/fastpath"
)

const (
	chunkedLength = -1      // fasthttp's length of a chunked body
	firstBody     = 4 << 10 // the memory that a body starts with, in bytes
)

// headerReceived decides about the body once the head is read. A request rejected by its head does
// not wait for a body, and its connection ends. Others have Config.ReadTimeout.
func (a *fiberAdapter) headerReceived(h *fasthttp.RequestHeader) (c fasthttp.RequestConfig) {
	if n := h.ContentLength(); n <= 0 && n != chunkedLength {
		return c
	}
	_, refusal := checkHead(h, a.bodyLimit)
	if refusal != nil || a.rejects(string(h.Method()), string(h.RequestURI())) {
		h.SetContentLength(0) // what was sent stays in its raw form
		h.Del(fasthttp.HeaderExpect)
		h.SetConnectionClose()
		return c
	}
	c.ReadTimeout = a.bodyTime
	return c
}

// rejects reports whether a request is refused whatever its body is: by its address or method.
// Config.Other reads the body before it decides.
func (a *adapter) rejects(method, target string) bool {
	_, allow, known := allowOfTarget(target)
	return !takes(allow, method) && (known || a.other == nil)
}

// readBody reads a body into memory that grows as it arrives. taken is the memory it took.
func (a *fiberAdapter) readBody(ctx *fasthttp.RequestCtx) (taken int64, p *delivery.Problem) {
	from := ctx.RequestBodyStream()
	if from == nil {
		return 0, nil
	}
	length := ctx.Request.Header.ContentLength()
	body, taken, p := a.gather(from, length)
	if p == nil && length != chunkedLength && len(body) < length {
		p = delivery.ErrBadRequest // the stream's end came first
	}
	if p == nil && length == chunkedLength && fastpath.ReadEOF(ctx.Conn()) {
		p = delivery.ErrBadRequest // fasthttp takes the client's EOF for the end of the last chunk
	}
	ctx.Request.SetBodyRaw(body)
	return taken, p
}

func (a *fiberAdapter) gather(from io.Reader, length int) (body []byte, taken int64, p *delivery.Problem) {
	limit := a.bodyLimit
	if length != chunkedLength {
		limit = min(limit, length)
	}
	for {
		if len(body) == cap(body) {
			size := min(max(2*cap(body), firstBody), limit+1) // one byte more to see the end
			if !a.requests.Resize(taken, int64(size)) {
				return nil, taken, delivery.ErrOverload
			}
			taken = int64(size)
			body = append(make([]byte, 0, size), body...)
		}
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case len(body) > limit:
			return nil, taken, delivery.ErrBodySize
		case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			return body, taken, nil
		case err != nil:
			return nil, taken, unreceived(err)
		}
	}
}

func unreceived(err error) *delivery.Problem {
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return delivery.ErrTimeout
	}
	return delivery.ErrBadRequest
}

// chunksUnchecked reports whether only fasthttp finds the end of a chunked body. It accepts ends
// that other readers do not, who may see other requests behind them: the connection must end.
func chunksUnchecked(ctx *fasthttp.RequestCtx) bool {
	return ctx.Request.Header.ContentLength() == chunkedLength && !fastpath.EndIsKnown(ctx.Conn())
}
