// This file writes answers: prepared ones, those built for the request, and problems.

package edgeserve

import (
	"bytes"
	"errors"
	"net"
	"slices"
	"strconv"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/encoding"
	"contentedge/edgeserve/envelope"
	"contentedge/edgeserve/release"
)

// reply answers with an answer, or with a problem if there is one.
func (s *Server) reply(ctx *fasthttp.RequestCtx, a *answer, p *problem) {
	if p != nil {
		s.fail(ctx, p)
	} else {
		s.send(ctx, a)
	}
}

// send answers with an answer, which is held if it is large. The engine sends the bytes
// of one that is kept: they are on the heap and never change.
func (s *Server) send(ctx *fasthttp.RequestCtx, a *answer) {
	body, some := s.describe(ctx, a)
	switch {
	case !some:
		if a.large() {
			s.memory.drop(a)
		}
	case a.head == nil && !a.large():
		ctx.Response.SetBody(body) // it lies in a room
	case !a.large():
		ctx.Response.SetBodyRaw(body)
	case ctx.IsHead():
		ctx.Response.SetBodyRaw(body) // only its length is sent
		s.memory.drop(a)
	default:
		sendHeld(ctx, body, func() { s.memory.drop(a) })
	}
}

// describe sets the status and the head of an answer and gives the part of its body
// that is to be sent, if any is.
func (s *Server) describe(ctx *fasthttp.RequestCtx, a *answer) (body []byte, ok bool) {
	a.fill(&ctx.Response.Header)
	s.headers.allowOrigin(ctx)
	if !stillMatches(ctx, a.etag) {
		s.fail(ctx, errNoMatch)
		return nil, false
	}
	if unchanged(ctx, a.etag) {
		return nil, false
	}
	body = a.body
	switch p, from, to := wanted(ctx, a); p {
	case unsatisfiable:
		s.fail(ctx, errRange)
		ctx.Response.Header.Set("Content-Range", "bytes */"+strconv.Itoa(len(body)))
		return nil, false
	case some:
		ctx.Response.SetStatusCode(fasthttp.StatusPartialContent)
		ctx.Response.Header.SetContentRange(from, to-1, len(body))
		body = body[from:to]
	}
	a.describe(&ctx.Response.Header)
	return body, true
}

// wanted reads which part of an answer a GET asks for.
func wanted(ctx *fasthttp.RequestCtx, a *answer) (p part, from, to int) {
	h := &ctx.Request.Header
	ranges := h.PeekAll("Range")
	if len(ranges) != 1 || !h.IsGet() {
		return whole, 0, 0
	}
	p, from, to = parseRange(ranges[0], len(a.body))
	if condition := h.Peek("If-Range"); len(condition) > 0 && !bytes.Equal(condition, a.etag) {
		return whole, 0, 0
	}
	return p, from, to
}

// accepted reads which codings the client takes.
func accepted(ctx *fasthttp.RequestCtx) (a encoding.Accept) {
	for _, line := range ctx.Request.Header.PeekAll("Accept-Encoding") {
		a.Read(line)
	}
	return a
}

// stillMatches reports whether an answer is one that the client accepts by If-Match, if it
// says so: one of the tags, by strong comparison, or any.
func stillMatches(ctx *fasthttp.RequestCtx, etag []byte) bool {
	values := ctx.Request.Header.PeekAll("If-Match")
	for _, value := range values {
		if matchesStrongly(value, etag) {
			return true
		}
	}
	return len(values) == 0
}

