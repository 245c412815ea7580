// This file makes responses of computed bodies, and caches repeated ones.

package delivery

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/serve/respcache"
	"contentedge/edgeserve/wire/compression"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/problem"
)

// entryFor returns the entry to cache a computed response in, or nil. A first request may be the only one, and
// a response that depends on the clock would be wrong later: neither is cached.
func entryFor(a *answer.Answer, entry *respcache.Entry, seenBefore bool) *respcache.Entry {
	if !seenBefore || a.Timed || !entry.IsComputed() {
		return nil
	}
	return entry
}

// compute makes the response of an answer, and caches it in entry unless entry is nil.
func (r *Request) compute(c *answer.Content, a *answer.Answer, entry *respcache.Entry) (*respcache.Response, *problem.Problem) {
	buffer, taken, ok := r.takeBuffer(a.Size)
	if !ok {
		return nil, problem.Of(problem.Overloaded)
	}
	// A fault in the snapshot is a panic, after which the memory is given back here.
	defer func() { r.memory().ResizeFor(r.Client, taken, 0) }()
	body, err := a.Write(buffer)
	if err != nil {
		return nil, r.refuse(c, err)
	}
	r.Source = FromSnapshot
	own := taken
	taken = 0
	response, p := r.finishComputed(c, a, entry, body, own)
	r.Timing.Render += r.lap()
	return response, p
}

func (r *Request) memory() *bodies.Budget { return r.served.resources.Memory }

// finishComputed makes the response of a body in memory from takeBuffer, and caches it in entry unless entry
// is nil. It gives back taken, the body's memory. Cached and large bodies do not stay in the buffer.
func (r *Request) finishComputed(c *answer.Content, a *answer.Answer, entry *respcache.Entry, body []byte, taken int64) (*respcache.Response, *problem.Problem) {
	memory, size, coding := r.memory(), len(body), contentcoding.Identity
	if size >= contentcoding.MinBody && !r.asFile && r.canCompress(size) {
		coding = r.Accept.ChooseFast()
	}
	inBuffer := taken == 0
	if inBuffer {
		*r.Buffer = body
	} else if coding != contentcoding.Identity {
		// The compressed body needs memory in addition to the body until it replaces it.
		if both := taken + int64(size); memory.ResizeFor(r.Client, taken, both) {
			taken = both
		} else {
			coding = contentcoding.Identity
		}
	}
	if coding != contentcoding.Identity {
		var dst []byte // nil, so that a short compressed body does not hold the memory of a long one
		if inBuffer {
			dst = body[:0]
		}
		body = r.compress(dst, coding, body)
	}
	shared := inBuffer && (entry != nil || len(body) >= bodies.Large)
	if shared || !inBuffer && cap(body)-len(body) > len(body)/4 {
		body = bytes.Clone(body) // the buffer belongs to the request, or is far longer than the body
	}
	response := &respcache.Response{Body: body, Meta: respond.Metadata{
		Fields: r.served.fields.Of(c.Class, r.kind.IsElastic()), Coding: coding, ETag: respond.Tag(body, c.File != ""), Link: a.Link,
		Approximate: []byte(strings.Join(a.Approximate, ", ")),
	}}
	held := int64(0)
	if response.IsLarge() {
		held = int64(len(body))
	}
	if !memory.ResizeFor(r.Client, taken, held) {
		memory.ResizeFor(r.Client, taken, 0)
		return nil, problem.Of(problem.Overloaded)
	}
	r.served.resources.Counters.Misses.Inc(missComputed)
	if entry != nil {
		return r.store(entry, size, response)
	}
	if response.IsLarge() {
		response.HoldTaken(r.Client)
	}
	return response, nil
}

// store caches a response whose uncompressed body has size bytes. It returns the response to send.
func (r *Request) store(entry *respcache.Entry, size int, response *respcache.Response) (*respcache.Response, *problem.Problem) {
	for _, coding := range contentcoding.Codings {
		if coding == contentcoding.Brotli || size < contentcoding.MinBody {
			entry.Responses[coding].CompareAndSwap(nil, respcache.Absent) // no request will compute the body in this coding
		}
	}
	response, err := r.served.store(entry, response, r.Client)
	if err != nil {
		return nil, problem.Of(problem.Overloaded)
	}
	r.addAlias(entry)
	return response, nil
}

// takeBuffer returns memory for a body of about size bytes: the request's buffer or, for a long body,
// memory from the budget. ok is false if the budget has not enough left.
func (r *Request) takeBuffer(size int) (buffer []byte, taken int64, ok bool) {
	if size < bodies.Large {
		return slices.Grow((*r.Buffer)[:0], size), 0, true
	}
	if !r.memory().ResizeFor(r.Client, 0, int64(size)) {
		return nil, 0, false
	}
	r.detach()
	return make([]byte, 0, size), int64(size), true
}

// compress appends a compressed body to dst, which may overlap the body. The result holds no more memory than
// it needs.
func (r *Request) compress(dst []byte, coding contentcoding.Coding, body []byte) []byte {
	buffer := scratch.Get().(*[]byte)
	*buffer = compression.EncodeFast(coding, (*buffer)[:0], body, r.permit.Yield)
	dst = append(dst, *buffer...)
	if cap(*buffer) <= maxScratch {
		scratch.Put(buffer)
	}
	return dst
}

var scratch = sync.Pool{New: func() any { return new([]byte) }}

const maxScratch = 1 << 20 // the largest pooled buffer, in bytes
