// This file keeps what is built for a release without files: the answer that a file would
// give is prepared from the snapshot when it is first asked for, in the same cache, and
// costs what a file's answer costs from then on.

package edgeserve

import (
	"bytes"

	"contentedge/edgeserve/encoding"
)

// sendKept answers with a body as its file would be answered with, and keeps the answer.
// taken is what buildBuffer took for the body; it is given back here.
func (r *request) sendKept(b built, body []byte, taken int64) {
	s, f := r.server, r.gen.keptFile(b, len(body))
	coding := encoding.Identity
	if f.answers[encoding.Gzip].Load() != absent {
		accept := accepted(r.ctx)
		coding = accept.ChooseFast()
	}
	switch {
	case coding != encoding.Identity:
		body = encodeTo(nil, coding, body)
	case taken == 0:
		body = bytes.Clone(body) // its buffer may be far longer
	}
	a := newAnswer(r.gen.fields[f.class], f.link, coding, body)
	held := int64(0)
	if a.large() {
		held = int64(len(body))
	}
	if !s.memory.resize(taken, held) {
		s.memory.resize(taken, 0)
		s.fail(r.ctx, errOverload)
		return
	}
	a, err := r.gen.enter(f, coding, a)
	if err != nil {
		s.fail(r.ctx, errOverload)
		return
	}
	s.send(r.ctx, a)
	r.gen.files.alias(r.ctx.Request.Header.RequestURI(), f)
}

// keptFile is the cache's entry for a body of size bytes. The codings that it is never
// sent in count as files that do not exist.
func (g *Generation) keptFile(b built, size int) *file {
	if f := g.files.get(b.key); f != nil {
		return f
	}
	f := &file{key: b.key, class: b.class, link: b.link}
	for _, coding := range encoding.Codings {
		if coding == encoding.Brotli || size < encoding.MinBody {
			f.answers[coding].Store(absent)
		}
	}
	g.files.put(b.key, f)
	if first := g.files.get(b.key); first != nil {
		return first // another request may have been faster
	}
	return f
}
