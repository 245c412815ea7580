// This file makes responses of computed bodies, and caches those that are requested again:
// from then on they cost what a file's response costs.

package edgeserve

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"

	"contentedge/edgeserve/contentcoding"
	"contentedge/edgeserve/release"
	"contentedge/edgeserve/respcache"
)

// finishComputed makes the response of a body in memory from takeBuffer, and caches it where b
// says. taken is the memory that the body took; it is given back here. Cached and large bodies
// do not stay in the request's buffer.
func (r *request) finishComputed(b computedSpec, body []byte, taken int64) (*respcache.Response, *problem) {
	memory, size, coding := r.server.responses, len(body), contentcoding.Identity
	if size >= contentcoding.MinBody && r.canCompress(size) {
		coding = r.accept.ChooseFast()
	}
	inBuffer := taken == 0
	if inBuffer {
		r.buffer.body = body
	} else if coding != contentcoding.Identity {
		// Until it replaces the body, the compressed form needs memory beside it.
		if both := taken + int64(size); memory.ResizeFor(r.client, taken, both) {
			taken = both
		} else {
			coding = contentcoding.Identity
		}
	}
	if coding != contentcoding.Identity {
		var dst []byte // a long body's memory is not kept for its shorter form
		if inBuffer {
			dst = body[:0]
		}
		body = r.compress(dst, coding, body)
	}
	shared := inBuffer && (b.entry != nil || len(body) >= respcache.LargeBody)
	if shared || !inBuffer && cap(body)-len(body) > len(body)/4 {
		body = bytes.Clone(body) // its buffer is the request's, or far longer than the body
	}
	a := respcache.NewResponse(r.gen.fields[b.class], b.link, coding, body, b.tag(body))
	held := int64(0)
	if a.IsLarge() {
		held = int64(len(body))
	}
	if !memory.ResizeFor(r.client, taken, held) {
		memory.ResizeFor(r.client, taken, 0)
		return nil, errOverload
	}
	if b.entry != nil {
		return r.store(b.entry, size, a)
	}
	if a.IsLarge() {
		a.HoldFor(r.client)
	}
	return a, nil
}

// store caches a response whose uncompressed body has size bytes, and returns the one to send.
func (r *request) store(f *respcache.Entry, size int, a *respcache.Response) (*respcache.Response, *problem) {
	for _, coding := range contentcoding.Codings {
		if coding == contentcoding.Brotli || size < contentcoding.MinBody {
			f.Responses[coding].CompareAndSwap(nil, respcache.Absent) // nobody will build it
		}
	}
	a, err := r.gen.store(f, a, r.client)
	if err != nil {
		return nil, errOverload
	}
	r.remember(f)
	return a, nil
}

// takeBuffer returns memory for a body of about size bytes: the request's buffer for a short
// one, memory of the budget for a long one. It returns false if none is left.
func (r *request) takeBuffer(size int) (buffer []byte, taken int64, ok bool) {
	if size < respcache.LargeBody {
		return slices.Grow(r.buffer.body[:0], size), 0, true
	}
	if !r.server.responses.ResizeFor(r.client, 0, int64(size)) {
		return nil, 0, false
	}
	r.detach()
	return make([]byte, 0, size), int64(size), true
}

// compress appends the compressed form of a body to dst, which may overlap it, in no more
// memory than the result takes.
func (r *request) compress(dst []byte, coding contentcoding.Coding, body []byte) []byte {
	buffer := scratch.Get().(*[]byte)
	*buffer = contentcoding.EncodeFast(coding, (*buffer)[:0], body, r.permit.Yield)
	dst = append(dst, *buffer...)
	if cap(*buffer) <= maxScratch {
		scratch.Put(buffer)
	}
	return dst
}

// scratch holds buffers for compression.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

// maxScratch is the size of the largest buffer that is pooled, in bytes.
const maxScratch = 1 << 20

// tag is the strong entity tag of a body.
func (b computedSpec) tag(body []byte) []byte {
	if b.mayBeFile {
		return []byte(release.ETag(body))
	}
	return quickTag(body)
}

// quickTag is the strong entity tag of a body that no node has in a file: of searches, and of
// lists outside all families. It costs an eighth of release.ETag. Its 64 bits tell the
// versions of one body apart.
func quickTag(body []byte) []byte {
	b := make([]byte, 2+11)
	b[0], b[12] = '"', '"'
	base64.RawURLEncoding.Encode(b[1:12], binary.BigEndian.AppendUint64(nil, xxhash.Sum64(body)))
	return b
}
