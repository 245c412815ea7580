// This file holds the part of a response that does not change from request to request.

package respcache

import (
	"bytes"

	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/serve/clientnet"
	"contentedge/edgeserve/wire/httpfield"
)

// Response is the 200 of a file or a computed body, in one coding. Once cached it never changes, so
// it may be sent while it is evicted.
type Response struct {
	// Head is the status line and all field lines but Date and Connection, with CRLFs, without the
	// empty line. A 304 repeats it from NotModifiedFrom on. A response that is sent once has none.
	Head            []byte
	NotModifiedFrom int
	Meta            respond.Metadata // its tag and Link are parts of Head if there is one
	Body            []byte
	Memfile         *bodies.Memfile // holds Body too; nil without a file in memory. The cache releases it
	Disk            *bodies.Disk    // the body instead of Body, for one request; nil if it is in memory

	holders bodies.Holders // of a large body
}

// IsLarge reports whether the body counts in a budget while it is sent.
func (r *Response) IsLarge() bool { return len(r.Body) >= bodies.Large }

// Hold takes the memory of a large body for one more request of a client.
func (r *Response) Hold(m *bodies.Budget, client clientnet.Client) bool {
	return m.Hold(&r.holders, len(r.Body), client)
}

// Release ends a Hold.
func (r *Response) Release(m *bodies.Budget, client clientnet.Client) {
	m.Release(&r.holders, len(r.Body), client)
}

// HoldTaken is Hold by the maker of a response, which has taken the memory.
func (r *Response) HoldTaken(client clientnet.Client) { r.holders.Add(client) }

// Length is the length of the body in bytes.
func (r *Response) Length() int {
	if r.Disk != nil {
		return r.Disk.FileSize
	}
	return len(r.Body)
}

// EncodeHead fills Head.
func (r *Response) EncodeHead() {
	var l httpfield.Lines
	r.NotModifiedFrom = r.Meta.AppendHead(&l, r.Length())
	r.Head = bytes.Clone(l)
	r.Meta.ETag, r.Meta.Link = within(r.Head, r.Meta.ETag), within(r.Head, r.Meta.Link)
}

// within returns the part of whole that equals part, to store one copy.
func within(whole, part []byte) []byte {
	at := bytes.Index(whole, part)
	return whole[at : at+len(part) : at+len(part)]
}

func (r *Response) cost() int64 {
	return int64(len(r.Head)+len(r.Body)) + r.Memfile.Cost() + responseOverhead
}

const responseOverhead = 200 // without head and body
