// This file follows the requests on connections that Fiber reads itself. Some ends of heads and chunks are accepted
// only by fasthttp, which would then see other requests than other readers. fasthttp never gets these ends.

package fastpath

import (
	"bytes"
	"errors"

	"contentedge/edgeserve/serve/httphead"
)

// errLineEnd is what Fiber reads in place of bytes that break the framing of a request.
var errLineEnd = errors.New("no request: a line or a chunk that does not end in CRLF, or binary data")

// framing follows how far Fiber has read the requests of a connection.
type framing struct {
	pending []byte // the bytes that Fiber has of an incomplete head, or of an incomplete line of chunks
	line    int    // where the last line of an incomplete head starts in pending
	body    int    // bytes to come of a body of known length
	chunks  *httphead.Chunks
	unclear bool // a head leaves open where its request ends
	broken  bool // the next bytes are not a part of a request
}

// atStart reports whether the requests so far are complete, as far as their framing is clear.
func (f *framing) atStart() bool { return f.unclear || len(f.pending)+f.body == 0 && f.chunks == nil }

// follow reads on in bytes that have arrived. It returns how many bytes Fiber may read: fewer than all if the rest
// breaks the framing.
func (f *framing) follow(b []byte) int {
	for n := 0; n < len(b); {
		var used int
		switch {
		case f.unclear:
			return len(b)
		case f.body > 0:
			used = min(f.body, len(b)-n)
			f.body -= used
		case f.chunks != nil:
			used = f.followChunks(b[n:])
		default:
			used = f.followHead(b[n:])
		}
		if n += used; f.broken {
			return n
		}
	}
	return len(b)
}

// followHead reads on in a head. used is how many bytes of b belong to it.
func (f *framing) followHead(b []byte) (used int) {
	head, before := b, len(f.pending)
	if before > 0 {
		head = append(f.pending, b...)
	} else if f.broken = startsBinary(b[0]); f.broken {
		return 1 // Fiber refuses it, and would wait for the end of a line after it
	}
	for from := before; ; {
		end := bytes.IndexByte(head[from:], '\n')
		if end < 0 {
			if before == 0 {
				head = bytes.Clone(b)
			}
			f.pending = head
			return len(b)
		}
		from += end + 1
		line := head[f.line:from]
		if f.broken = !bytes.HasSuffix(line, crlf); f.broken {
			return from - before - 1
		}
		if len(line) > len(crlf) {
			f.line = from
			continue
		}
		if f.line > 0 { // an empty line before a request is ignored
			f.readHead(head[:from])
		}
		f.pending, f.line = nil, 0
		return from - before
	}
}

var crlf = []byte("\r\n")

func (f *framing) readHead(head []byte) {
	request, fields, _ := bytes.Cut(head, crlf)
	var h httphead.Head
	protocol := httphead.HTTP11
	if bytes.HasSuffix(request, []byte(httphead.HTTP10)) {
		protocol = httphead.HTTP10
	}
	switch {
	case !h.Read(fields) || h.Judge(protocol) != httphead.None:
		f.unclear = true
	case h.Chunked:
		f.chunks = new(httphead.Chunks)
	default:
		f.body = h.Length
	}
}

// followChunks reads on in a chunked body. used is how many bytes of b belong to it.
func (f *framing) followChunks(b []byte) (used int) {
	before := len(f.pending)
	body := append(f.pending, b...)
	size, ok := f.chunks.Scan(body)
	if f.broken = !ok; f.broken {
		return max(f.chunks.Forget()-before, 0)
	}
	if size > 0 {
		f.pending, f.chunks = nil, nil
		return size - before
	}
	f.pending = body[f.chunks.Forget():]
	return len(b)
}
