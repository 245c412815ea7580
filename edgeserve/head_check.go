// This file checks the head of each request that Fiber reads. A fault becomes a response, and
// the connection ends with it.

package edgeserve

import (
	"bytes"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/httphead"
)

// refusals are the responses to the faults of a head.
var refusals = map[httphead.Fault]*problem{
	httphead.Fields: errBadHead, httphead.Version: errBadVersion, httphead.Host: errBadHost, httphead.Framing: errBadFraming,
}

// checkHead returns the refusal of a request's head, nil if it is sound, and whether the client
// wants the connection closed. limit is the length of the longest body.
func checkHead(h *fasthttp.RequestHeader, limit int) (closing bool, refusal *problem) {
	var f httphead.Head
	if !f.Read(h.RawHeaders()) {
		return false, errBadHead
	}
	if bytes.IndexByte(h.RequestURI(), '#') >= 0 {
		return false, errBadTarget
	}
	if fault := f.Judge(string(h.Protocol())); fault != httphead.None {
		return false, refusals[fault]
	}
	if f.Length > limit {
		return false, errBodySize
	}
	return f.Close, nil
}
