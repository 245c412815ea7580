// This file sends what is built from the snapshot, and keeps the answer where it is asked
// for again: it costs what a file's answer costs from then on.

package edgeserve

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"

	"github.com/cespare/xxhash/v2"

	"contentedge/edgeserve/encoding"
	"contentedge/edgeserve/release"
)

// sendBuilt answers with a body that was built for the request, in a buffer that
// buildBuffer gave, and keeps the answer where b says. taken is what it took for the
// body; it is given back here.
func (r *request) sendBuilt(b built, body []byte, taken int64) {
	s, size, coding := r.server, len(body), encoding.Identity
	if size >= encoding.MinBody {
		accept := accepted(r.ctx)
		coding = accept.ChooseFast()
	}
	switch {
	case coding != encoding.Identity && (b.kept != nil || taken > 0):
		body = r.encodeTo(nil, coding, body) // a long body's memory is not kept for its shorter form
	case coding != encoding.Identity:
		body = r.encodeTo(body[:0], coding, body)
	case b.kept != nil && taken == 0, taken > 0 && cap(body)-size > size/4:
		body = bytes.Clone(body) // its buffer is far longer, or the response's own
	}
	tag := quickTag
	if b.filed {
		tag = release.ETag
	}
	a := newAnswer(r.gen.fields[b.class], b.link, coding, body, tag(body))
	held := int64(0)
	if a.large() {
		held = int64(len(body))
	}
	if !s.memory.resize(taken, held) {
		s.memory.resize(taken, 0)
		s.fail(r.ctx, errOverload)
		return
	}
	switch {
	case b.kept != nil:
		r.keep(b.kept, size, a)
	case a.large():
		a.readers = 1
		s.send(r.ctx, a)
	default:
		if part, some := s.describe(r.ctx, a); some {
			r.ctx.Response.SwapBody(part) // whose buffer it is in
		}
	}
}

// keep enters a new answer, which was made of a body of size bytes, and sends it.
func (r *request) keep(f *file, size int, a *answer) {
	for _, coding := range encoding.Codings {
		if coding == encoding.Brotli || size < encoding.MinBody {
			f.answers[coding].CompareAndSwap(nil, absent) // nobody will build it
		}
	}
	a, err := r.gen.enter(f, a)
	if err != nil {
		r.server.fail(r.ctx, errOverload)
		return
	}
	r.server.send(r.ctx, a)
	r.remember(f)
}

// quickTag is the strong entity tag of a body that is in no file on any node: of searches,
// and of lists of no family. It costs an eighth of what release.ETag costs, and its 64 bits
// are enough to tell the versions of one body apart.
func quickTag(body []byte) string {
	var b [2 + 11]byte
	b[0], b[12] = '"', '"'
	base64.RawURLEncoding.Encode(b[1:12], binary.BigEndian.AppendUint64(nil, xxhash.Sum64(body)))
	return string(b[:])
}
