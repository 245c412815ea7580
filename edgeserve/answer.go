// This file holds the answers that are prepared: everything about a representation of a
// file, or of what is built in its place, that does not change from request to request.

package edgeserve

import (
	"bytes"
	"strconv"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/encoding"
	"contentedge/edgeserve/release"
	"contentedge/edgeserve/wire"
)

// answer is the 200 of one file, or of what is built in its place, in one coding. Once
// it is kept it never changes, so that it may be sent while it is read, whatever the
// cache does.
type answer struct {
	// head is the status line and all header lines but Date and Connection, each with
	// its CRLF; the empty line is missing. From shared on they are those that a 304
	// repeats. What is sent once has none.
	head    []byte
	shared  int
	etag    []byte // lies in head if there is one
	body    []byte
	memfile *wire.Memfile // holds body; nil: none. The cache releases it

	coding  encoding.Coding
	readers int32   // requests that hold the body in memory, guarded by memory's mu
	fields  []field // those of the class and the release
	link    []byte  // may be empty; lies in head if there is one
}

// large reports whether the body counts as held while it is sent.
func (a *answer) large() bool { return len(a.body) >= heldFrom }

// The first lines of prepared answers.
const (
	okLine          = "HTTP/1.1 200 OK\r\n"
	notModifiedLine = "HTTP/1.1 304 Not Modified\r\n"
)

// newAnswer makes an answer.
func newAnswer(fields []field, link string, coding encoding.Coding, body []byte, tag string) *answer {
	return &answer{body: body, coding: coding, fields: fields, etag: []byte(tag), link: []byte(link)}
}

// writeHead makes head out of what fill sets, so that there is one list of fields.
func (a *answer) writeHead() {
	var whole, repeated fasthttp.ResponseHeader
	repeated.SetNoDefaultContentType(true)
	a.describe(&whole)
	a.fill(&repeated)
	b := []byte(okLine)
	for name, value := range whole.All() {
		b = appendLine(b, name, value)
	}
	b = appendLine(b, []byte("Content-Length"), strconv.AppendInt(nil, int64(len(a.body)), 10))
	a.shared = len(b)
	for name, value := range repeated.All() {
		b = appendLine(b, name, value)
	}
	a.head = bytes.Clone(b)
	a.etag, a.link = within(a.head, a.etag), within(a.head, a.link)
}

func appendLine(b, name, value []byte) []byte {
	b = append(append(b, name...), ": "...)
	return append(append(b, value...), "\r\n"...)
}

// within finds part in whole, to keep one copy of it.
func within(whole, part []byte) []byte {
	at := bytes.Index(whole, part)
	return whole[at : at+len(part) : at+len(part)]
}

// describe sets the fields that say what the body is.
func (a *answer) describe(h *fasthttp.ResponseHeader) {
	h.SetContentType(release.ContentType)
	if a.coding != encoding.Identity {
		h.SetContentEncoding(a.coding.String())
	}
}

// fill sets the other fields, which an answer without the body has too.
func (a *answer) fill(h *fasthttp.ResponseHeader) {
	apply(h, a.fields)
	h.SetCanonical(etagName, a.etag)
	if len(a.link) > 0 {
		h.SetCanonical(linkName, a.link)
	}
}

// As SetCanonical wants them.
var (
	etagName = []byte("Etag")
	linkName = []byte("Link")
)

// cost is the memory that the answer takes.
func (a *answer) cost() int64 {
	return int64(len(a.head)+len(a.body)) + a.memfile.Cost() + answerOverhead
}

// answerOverhead is the size of an answer without the two.
const answerOverhead = 160
