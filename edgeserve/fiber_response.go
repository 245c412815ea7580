// This file writes responses through fasthttp: cached ones, computed ones, and problems.

package edgeserve

import (
	"bytes"
	"errors"
	"net"
	"slices"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/serve/delivery"
	"contentedge/edgeserve/serve/respcache"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

type responder struct {
	current *delivery.Current // whose release a problem names
	fields  *respond.Fields
	memory  *bodies.Budget // of large responses
	clients clients
}

func (r *responder) reply(ctx *fasthttp.RequestCtx, response *respcache.Response, p *problem.Problem) {
	if p != nil {
		r.fail(ctx, p)
	} else {
		r.send(ctx, response)
	}
}

// send sends a response, and holds it if it is large. fasthttp reads a cached body in place: it is
// on the heap and never changes.
func (r *responder) send(ctx *fasthttp.RequestCtx, response *respcache.Response) {
	body, some := r.describe(ctx, response)
	drop := func() { response.Release(r.memory, r.clients.identity(ctx)) }
	switch {
	case response.Disk != nil:
		sendDisk(ctx, response.Disk, some)
	case !some:
		if response.IsLarge() {
			drop()
		}
	case response.Head == nil && !response.IsLarge():
		ctx.Response.SetBody(body) // it is in the request's buffer
	case !response.IsLarge():
		ctx.Response.SetBodyRaw(body)
	case ctx.IsHead():
		ctx.Response.SetBodyRaw(body) // only its length is sent
		drop()
	default:
		client := r.clients.identity(ctx)
		sendHeld(ctx, body, func() { response.Release(r.memory, client) })
	}
}

// describe sets the status and the fields. It returns the part of the body to send, if any.
func (r *responder) describe(ctx *fasthttp.RequestCtx, response *respcache.Response) (body []byte, ok bool) {
	h := &ctx.Response.Header
	selected := r.fields.Select(h, requestOf(ctx), &response.Meta, response.Length())
	if selected.Problem != nil {
		r.fail(ctx, selected.Problem)
		if selected.Status == fasthttp.StatusRequestedRangeNotSatisfiable {
			respond.SetUnsatisfied(h, response.Length())
		}
		return nil, false
	}
	h.SetStatusCode(selected.Status)
	switch {
	case selected.Status != fasthttp.StatusPartialContent:
		return response.Body, selected.Status == fasthttp.StatusOK
	case response.Disk != nil:
		response.Disk.Cut(selected.From, selected.To)
		return nil, true
	}
	return response.Body[selected.From:selected.To], true
}

// sendDisk sends a body from the disk, or only its fields, and closes it.
func sendDisk(ctx *fasthttp.RequestCtx, body *bodies.Disk, some bool) {
	if some && !ctx.IsHead() {
		ctx.Response.SetBodyStream(body, int(body.Size()))
		return
	}
	if some {
		ctx.Response.SkipBody = true
		ctx.Response.Header.SetContentLength(int(body.Size()))
	}
	_ = body.Close()
}

// heldBody is a body that fasthttp closes once it is written or given up.
type heldBody struct {
	bytes.Reader
	done func()
}

// Close gives the memory back.
func (b *heldBody) Close() error {
	if b.done != nil {
		b.done()
		b.done = nil
	}
	return nil
}

// sendHeld sends a body and calls done once its memory is no longer needed.
func sendHeld(ctx *fasthttp.RequestCtx, body []byte, done func()) {
	held := &heldBody{done: done}
	held.Reset(body)
	ctx.Response.SetBodyStream(held, len(body))
}

func acceptEncoding(ctx *fasthttp.RequestCtx) (accept contentcoding.Accept) {
	for _, line := range ctx.Request.Header.PeekAll(httpfield.AcceptEncoding) {
		accept.Read(line)
	}
	return accept
}

// setClassFields sets the fields of a class of responses.
func (r *responder) setClassFields(ctx *fasthttp.RequestCtx, class release.Class) {
	r.fields.Set(&ctx.Response.Header, class, &ctx.Request.Header)
	r.nameRelease(&ctx.Response)
}

// nameRelease sets X-Release to the current release, unless it is set.
func (r *responder) nameRelease(resp *fasthttp.Response) {
	if len(resp.Header.Peek(httpfield.Release)) > 0 {
		return
	}
	if g := r.current.Acquire(); g != nil {
		resp.Header.Set(httpfield.Release, g.Generation.Dir.Build())
		g.Generation.Release()
	}
}

func requestOf(ctx *fasthttp.RequestCtx) respond.Request {
	h := &ctx.Request.Header
	return respond.Request{Method: h.Method(), Target: h.RequestURI(), Fields: h}
}

func (r *responder) fail(ctx *fasthttp.RequestCtx, p *problem.Problem) {
	r.failAs(ctx, p, release.ErrorClass(p.Status))
}

func (r *responder) failAs(ctx *fasthttp.RequestCtx, p *problem.Problem, class release.Class) {
	resp := &ctx.Response
	resp.SetStatusCode(p.Status)
	setError(ctx, p.Code)
	resp.SwapBody(r.fields.SetProblem(&resp.Header, requestOf(ctx), class, p, resp.SwapBody(nil)[:0]))
	r.nameRelease(resp)
}

// refuse answers a malformed request and ends the connection: the beginning of the next request is unknown. No cache
// may store the response: its key would be the target, and the fault may be in a header.
func (r *responder) refuse(ctx *fasthttp.RequestCtx, p *problem.Problem) {
	r.failAs(ctx, p, release.ClassError)
	ctx.SetConnectionClose()
}

// rawRefusal is a refusal sent without reading a request. It is made once, so it has no Date.
func (r *responder) rawRefusal(p *problem.Problem) []byte {
	var ctx fasthttp.RequestCtx
	r.refuse(&ctx, p)
	line, fields, body := cutResponse(&ctx.Response)
	return slices.Concat([]byte(line), fields, []byte("\r\n"), body)
}

func rawResponse(resp *fasthttp.Response) []byte {
	body := resp.Body()
	resp.Header.SetServer("")
	resp.Header.SetContentLength(len(body))
	return append(resp.Header.Header(), body...)
}

// cutResponse is rawResponse in parts, without its date.
func cutResponse(resp *fasthttp.Response) (line string, fields, body []byte) {
	first, rest, _ := bytes.Cut(rawResponse(resp), []byte("\r\n"))
	fields, body, _ = bytes.Cut(rest, []byte("\r\n\r\n"))
	if date, others, _ := bytes.Cut(fields, []byte("\r\n")); bytes.HasPrefix(date, []byte("Date: ")) {
		fields = others
	}
	return string(first) + "\r\n", append(bytes.Clone(fields), "\r\n"...), body
}

func (r *responder) sendOptions(ctx *fasthttp.RequestCtx, allow string) {
	r.fields.SetPreflight(&ctx.Response.Header, allow, &ctx.Request.Header)
	r.nameRelease(&ctx.Response)
	ctx.Response.SetStatusCode(fasthttp.StatusNoContent)
}

func (r *responder) sendHealth(ctx *fasthttp.RequestCtx, word string) {
	resp := &ctx.Response
	resp.SwapBody(r.fields.SetHealth(&resp.Header, &ctx.Request.Header, word, resp.SwapBody(nil)[:0]))
	r.nameRelease(resp)
}

func (r *responder) sendData(ctx *fasthttp.RequestCtx, data []byte) {
	r.setClassFields(ctx, release.ClassError)
	ctx.Response.SwapBody(envelope.AppendItem(ctx.Response.SwapBody(nil)[:0], data))
}

// unread is the problem of a request that fasthttp could not read. Error texts quote the request,
// so only the kind of error counts.
func unread(err error) *problem.Problem {
	var netErr net.Error
	switch {
	case errors.As(err, new(*fasthttp.ErrSmallBuffer)):
		return problem.Of(problem.HeadTooLarge)
	case errors.Is(err, fasthttp.ErrBodyTooLarge), errors.Is(err, bodies.ErrTooLong):
		return problem.Of(problem.BodyTooLarge)
	case errors.Is(err, bodies.ErrNoMemory):
		return problem.Of(problem.Overloaded)
	case errors.As(err, &netErr) && netErr.Timeout():
		return problem.Of(problem.RequestTimeout)
	}
	return problem.Of(problem.BadRequest)
}

// reads reports whether a request is a GET or HEAD.
func reads(ctx *fasthttp.RequestCtx) bool { return ctx.IsGet() || ctx.IsHead() }