// unchanged sets the tag and, if the client has that body already, makes the answer a
// 304. It does so for searches too: they change nothing, whatever their method.
func unchanged(ctx *fasthttp.RequestCtx, etag []byte) bool {
	ctx.Response.Header.SetCanonical(etagName, etag)
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

// begin sets the fields of every answer of a class, and says which release is served where
// the answer comes from none that it names.
func (s *Server) begin(ctx *fasthttp.RequestCtx, class release.Class) {
	s.headers.begin(ctx, class)
	if len(ctx.Response.Header.Peek(release.Header)) > 0 {
		return
	}
	if g := s.acquire(); g != nil {
		ctx.Response.Header.Set(release.Header, g.Build())
		g.Release()
	}
}

// fail answers with a problem.
func (s *Server) fail(ctx *fasthttp.RequestCtx, p *problem) {
	s.failAs(ctx, p, release.ErrorClass(p.Status))
}

// failAs is fail with the class that caches see.
func (s *Server) failAs(ctx *fasthttp.RequestCtx, p *problem, class release.Class) {
	s.begin(ctx, class)
	resp := &ctx.Response
	resp.SetStatusCode(p.Status)
	if p.Status == fasthttp.StatusServiceUnavailable {
		resp.Header.Set("Retry-After", release.RetryAfter)
	}
	// What an answer says of its body is not true of a problem's.
	resp.Header.SetContentEncoding("")
	for _, name := range [...]string{"ETag", "Link", "Accept-Ranges"} {
		resp.Header.Del(name)
	}
	resp.SwapBody(envelope.AppendError(resp.SwapBody(nil)[:0], *p))
}

// refuse answers a request that was not understood and ends the connection: where the
// next request begins on it is anyone's guess. No cache is to keep that: it goes by the
// target, which may be sound, where it was a header that was not.
func (s *Server) refuse(ctx *fasthttp.RequestCtx, p *problem) {
	s.failAs(ctx, p, release.ClassError)
	ctx.SetConnectionClose()
}

// rawRefusal is a whole refusal that is sent without a request having been read. It has no
// date, as it is sent for as long as the server lives.
func (s *Server) rawRefusal(p *problem) []byte {
	var ctx fasthttp.RequestCtx
	s.refuse(&ctx, p)
	line, fields, body := cutResponse(&ctx.Response)
	return slices.Concat([]byte(line), fields, []byte("\r\n"), body)
}

// rawResponse is a response as the engine would send it.
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

// sendOptions answers OPTIONS and with it the preflight of browsers. All headers are
// allowed, to pages that may read the answer.
func (s *Server) sendOptions(ctx *fasthttp.RequestCtx, allow string) {
	s.begin(ctx, release.ClassError)
	h := &ctx.Response.Header
	h.Set("Allow", allow)
	h.Set("Vary", s.headers.vary+", "+release.AskedHeaders)
	if len(h.Peek("Access-Control-Allow-Origin")) > 0 {
		h.Set("Access-Control-Allow-Methods", allow)
		h.SetBytesV("Access-Control-Allow-Headers", allowedHeaders(ctx.Request.Header.PeekAll(release.AskedHeaders)))
		h.Set("Access-Control-Max-Age", release.PreflightAge)
	}
	ctx.Response.SetStatusCode(fasthttp.StatusNoContent)
}

// sendHealth answers a probe.
func (s *Server) sendHealth(ctx *fasthttp.RequestCtx, word string) {
	s.sendData(ctx, strconv.AppendQuote(nil, word))
}

// sendData answers with a value that no cache may keep.
func (s *Server) sendData(ctx *fasthttp.RequestCtx, data []byte) {
	s.begin(ctx, release.ClassError)
	ctx.Response.SwapBody(envelope.AppendItem(ctx.Response.SwapBody(nil)[:0], data))
}

// engineError answers what the engine could not read. Its texts quote the request, so
// only the kind of error counts.
func (s *Server) engineError(ctx *fasthttp.RequestCtx, err error) {
	var netErr net.Error
	switch {
	case errors.As(err, new(*fasthttp.ErrSmallBuffer)):
		s.refuse(ctx, errHeadSize)
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		s.refuse(ctx, errBodySize)
	case errors.As(err, &netErr) && netErr.Timeout():
		s.refuse(ctx, errTimeout)
	default:
		s.refuse(ctx, errBadRequest)
	}
	s.unread(ctx)
}

// expect decides on a body that the client offers before it sends it.
func (s *Server) expect(ctx *fasthttp.RequestCtx) int {
	if ctx.Request.Header.ContentLength() <= s.cfg.BodyLimit {
		return fasthttp.StatusContinue
	}
	s.refuse(ctx, errBodySize)
	s.unread(ctx)
	return errBodySize.Status
}

// fiberError answers an error that Fiber itself raises; every route is ours, so it
// means that something is wrong here.
func (s *Server) fiberError(c *fiber.Ctx, err error) error {
	s.log.Error("engine failed", "request_id", s.requestID(c.Context()), "error", err)
	s.fail(c.Context(), errInternal)
	return nil
}
