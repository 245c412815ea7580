// This file holds the answers that are prepared: everything about a representation of a
// file, or of what is built in its place, that does not change from request to request.

package edgeserve

import (
	"bytes"
	"strconv"

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
func newAnswer(fields []field, link []byte, coding encoding.Coding, body, tag []byte) *answer {
	return &answer{body: body, coding: coding, fields: fields, etag: tag, link: link}
}

// header is what fields are set in: the engine's, or lines.
type header interface{ SetCanonical(name, value []byte) }

// lines are header lines as they are sent.
type lines []byte

// SetCanonical adds a line.
func (l *lines) SetCanonical(name, value []byte) {
	b := append(append(*l, name...), ": "...)
	*l = append(append(b, value...), "\r\n"...)
}

// writeHead makes head.
func (a *answer) writeHead() {
	var l lines
	a.shared = a.addHead(&l)
	a.head = bytes.Clone(l)
	a.etag, a.link = within(a.head, a.etag), within(a.head, a.link)
}

// addHead adds the status line and all header lines but Date and Connection, and returns
// from where on they are those that a 304 repeats.
func (a *answer) addHead(l *lines) (shared int) {
	*l = append(*l, okLine...)
	a.describe(l)
	var room [20]byte
	l.SetCanonical(lengthName, strconv.AppendInt(room[:0], int64(len(a.body)), 10))
	shared = len(*l)
	a.fill(l)
	return shared
}

// within finds part in whole, to keep one copy of it.
func within(whole, part []byte) []byte {
	at := bytes.Index(whole, part)
	return whole[at : at+len(part) : at+len(part)]
}

// describe sets the fields that say what the body is.
func (a *answer) describe(h header) {
	h.SetCanonical(typeName, contentType)
	if a.coding != encoding.Identity {
		h.SetCanonical(codingName, codingNames[a.coding])
	}
}

// fill sets the other fields, which an answer without the body has too.
func (a *answer) fill(h header) {
	apply(h, a.fields)
	h.SetCanonical(etagName, a.etag)
	if len(a.link) > 0 {
		h.SetCanonical(linkName, a.link)
	}
}

// As SetCanonical wants them.
var (
	typeName    = []byte("Content-Type")
	codingName  = []byte("Content-Encoding")
	lengthName  = []byte("Content-Length")
	etagName    = []byte("Etag")
	linkName    = []byte("Link")
	contentType = []byte(release.ContentType)
	codingNames = func() (names [encoding.Count][]byte) {
		for _, c := range encoding.Codings {
			names[c] = []byte(c.String())
		}
		return names
	}()
)

// cost is the memory that the answer takes.
func (a *answer) cost() int64 {
	return int64(len(a.head)+len(a.body)) + a.memfile.Cost() + answerOverhead
}

// answerOverhead is the size of an answer without the two.
const answerOverhead = 160
