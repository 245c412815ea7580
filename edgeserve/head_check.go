// This file checks the heads of requests that Fiber reads. A fault ends the connection.

package edgeserve

import (
	"bytes"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/serve/httphead"
	"contentedge/edgeserve/wire/problem"
)

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
