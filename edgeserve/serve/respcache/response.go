// This file holds the part of a response that does not change from request to request.

package respcache

import (
	"bytes"
	"net/netip"
	"strconv"

	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/release"
)

// Response is the 200 of a file or a computed body, in one coding. Once cached it never changes, so
// it may be sent while it is evicted.
type Response struct {
	// Head is the status line and all field lines but Date and Connection, with CRLFs, without the
	// empty line. A 304 repeats it from NotModifiedFrom on. A response that is sent once has none.
	Head            []byte
	NotModifiedFrom int
	ETag            []byte // part of Head if there is one
	Body            []byte
	Memfile         *bodies.Memfile // holds Body too; nil: no file in memory. The cache releases it
	Disk            *bodies.Disk    // the body instead of Body, for one request; nil: it is in memory

	Coding  contentcoding.Coding
	holders bodies.Holders // of a large body
	fields  []Field        // of the class and the release
	Link    []byte         // may be empty; part of Head if there is one
}

// IsLarge reports whether the body counts in a budget while it is sent.
func (r *Response) IsLarge() bool { return len(r.Body) >= bodies.Large }

// Hold takes the memory of a large body for one more request of a client.
func (r *Response) Hold(m *bodies.Budget, client netip.Addr) bool {
	return m.Hold(&r.holders, len(r.Body), client)
}

// Release ends a Hold.
func (r *Response) Release(m *bodies.Budget, client netip.Addr) {
	m.Release(&r.holders, len(r.Body), client)
}

// HoldTaken is Hold by the maker of a response, who has taken the memory.
func (r *Response) HoldTaken(client netip.Addr) { r.holders.Add(client) }

// Length is the length of the body in bytes.
func (r *Response) Length() int {
	if r.Disk != nil {
		return r.Disk.FileSize
	}
	return len(r.Body)
}

// Status lines.
const (
	OKLine          = "HTTP/1.1 200 OK\r\n"
	NotModifiedLine = "HTTP/1.1 304 Not Modified\r\n"
)

// NewResponse returns a response without a head.
func NewResponse(fields []Field, link []byte, coding contentcoding.Coding, body, tag []byte) *Response {
	return &Response{Body: body, Coding: coding, fields: fields, ETag: tag, Link: link}
}

// Field is a header field. Its name is in canonical form.
type Field struct{ name, value []byte }

// NewField returns a field. The name must be in canonical form.
func NewField(name, value string) Field { return Field{[]byte(name), []byte(value)} }

// Set sets a field.
func (f Field) Set(h Header) { h.SetCanonical(f.name, f.value) }

// Apply sets fields.
func Apply(h Header, fields []Field) {
	for _, f := range fields {
		f.Set(h)
	}
}

// Header is what fields are set in: a header of fasthttp, or Lines.
type Header interface{ SetCanonical(name, value []byte) }

// Lines are field lines as they are sent.
type Lines []byte

// SetCanonical appends a line.
func (l *Lines) SetCanonical(name, value []byte) {
	b := append(append(*l, name...), ": "...)
	*l = append(append(b, value...), "\r\n"...)
}

// EncodeHead fills Head.
func (r *Response) EncodeHead() {
	var l Lines
	r.NotModifiedFrom = r.AppendHead(&l)
	r.Head = bytes.Clone(l)
	r.ETag, r.Link = within(r.Head, r.ETag), within(r.Head, r.Link)
}

// AppendHead appends all of a head but Date and Connection. A 304 repeats it from shared on.
func (r *Response) AppendHead(l *Lines) (shared int) {
	*l = append(*l, OKLine...)
	r.SetBodyFields(l)
	var room [20]byte
	l.SetCanonical(lengthName, strconv.AppendInt(room[:0], int64(r.Length()), 10))
	shared = len(*l)
	r.SetFields(l)
	return shared
}

// within returns the part of whole that equals part, to store one copy.
func within(whole, part []byte) []byte {
	at := bytes.Index(whole, part)
	return whole[at : at+len(part) : at+len(part)]
}

// SetBodyFields sets the fields that describe the body.
func (r *Response) SetBodyFields(h Header) {
	h.SetCanonical(typeName, contentType)
	if r.Coding != contentcoding.Identity {
		h.SetCanonical(codingName, codingNames[r.Coding])
	}
}

// SetFields sets the other fields, which a 304 has too.
func (r *Response) SetFields(h Header) {
	Apply(h, r.fields)
	h.SetCanonical(ETagName, r.ETag)
	if len(r.Link) > 0 {
		h.SetCanonical(linkName, r.Link)
	}
}

// Names and values in the form that SetCanonical takes.
var (
	typeName    = []byte("Content-Type")
	codingName  = []byte("Content-Encoding")
	lengthName  = []byte("Content-Length")
	ETagName    = []byte("Etag")
	linkName    = []byte("Link")
	contentType = []byte(release.ContentType)
	codingNames = func() (names [contentcoding.Count][]byte) {
		for _, c := range contentcoding.Codings {
			names[c] = []byte(c.String())
		}
		return names
	}()
)

func (r *Response) cost() int64 {
	return int64(len(r.Head)+len(r.Body)) + r.Memfile.Cost() + responseOverhead
}

const responseOverhead = 200 // without head and body
