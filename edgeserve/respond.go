// This file writes responses through Fiber: cached ones, computed ones, and problems.

package edgeserve

import (
	"bytes"
	"errors"
	"net"
	"slices"
	"strconv"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/contentcoding"
	"contentedge/edgeserve/envelope"
	"contentedge/edgeserve/fastpath"
	"contentedge/edgeserve/netlimit"
	"contentedge/edgeserve/release"
	"contentedge/edgeserve/respcache"
)

// reply sends a response, or a problem if there is one.
func (s *Server) reply(ctx *fasthttp.RequestCtx, a *respcache.Response, p *problem) {
	if p != nil {
		s.fail(ctx, p)
	} else {
		s.send(ctx, a)
	}
}

// send sends a response, which is held if it is large. fasthttp reads a cached body in place:
// it is on the heap and never changes.
func (s *Server) send(ctx *fasthttp.RequestCtx, a *respcache.Response) {
	body, some := s.describe(ctx, a)
	drop := func() { s.responses.Release(a, netlimit.Client(ctx.RemoteAddr())) }
	switch {
	case a.Disk != nil:
		sendDisk(ctx, a.Disk, some)
	case !some:
		if a.IsLarge() {
			drop()
		}
	case a.Head == nil && !a.IsLarge():
		ctx.Response.SetBody(body) // it lies in the request's buffer
	case !a.IsLarge():
		ctx.Response.SetBodyRaw(body)
	case ctx.IsHead():
		ctx.Response.SetBodyRaw(body) // only its length is sent
		drop()
	default:
		client := netlimit.Client(ctx.RemoteAddr())
		sendHeld(ctx, body, func() { s.responses.Release(a, client) })
	}
}

// describe sets the status and the fields of a response. It returns the part of the body to
// send, if any.
func (s *Server) describe(ctx *fasthttp.RequestCtx, a *respcache.Response) (body []byte, ok bool) {
	a.SetFields(&ctx.Response.Header)
	s.headers.allowOrigin(ctx)
	if !ifMatch(ctx, a.ETag) {
		s.fail(ctx, errNoMatch)
		return nil, false
	}
	if ifNoneMatch(ctx, a.ETag) {
		return nil, false
	}
	body = a.Body
	switch p, from, to := requestedRange(ctx, a); p {
	case unsatisfiable:
		s.fail(ctx, errRange)
		ctx.Response.Header.Set("Content-Range", "bytes */"+strconv.Itoa(a.Length()))
		return nil, false
	case some:
		ctx.Response.SetStatusCode(fasthttp.StatusPartialContent)
		ctx.Response.Header.SetContentRange(from, to-1, a.Length())
		if a.Disk != nil {
			a.Disk.Cut(from, to)
		} else {
			body = body[from:to]
		}
	}
	a.SetBodyFields(&ctx.Response.Header)
	return body, true
}

// requestedRange reads which part of the body a GET requests.
func requestedRange(ctx *fasthttp.RequestCtx, a *respcache.Response) (p part, from, to int) {
	h := &ctx.Request.Header
	ranges := h.PeekAll("Range")
	if len(ranges) != 1 || !h.IsGet() {
		return whole, 0, 0
	}
	p, from, to = parseRange(ranges[0], a.Length())
	if condition := h.Peek("If-Range"); len(condition) > 0 && !bytes.Equal(condition, a.ETag) {
		return whole, 0, 0
	}
	return p, from, to
}

// acceptEncoding reads which codings the client accepts.
func acceptEncoding(ctx *fasthttp.RequestCtx) (a contentcoding.Accept) {
	for _, line := range ctx.Request.Header.PeekAll("Accept-Encoding") {
		a.Read(line)
	}
	return a
}

// ifMatch reports whether If-Match allows the response: it is absent, names the tag by strong
// comparison, or is *.
func ifMatch(ctx *fasthttp.RequestCtx, etag []byte) bool {
	values := ctx.Request.Header.PeekAll("If-Match")
	for _, value := range values {
		if matchesStrongly(value, etag) {
			return true
		}
	}
	return len(values) == 0
}

// ifNoneMatch sets the tag and, if the client has that body already, makes the response a 304.
// It does so for searches too, which change nothing although they are POSTs.
func ifNoneMatch(ctx *fasthttp.RequestCtx, etag []byte) bool {
	ctx.Response.Header.SetCanonical(respcache.ETagName, etag)
	for _, value := range ctx.Request.Header.PeekAll("If-None-Match") {
		if matchesTag(value, etag) {
			ctx.Response.SetStatusCode(fasthttp.StatusNotModified)
			ctx.Response.Header.SetContentType("")
			ctx.Response.Header.SetContentEncoding("")
			return true
		}
	}
	return false
}

