// This file gathers chunked bodies. Fiber ends a chunk's line at bytes that other readers do
// not take for an end. So it gets such a request only when all of it has arrived and the
// grammar alone has given its end.

package fastpath

import (
	"contentedge/edgeserve/httphead"
)

// unknownSize is the size of a request whose chunked body is incomplete.
const unknownSize = -1

// chunkedBody is the body of such a request.
type chunkedBody struct {
	httphead.Chunks
	headSize int
}

// maxFraming is what a chunked body may have beyond twice MaxBody, in bytes. Chunks of many
// bytes need little framing; chunks of few bytes nearly reach twice their data.
const maxFraming = 4 << 10

// scanChunks continues the request at the start of c.in, whose body is chunked. v is
// bodyIncomplete when its head has just been completed, else headIncomplete.
func (c *conn) scanChunks(v verdict) {
	body, maxBody := c.in[c.chunks.headSize:], c.l.cfg.MaxBody
	limit := 2*maxBody + maxFraming
	size, ok := c.chunks.Scan(body)
	switch {
	case !ok:
		c.refuseBody(ErrFraming)
	case c.chunks.Data() > int64(maxBody), size > limit, size == 0 && len(body) > limit:
		c.refuseBody(ErrTooLong)
	case size > 0:
		c.handOff(handOffOne, c.chunks.headSize+size)
	default:
		c.wait(v, unknownSize)
	}
}

// refuseBody refuses the request at the start of c.in because of its body.
func (c *conn) refuseBody(why error) {
	c.fail(&BodyError{Cause: why, Head: c.in[:c.chunks.headSize]})
}
