// This file writes answers: the headers that every one carries, and the three kinds of
// body (a file's, one built for the request, a problem's).

package edgeserve

import (
	"bufio"
	"bytes"
	"errors"
	"net"
	"strconv"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/envelope"
	"contentedge/edgeserve/release"
)

// What every answer says, whatever it is.
const (
	contentType = "application/json"
	vary        = "Accept-Encoding"
	// exposed lists the headers that a page of another origin may read.
	exposed = "ETag, Content-Length, Retry-After, Allow"
	// retryAfter is in seconds: what stands in the way is gone by then or stays.
	retryAfter = "1"
	// preflightAge lets a browser skip the preflight of its searches for a day.
	preflightAge = "86400"
)

// begin sets the headers of every answer.
func begin(resp *fasthttp.Response, cacheControl string) {
	h := &resp.Header
	h.SetContentType(contentType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Vary", vary)
	h.Set("Cache-Control", cacheControl)
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", exposed)
}

// sendPage answers with a file. The engine sends the page's own bytes: they are on
// the heap and never change.
func sendPage(ctx *fasthttp.RequestCtx, class release.Class, p *page) {
	begin(&ctx.Response, release.CacheControl(class))
	if !unchanged(ctx, p.etag) {
		ctx.Response.SetBodyRaw(p.body)
	}
}

// sendBuilt answers with a body that was built in the response's buffer, which
// bodyBuffer gave.
func sendBuilt(ctx *fasthttp.RequestCtx, class release.Class, body []byte) {
	begin(&ctx.Response, release.CacheControl(class))
	if unchanged(ctx, release.ETag(body)) {
		body = body[:0]
	}
	ctx.Response.SwapBody(body)
}

// bodyBuffer lends the response's own buffer, so that a body is copied once, from the
// snapshot into it.
func bodyBuffer(ctx *fasthttp.RequestCtx) []byte { return ctx.Response.SwapBody(nil)[:0] }

// unchanged sets the tag and, if the client has that body already, makes the answer a
// 304. It does so for searches too: they change nothing, whatever their method.
func unchanged(ctx *fasthttp.RequestCtx, etag string) bool {
	ctx.Response.Header.Set("ETag", etag)
	for _, value := range ctx.Request.Header.PeekAll("If-None-Match") {
		if matchesTag(value, etag) {
			ctx.Response.SetStatusCode(fasthttp.StatusNotModified)
			return true
		}
	}
	return false
}

// fail answers with a problem.
func fail(ctx *fasthttp.RequestCtx, p *problem) { writeProblem(&ctx.Response, p) }

func writeProblem(resp *fasthttp.Response, p *problem) {
	begin(resp, release.CacheControl(release.ErrorClass(p.Status)))
	resp.SetStatusCode(p.Status)
	if p.Status == fasthttp.StatusServiceUnavailable {
		resp.Header.Set("Retry-After", retryAfter)
	}
	resp.SwapBody(envelope.AppendError(resp.SwapBody(nil)[:0], *p))
}

// refuse answers a request that was not understood and ends the connection: where the
// next request begins on it is anyone's guess.
func refuse(ctx *fasthttp.RequestCtx, p *problem) {
	fail(ctx, p)
	ctx.SetConnectionClose()
}

// rawAnswer is a whole response that is sent without a request having been read.
func rawAnswer(p *problem) []byte {
	var resp fasthttp.Response
	writeProblem(&resp, p)
	resp.SetConnectionClose()
	resp.Header.SetServer("")
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	if resp.Write(w) != nil || w.Flush() != nil {
		return nil // a bytes.Buffer does not fail
	}
	return b.Bytes()
}

// sendOptions answers OPTIONS and with it the preflight of browsers.
func sendOptions(ctx *fasthttp.RequestCtx, allow string) {
	begin(&ctx.Response, release.CacheControl(release.ClassError))
	h := &ctx.Response.Header
	h.Set("Allow", allow)
	h.Set("Access-Control-Allow-Methods", allow)
	h.Set("Access-Control-Allow-Headers", "*")
	h.Set("Access-Control-Max-Age", preflightAge)
	ctx.Response.SetStatusCode(fasthttp.StatusNoContent)
}

// sendHealth answers a probe.
func sendHealth(ctx *fasthttp.RequestCtx, word string) {
	begin(&ctx.Response, release.CacheControl(release.ClassError))
	ctx.Response.SwapBody(envelope.AppendItem(bodyBuffer(ctx), strconv.AppendQuote(nil, word)))
}

// engineError answers what the engine could not read. Its texts quote the request, so
// only the kind of error counts.
func (s *Server) engineError(ctx *fasthttp.RequestCtx, err error) {
	var netErr net.Error
	switch {
	case errors.As(err, new(*fasthttp.ErrSmallBuffer)):
		refuse(ctx, errHeadSize)
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		refuse(ctx, errBodySize)
	case errors.As(err, &netErr) && netErr.Timeout():
		refuse(ctx, errTimeout)
	default:
		refuse(ctx, errBadRequest)
	}
}

// expect decides on a body that the client offers before it sends it.
func (s *Server) expect(ctx *fasthttp.RequestCtx) int {
	if ctx.Request.Header.ContentLength() <= s.cfg.BodyLimit {
		return fasthttp.StatusContinue
	}
	refuse(ctx, errBodySize)
	return errBodySize.Status
}

// fiberError answers an error that Fiber itself raises; every route is ours, so it
// means that something is wrong here.
func (s *Server) fiberError(c *fiber.Ctx, err error) error {
	s.log.Error("engine failed", "error", err)
	fail(c.Context(), errInternal)
	return nil
}
