// This file checks the heads of requests that Fiber reads. A fault ends the connection.

package edgeserve

import (
	"bytes"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/serve/delivery"
	"contentedge/edgeserve/serve/httphead"
)

var refusals = map[httphead.Fault]*delivery.Problem{
	httphead.Fields: delivery.ErrBadHead, httphead.Version: delivery.ErrBadVersion, httphead.Host: delivery.ErrBadHost, httphead.Framing: delivery.ErrBadFraming,
}

// checkHead returns the refusal of a head, nil if it is sound, and whether the client wants the
// connection closed. limit is the length of the longest body.
func checkHead(h *fasthttp.RequestHeader, limit int) (closing bool, refusal *delivery.Problem) {
	var f httphead.Head
	if !f.Read(h.RawHeaders()) {
		return false, delivery.ErrBadHead
	}
	if bytes.IndexByte(h.RequestURI(), '#') >= 0 {
		return false, delivery.ErrBadTarget
	}
	if fault := f.Judge(string(h.Protocol())); fault != httphead.None {
		return false, refusals[fault]
	}
	if f.Length > limit {
		return false, delivery.ErrBodySize
	}
	return f.Close, nil
}
