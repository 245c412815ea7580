// This file makes answers of what is built from the snapshot, and keeps them where they are
// asked for again: they cost what a file's answer costs from then on.

package edgeserve

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"

	"contentedge/edgeserve/encoding"
	"contentedge/edgeserve/release"
)

// finish makes the answer of a body that was built for the request, in memory that buffer
// gave, and keeps it where b says. taken is what was taken for the body; it is given back
// here. Neither what is kept nor what is large lies in the room then.
func (r *request) finish(b built, body []byte, taken int64) (*answer, *problem) {
	memory, size, coding := &r.server.memory, len(body), encoding.Identity
	if size >= encoding.MinBody && r.affords(size) {
		coding = r.accept.ChooseFast()
	}
	inRoom := taken == 0
	if inRoom {
		r.room.body = body
	}
	if coding != encoding.Identity {
		var dst []byte // a long body's memory is not kept for its shorter form
		if inRoom {
			dst = body[:0]
		}
		body = r.encodeTo(dst, coding, body)
	}
	shared := inRoom && (b.kept != nil || len(body) >= heldFrom)
	if shared || !inRoom && cap(body)-len(body) > len(body)/4 {
		body = bytes.Clone(body) // its buffer is the room's, or far longer than it is
	}
	a := newAnswer(r.gen.fields[b.class], b.link, coding, body, b.tag(body))
	held := int64(0)
	if a.large() {
		held = int64(len(body))
	}
	if !memory.resize(taken, held) {
		memory.resize(taken, 0)
		return nil, errOverload
	}
	if b.kept != nil {
		return r.keep(b.kept, size, a)
	}
	if a.large() {
		a.readers = 1
	}
	return a, nil
}

// keep enters a new answer, which was made of a body of size bytes, and returns the one to
// be sent.
func (r *request) keep(f *file, size int, a *answer) (*answer, *problem) {
	for _, coding := range encoding.Codings {
		if coding == encoding.Brotli || size < encoding.MinBody {
			f.answers[coding].CompareAndSwap(nil, absent) // nobody will build it
		}
	}
	a, err := r.gen.enter(f, a)
	if err != nil {
		return nil, errOverload
	}
	r.remember(f)
	return a, nil
}

// buffer gives memory for a body of about size bytes: the room for a short one, and memory
// that is taken for a long one. False means that there is none.
func (r *request) buffer(size int) (buffer []byte, taken int64, ok bool) {
	if size < heldFrom {
		return slices.Grow(r.room.body[:0], size), 0, true
	}
	if !r.server.memory.resize(0, int64(size)) {
		return nil, 0, false
	}
	r.leave()
	return make([]byte, 0, size), int64(size), true
}

// encodeTo appends the coded form of a body to dst, which may overlap it, in no more
// memory than that takes.
func (r *request) encodeTo(dst []byte, coding encoding.Coding, body []byte) []byte {
	buffer := scratch.Get().(*[]byte)
	*buffer = encoding.EncodeFast(coding, (*buffer)[:0], body, r.turn.pause)
	dst = append(dst, *buffer...)
	if cap(*buffer) <= maxScratch {
		scratch.Put(buffer)
	}
	return dst
}

// scratch holds buffers for coding.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

// maxScratch is the largest buffer that is kept for coding.
const maxScratch = 1 << 20

// tag is the strong entity tag of a body.
func (b built) tag(body []byte) []byte {
	if b.filed {
		return []byte(release.ETag(body))
	}
	return quickTag(body)
}

// quickTag is the strong entity tag of a body that is in no file on any node: of searches,
// and of lists of no family. It costs an eighth of what release.ETag costs, and its 64 bits
// are enough to tell the versions of one body apart.
func quickTag(body []byte) []byte {
	b := make([]byte, 2+11)
	b[0], b[12] = '"', '"'
	base64.RawURLEncoding.Encode(b[1:12], binary.BigEndian.AppendUint64(nil, xxhash.Sum64(body)))
	return b
}