// setClassFields sets the fields of all responses of a class, and X-Release unless it is set.
func (s *Server) setClassFields(ctx *fasthttp.RequestCtx, class release.Class) {
	s.headers.begin(ctx, class)
	if len(ctx.Response.Header.Peek(release.Header)) > 0 {
		return
	}
	if g := s.acquire(); g != nil {
		ctx.Response.Header.Set(release.Header, g.Build())
		g.Release()
	}
}

// fail sends a problem.
func (s *Server) fail(ctx *fasthttp.RequestCtx, p *problem) {
	s.failAs(ctx, p, release.ErrorClass(p.Status))
}

// failAs is fail with a class of Cache-Control.
func (s *Server) failAs(ctx *fasthttp.RequestCtx, p *problem, class release.Class) {
	s.setClassFields(ctx, class)
	resp := &ctx.Response
	resp.SetStatusCode(p.Status)
	if p.Status == fasthttp.StatusServiceUnavailable {
		resp.Header.Set("Retry-After", release.RetryAfter)
	}
	// Fields that describe a body are not true of a problem's.
	resp.Header.SetContentEncoding("")
	for _, name := range [...]string{"ETag", "Link", "Accept-Ranges"} {
		resp.Header.Del(name)
	}
	resp.SwapBody(envelope.AppendError(resp.SwapBody(nil)[:0], *p))
}

// refuse answers a malformed request and ends the connection, as nobody knows where the next
// request begins. No cache may store the response: its key would be the target, and the fault
// may be in a header.
func (s *Server) refuse(ctx *fasthttp.RequestCtx, p *problem) {
	s.failAs(ctx, p, release.ClassError)
	ctx.SetConnectionClose()
}

// rawRefusal is a whole refusal that is sent without reading a request. It has no Date, as it
// is made once.
func (s *Server) rawRefusal(p *problem) []byte {
	var ctx fasthttp.RequestCtx
	s.refuse(&ctx, p)
	line, fields, body := cutResponse(&ctx.Response)
	return slices.Concat([]byte(line), fields, []byte("\r\n"), body)
}

// rawResponse is a response as fasthttp would send it.
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

// sendOptions answers OPTIONS, and with it the preflights of browsers. Pages that may read
// responses may send every header.
func (s *Server) sendOptions(ctx *fasthttp.RequestCtx, allow string) {
	s.setClassFields(ctx, release.ClassError)
	h := &ctx.Response.Header
	h.Set("Allow", allow)
	h.Set("Vary", s.headers.vary+", "+release.RequestHeaders)
	if len(h.Peek("Access-Control-Allow-Origin")) > 0 {
		h.Set("Access-Control-Allow-Methods", allow)
		h.SetBytesV("Access-Control-Allow-Headers", allowedHeaders(ctx.Request.Header.PeekAll(release.RequestHeaders)))
		h.Set("Access-Control-Max-Age", release.PreflightAge)
	}
	ctx.Response.SetStatusCode(fasthttp.StatusNoContent)
}

// sendHealth answers a probe.
func (s *Server) sendHealth(ctx *fasthttp.RequestCtx, word string) {
	s.sendData(ctx, strconv.AppendQuote(nil, word))
}

// sendData sends a value that no cache may store.
func (s *Server) sendData(ctx *fasthttp.RequestCtx, data []byte) {
	s.setClassFields(ctx, release.ClassError)
	ctx.Response.SwapBody(envelope.AppendItem(ctx.Response.SwapBody(nil)[:0], data))
}

// parseError answers what fasthttp could not read. Its error texts quote the request, so only
// the kind of error counts.
func (s *Server) parseError(ctx *fasthttp.RequestCtx, err error) {
	var netErr net.Error
	switch {
	case errors.As(err, new(*fasthttp.ErrSmallBuffer)):
		s.refuse(ctx, errHeadSize)
	case errors.Is(err, fasthttp.ErrBodyTooLarge), errors.Is(err, fastpath.ErrTooLong):
		s.refuse(ctx, errBodySize)
	case errors.Is(err, fastpath.ErrNoMemory):
		s.refuse(ctx, errOverload)
	case errors.As(err, &netErr) && netErr.Timeout():
		s.refuse(ctx, errTimeout)
	default:
		s.refuse(ctx, errBadRequest)
	}
	s.observeUnrouted(ctx)
}

// fiberError answers an error of Fiber itself. All routes are ours, so it is a fault of the
// server.
func (s *Server) fiberError(c *fiber.Ctx, err error) error {
	s.log.Error("engine failed", "request_id", s.requestID(c.Context()), "error", err)
	s.fail(c.Context(), errInternal)
	return nil
}
