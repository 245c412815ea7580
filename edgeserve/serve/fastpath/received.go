// This file remembers what Fiber has read of a request, for the log: fasthttp does not say what it could not parse.

package fastpath

import (
	"bytes"
	"net"
)

// maxReceived bounds what is remembered of a request, in bytes.
const maxReceived = 4 << 10

// received are the first bytes of the request that Fiber reads from a connection.
type received struct {
	head      []byte // at most maxReceived
	size      int    // bytes read since the start of the request
	responded bool   // a response was written since
	lost      bool   // Fiber read beyond the end of a request: where the next one begins is not known
}

// read adds bytes that Fiber reads. The bytes after a response begin the next request.
func (r *received) read(b []byte) {
	if len(b) == 0 || r.lost {
		return
	}
	if r.responded {
		r.lost = r.size != bytes.Index(r.head, []byte("\r\n\r\n"))+len("\r\n\r\n")
		r.head, r.size, r.responded = r.head[:0], 0, false
	}
	r.size += len(b)
	r.head = append(r.head, b[:min(len(b), maxReceived-len(r.head))]...)
}

// bytes returns a copy of what is known of the request that is being read; nil if that is nothing.
func (r *received) bytes() []byte {
	if r.lost || r.responded {
		return nil
	}
	return bytes.Clone(r.head)
}

// Received returns the first bytes of the request that Fiber has read from conn, as far as they are known.
func Received(conn net.Conn) []byte {
	if c, ok := conn.(fiberConn); ok {
		return c.received()
	}
	return nil
}
