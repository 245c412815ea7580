// This file pools the memory of responses that are sent once.

package edgeserve

import (
	"sync"

	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/serve/clientnet"
	"contentedge/edgeserve/serve/respcache"
	"contentedge/edgeserve/wire/httpfield"
)

// responseBuffer is memory for the head of a response that is sent once, and for a short body.
type responseBuffer struct {
	body  []byte
	head  httpfield.Lines
	large *respcache.Response // released with the buffer; may be nil

	memory  *bodies.Budget   // that large is held in,
	client  clientnet.Client // for this client
	release func()           // free, made once
}

var responseBuffers sync.Pool

func newResponseBuffer() *responseBuffer {
	b, ok := responseBuffers.Get().(*responseBuffer)
	if !ok {
		b = new(responseBuffer)
		b.release = b.free
	}
	return b
}

func (b *responseBuffer) free() {
	if b.large != nil {
		b.large.Release(b.memory, b.client)
		b.large = nil
	}
	if cap(b.body) >= 2*bodies.Large {
		b.body = nil // too long to be pooled
	}
	responseBuffers.Put(b)
}
