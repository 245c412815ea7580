// This file sends bodies whose memory is given back once they are sent.

package edgeserve

import (
	"bytes"

	"github.com/valyala/fasthttp"
)

// heldBody is a body that fasthttp reads while it writes, and closes once it is written or
// given up.
type heldBody struct {
	bytes.Reader
	done func()
}

// Close gives the memory back.
func (s *heldBody) Close() error {
	if s.done != nil {
		s.done()
		s.done = nil
	}
	return nil
}

// sendHeld sends a body and calls done once its memory is no longer needed.
func sendHeld(ctx *fasthttp.RequestCtx, body []byte, done func()) {
	s := &heldBody{done: done}
	s.Reset(body)
	ctx.Response.SetBodyStream(s, len(body))
}
