// This file tells clients that there is newer content than what they are answered with,
// and what keeps it from being served. Nodes that serve finished releases have nothing of
// the kind; a preview has it whenever somebody saves a file half-way.

package edgeserve

import (
	"fmt"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/delivery"
	"contentedge/edgeserve/envelope"
	"contentedge/edgeserve/release"
)

// maxContentErrorValue bounds the header's value, in bytes: some lines of text, and far
// less than clients accept of all headers together.
const maxContentErrorValue = 1024

// ContentError is why the newest content is not served.
type ContentError struct {
	Code    string // stable, for programs
	Message string // for people: what is wrong and what to do
	// Diagnostics say where it is wrong, the most important one first; may be empty. The
	// caller bounds their number and length.
	Diagnostics []envelope.Diagnostic
}

// preparedContentError is a ContentError as it is sent.
type preparedContentError struct {
	value   string            // of the header
	problem *delivery.Problem // the response while there is no release
}

// contentError is why the newest content is not served; nil: it is.
type contentError struct {
	atomic.Pointer[preparedContentError]
}

// SetContentError has every response say what is wrong with the content, in the header
// release.ContentErrorHeader; nil ends that. While there is no release either, requests for
// content and the readiness probe are answered 503 with all of it, and with a release that
// probe has it beside its 200.
//
// Meanwhile Fiber answers all requests, as prepared responses have no such header. Nor has
// the refusal of a connection that is turned away before anything is read from it.
func (s *Server) SetContentError(e *ContentError) {
	if e == nil {
		s.observer.contentError.Store(nil)
		return
	}
	p := delivery.NewProblem(fasthttp.StatusServiceUnavailable, e.Code, e.Message)
	p.Diagnostics = e.Diagnostics
	s.observer.contentError.Store(&preparedContentError{value: headerText(e.first()), problem: p})
}

// first is the error in one line: the first place and what is wrong there.
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

// notReady is the problem of a request while there is no release.
func (c *contentError) notReady() *delivery.Problem {
	if e := c.Load(); e != nil {
		return e.problem
	}
	return delivery.ErrNotReady
}

// sendReady answers the readiness probe of a server that has a release.
func (a *fiberAdapter) sendReady(ctx *fasthttp.RequestCtx) {
	e := a.contentError.Load()
	if e == nil {
		a.sendHealth(ctx, "ready")
		return
	}
	a.setClassFields(ctx, release.ClassError)
	ctx.Response.SwapBody(envelope.AppendItemError(ctx.Response.SwapBody(nil)[:0], []byte(`"ready"`), *e.problem))
}

// setHeader adds the header, and lets the pages read it that may read others.
func (c *contentError) setHeader(h *fasthttp.ResponseHeader) {
	e := c.Load()
	if e == nil {
		return
	}
	h.Set(release.ContentErrorHeader, e.value)
	if exposed := string(h.Peek("Access-Control-Expose-Headers")); exposed != "" {
		h.Set("Access-Control-Expose-Headers", exposed+", "+release.ContentErrorHeader)
	}
}

// headerText is a text as the value of a header: printable ASCII, in which % and all other
// characters stand as the percent-encoded bytes of their UTF-8, so that JavaScript's
// decodeURIComponent gives the text. What is longer than maxContentErrorValue ends in "...".
func headerText(text string) string {
	const more = "..."
	var b strings.Builder
	for _, r := range text { // a byte that is not UTF-8 becomes U+FFFD
		var room [3 * utf8.UTFMax]byte
		char := appendHeaderChar(room[:0], r)
		if b.Len()+len(char) > maxContentErrorValue-len(more) {
			return b.String() + more
		}
		b.Write(char)
	}
	return b.String()
}

// appendHeaderChar appends a character of headerText.
func appendHeaderChar(dst []byte, r rune) []byte {
	const digits = "0123456789ABCDEF"
	if ' ' <= r && r <= '~' && r != '%' {
		return append(dst, byte(r))
	}
	var room [utf8.UTFMax]byte
	for _, c := range room[:utf8.EncodeRune(room[:], r)] {
		dst = append(dst, '%', digits[c>>4], digits[c&15])
	}
	return dst
}
