// This file tells clients why newer content is not served, as in a preview with a half-saved file.

package edgeserve

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

// maxContentErrorValue bounds the header's value, in bytes: some lines, far below clients' limits.
const maxContentErrorValue = 1024

// ContentError is why the newest content is not served.
type ContentError struct {
	Code    string // stable, for programs
	Message string // for people: what is wrong and what to do
	// Diagnostics say where, most important first; may be empty. The caller bounds their size.
	Diagnostics []problem.Diagnostic
}

type preparedContentError struct {
	value   string           // of the header
	problem *problem.Problem // sent without a release
}

type contentError struct {
	current atomic.Pointer[preparedContentError]
}

// SetContentError has every response carry the error in the header httpfield.ContentError; nil ends that. Without a
// release, requests for content and the readiness probe are answered 503 with the whole error. With a release, the
// probe is answered 200 and has the error too.
//
// Meanwhile Fiber answers all requests, as prepared responses lack the header. So do refusals of connections.
func (s *Server) SetContentError(e *ContentError) {
	if e == nil {
		s.observer.contentError.current.Store(nil)
		return
	}
	p := &problem.Problem{Status: fasthttp.StatusServiceUnavailable, Code: e.Code, Message: e.Message, Position: -1, Diagnostics: e.Diagnostics}
	s.observer.contentError.current.Store(&preparedContentError{value: httpfield.PrintableText(e.first(), maxContentErrorValue), problem: p})
}

// first is the first place and its error, in one line.
func (e *ContentError) first() string {
	if len(e.Diagnostics) == 0 {
		line, _, _ := strings.Cut(e.Message, "\n")
		return line
	}
	switch d := &e.Diagnostics[0]; {
	case d.File == "":
		return d.Message
	case d.Line == 0:
		return d.File + ": " + d.Message
	default:
		return fmt.Sprintf("%s:%d:%d: %s", d.File, d.Line, d.Column, d.Message)
	}
}

func (c *contentError) notReady() *problem.Problem {
	if e := c.current.Load(); e != nil {
		return e.problem
	}
	return problem.Of(problem.NotReady)
}

func (a *fiberAdapter) sendReady(ctx *fasthttp.RequestCtx) {
	e := a.observe.contentError.current.Load()
	if e == nil {
		a.respond.sendHealth(ctx, respond.Ready)
		return
	}
	a.respond.setClassFields(ctx, release.ClassError)
	ctx.Response.SwapBody(envelope.AppendItemError(ctx.Response.SwapBody(nil)[:0], []byte(`"ready"`), *e.problem))
}

// setHeader adds the header, and exposes it to the pages that may read responses.
func (c *contentError) setHeader(h *fasthttp.ResponseHeader) {
	e := c.current.Load()
	if e == nil {
		return
	}
	h.Set(httpfield.ContentError, e.value)
	if exposed := string(h.Peek(httpfield.ExposeHeaders)); exposed != "" {
		h.Set(httpfield.ExposeHeaders, exposed+", "+httpfield.ContentError)
	}
}
