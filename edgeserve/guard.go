// This file puts the guard before every request that the engine has read: what it
// finds becomes an answer, and the connection ends with it.

package edgeserve

import (
	"bytes"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/guard"
)

// refusals are the answers to what can be wrong with a head.
var refusals = map[guard.Fault]*problem{
	guard.Fields: errBadHead, guard.Version: errBadVersion, guard.Host: errBadHost, guard.Framing: errBadFraming,
}

// checkHead returns what is wrong with a request's head, nil if nothing is, and
// whether the client wants the connection closed after the answer.
func checkHead(h *fasthttp.RequestHeader) (closing bool, refusal *problem) {
	var f guard.Head
	if !f.Read(h.RawHeaders()) {
		return false, errBadHead
	}
	if bytes.IndexByte(h.RequestURI(), '#') >= 0 {
		return false, errBadTarget
	}
	if fault := f.Judge(string(h.Protocol())); fault != guard.None {
		return false, refusals[fault]
	}
	return f.Close, nil
}
