// This file gathers chunked bodies. Fiber accepts other line ends than other readers. So it gets such a request only
// when all its bytes have arrived and the grammar has determined its end.

package fastpath

import (
	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/serve/httphead"
)

const unknownSize = -1 // of a request whose chunked body is incomplete

type chunkedBody struct {
	scanner  httphead.Chunks
	headSize int
}

const maxFraming = 4 << 10 // beyond twice MaxBody: framing of tiny chunks is nearly twice their data

// scanChunks continues the request at the start of c.in, whose body is chunked. v is bodyIncomplete when its head has
// just been completed, otherwise headIncomplete.
func (c *conn) scanChunks(v verdict) {
	body, maxBody := c.in[c.chunks.headSize:], c.l.cfg.MaxBody
	limit := 2*maxBody + maxFraming
	size, ok := c.chunks.scanner.Scan(body)
	switch {
	case !ok:
		c.refuseBody(ErrFraming)
	case c.chunks.scanner.Data() > int64(maxBody), size > limit, size == 0 && len(body) > limit:
		c.refuseBody(bodies.ErrTooLong)
	case size > 0:
		c.handOff(handOffOne, c.chunks.headSize+size)
	default:
		c.wait(v, unknownSize)
	}
}

func (c *conn) refuseBody(why error) {
	c.fail(&BodyError{Cause: why, Head: c.in[:c.chunks.headSize]})
}
