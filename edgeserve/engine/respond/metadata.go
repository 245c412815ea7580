// This file writes the fields of a response with status 200, and marks the fields that a 304 repeats.

package respond

import (
	"encoding/base64"
	"encoding/binary"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/release"
)

// Metadata holds the values of the fields of a 200 for a body in one content coding.
type Metadata struct {
	Fields []httpfield.Field // of the class, from ContentFields
	Coding contentcoding.Coding
	ETag   []byte
	Link   []byte // may be empty
	// Approximate says why the results in the body are approximate; empty if they are exact.
	Approximate []byte
	// ContentType is the field of a body that is not JSON, otherwise nil.
	ContentType *httpfield.Field
}

// Status lines.
const (
	OKLine          = "HTTP/1.1 200 OK\r\n"
	NotModifiedLine = "HTTP/1.1 304 Not Modified\r\n"
)

// AppendHead appends the status line and the field lines of a 200, without X-Release, Date and Connection. shared is
// the offset from which on a 304 repeats the lines.
func (m *Metadata) AppendHead(l *httpfield.Lines, length int) (shared int) {
	*l = append(*l, OKLine...)
	m.setBodyFields(l)
	var room [20]byte
	l.SetCanonical(lengthName, strconv.AppendInt(room[:0], int64(length), 10))
	shared = len(*l)
	m.setFields(l)
	return shared
}

// setBodyFields sets the fields that describe the body.
func (m *Metadata) setBodyFields(h httpfield.Header) {
	if m.ContentType != nil {
		m.ContentType.Set(h)
	} else {
		contentType.Set(h)
	}
	if m.Coding != contentcoding.Identity {
		codings[m.Coding].Set(h)
	}
}

// setFields sets the other fields, which a 304 has too.
func (m *Metadata) setFields(h httpfield.Header) {
	httpfield.Apply(h, m.Fields)
	h.SetCanonical(etagName, m.ETag)
	if len(m.Link) > 0 {
		h.SetCanonical(linkName, m.Link)
	}
	if len(m.Approximate) > 0 {
		h.SetCanonical(approximateName, m.Approximate)
	}
}

// Names and fields in the form that SetCanonical takes.
var (
	lengthName = []byte(httpfield.ContentLength)
	rangeName  = []byte(httpfield.ContentRange)
	etagName   = []byte(httpfield.ETag)
	linkName   = []byte(httpfield.Link)

	approximateName = []byte(httpfield.Approximate)
	codings         = func() (fields [contentcoding.Count]httpfield.Field) {
		for _, c := range contentcoding.Codings {
			fields[c] = httpfield.New(httpfield.ContentEncoding, c.String())
		}
		return fields
	}()
)

// Tag returns the strong entity tag of a body. If some node may have the body in a file, it is the tag of
// the file.
func Tag(body []byte, mayBeFile bool) []byte {
	if mayBeFile {
		return []byte(release.ETag(body))
	}
	return quickTag(body)
}

// quickTag returns the tag of a body that no node has in a file: of a search, or of a list outside all
// families. It costs an eighth of release.ETag. Its 64 bits suffice to tell versions of a body apart.
func quickTag(body []byte) []byte {
	b := make([]byte, 2+11)
	b[0], b[12] = '"', '"'
	base64.RawURLEncoding.Encode(b[1:12], binary.BigEndian.AppendUint64(nil, xxhash.Sum64(body)))
	return b
}
