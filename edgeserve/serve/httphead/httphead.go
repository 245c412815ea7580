// Package httphead checks the head and the chunks of a request as received. Fiber (fasthttp)
// accepts requests that RFC 9112 has a server refuse, in which proxies and caches may see other
// requests (request smuggling). A request that correct readers may understand differently has a
// Fault, and its connection should close.
package httphead

import (
	"bytes"
	"encoding/binary"

	"contentedge/edgeserve/wire/httpfield"
)

// Fault is the reason to refuse a head.
type Fault uint8

// The faults.
const (
	None    Fault = iota
	Fields        // a line is not `name: value` CRLF
	Version       // neither HTTP/1.1 nor HTTP/1.0
	Host          // missing, repeated or not a host name
	Framing       // the body has two lengths, or an unknown transfer coding
)

// The protocol versions that Judge accepts.
const (
	HTTP11 = "HTTP/1.1"
	HTTP10 = "HTTP/1.0"
)

// Head is what a header block says about the connection and the body.
type Head struct {
	Close     bool // Connection: close
	Hosts     int  // number of Host fields
	BadHost   bool // a value is not a host name
	Lengths   int  // number of Content-Length fields
	Length    int  // value of the last, at most MaxLength; 0 if it is not a number
	Encodings int  // number of Transfer-Encoding fields
	Chunked   bool // the last coding is exactly chunked
}

// MaxLength is above any server's limit for bodies. ParseLength returns it for longer ones.
const MaxLength = 1 << 40

// Judge applies the rules that concern the head as a whole.
func (h *Head) Judge(protocol string) Fault {
	switch {
	case protocol != HTTP11 && protocol != HTTP10:
		return Version
	case h.Hosts > 1 || h.BadHost || h.Hosts == 0 && protocol == HTTP11:
		return Host
	case h.Encodings > 0 && (h.Encodings > 1 || !h.Chunked || h.Lengths > 0 || protocol == HTTP10):
		return Framing
	case h.Lengths > 1:
		return Framing
	}
	return None
}

// Read reads a header block and its empty line. It reports whether every line is `name: value` CRLF
// and nothing follows the empty line.
func (h *Head) Read(raw []byte) bool {
	for len(raw) > 0 {
		name, value, rest, ok := Next(raw)
		if !ok {
			return false
		}
		if name == nil {
			return len(rest) == 0
		}
		h.Note(name, value)
		raw = rest
	}
	return true
}

// Next splits off the first field of a header block; name is nil at the empty line. ok reports
// whether the line is `name: value` CRLF.
func Next(raw []byte) (name, value, rest []byte, ok bool) {
	end := bytes.IndexByte(raw, '\n')
	if end < 1 || raw[end-1] != '\r' {
		return nil, nil, nil, false
	}
	line, rest := raw[:end-1], raw[end+1:]
	if len(line) == 0 {
		return nil, nil, rest, true
	}
	colon := bytes.IndexByte(line, ':')
	if colon < 1 {
		return nil, nil, nil, false
	}
	name, value = line[:colon], httpfield.TrimSpace(line[colon+1:])
	return name, value, rest, httpfield.IsToken(name) && isValue(value)
}

// Split splits off the first field of a header block that Read has accepted, without the checks of Next.
// name is nil at the end.
func Split(raw []byte) (name, value, rest []byte) {
	end := bytes.IndexByte(raw, '\n')
	if end < 1 {
		return nil, nil, nil
	}
	colon := bytes.IndexByte(raw[:end], ':')
	if colon < 1 {
		return nil, nil, nil
	}
	return raw[:colon], httpfield.TrimSpace(bytes.TrimSuffix(raw[colon+1:end], []byte("\r"))), raw[end+1:]
}

// isValue skips eight bytes at a time while they contain no control byte.
func isValue(value []byte) bool {
	for len(value) >= 8 && !anyControl(binary.LittleEndian.Uint64(value)) {
		value = value[8:]
	}
	return all(value, inValue)
}

// anyControl reports whether one of eight bytes is below 0x20 or is 0x7F. Subtraction sets the top
// bit of a smaller byte by a borrow; the lowest such bit is never false.
func anyControl(eight uint64) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	deleted := eight ^ 0x7F*ones
	return ((eight-0x20*ones)&^eight|(deleted-ones)&^deleted)&tops != 0
}

// Note records a field. The four names of interest differ in length: most cost one comparison.
func (h *Head) Note(name, value []byte) {
	switch len(name) {
	case len(httpfield.Host):
		if httpfield.FoldEqual(name, httpfield.Host) {
			h.Hosts++
			h.BadHost = h.BadHost || !ValidHost(value)
		}
	case len(httpfield.Connection):
		if httpfield.FoldEqual(name, httpfield.Connection) {
			h.Close = h.Close || hasToken(value, "close")
		}
	case len(httpfield.ContentLength):
		if httpfield.FoldEqual(name, httpfield.ContentLength) {
			h.Lengths++
			h.Length, _ = ParseLength(value)
		}
	case len(httpfield.TransferEncoding):
		if httpfield.FoldEqual(name, httpfield.TransferEncoding) {
			h.Encodings++
			h.Chunked = httpfield.FoldEqual(value, "chunked")
		}
	}
}

type class uint8

const (
	inValue   class = 1 << iota // field values: no control byte but HTAB, RFC 9110 5.5
	inHost                      // a registered name, RFC 3986 3.2.2
	inLiteral                   // an IPv6 address, RFC 3986 3.2.2
	inNumber                    // decimal digits
)

func (c class) is(want class) bool { return c&want != 0 }

var byteClass = func() (t [256]class) {
	for c := range t {
		if c >= 0x20 && c != 0x7f || c == '\t' {
			t[c] |= inValue
		}
		if c >= '0' && c <= '9' {
			t[c] |= inNumber
		}
		if c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' && c < 0x80 {
			t[c] |= inHost
		}
	}
	for _, c := range []byte("-._~%!$&'()*+,;=") {
		t[c] |= inHost
	}
	for _, c := range []byte("0123456789abcdefABCDEF:.") {
		t[c] |= inLiteral
	}
	return t
}()

// all reports whether each byte of v is allowed in the place.
func all(v []byte, place class) bool {
	for _, c := range v {
		if !byteClass[c].is(place) {
			return false
		}
	}
	return true
}

// ValidHost reports whether v is `name`, `name:port`, `[address]` or `[address]:port`.
func ValidHost(v []byte) bool {
	name, port := v, []byte(nil)
	if len(v) > 0 && v[0] == '[' {
		end := bytes.IndexByte(v, ']')
		if end < 2 || !all(v[1:end], inLiteral) { // any mix of its bytes: the address is never used
			return false
		}
		name, port = nil, v[end+1:]
		if len(port) > 0 && port[0] != ':' {
			return false
		}
	} else if colon := bytes.IndexByte(v, ':'); colon >= 0 {
		name, port = v[:colon], v[colon:]
	}
	return all(name, inHost) && (len(port) == 0 || all(port[1:], inNumber))
}

// ParseLength returns the value of a Content-Length field, at most MaxLength. ok reports
// whether it consists of decimal digits.
func ParseLength(v []byte) (n int, ok bool) {
	if len(v) == 0 || !all(v, inNumber) {
		return 0, false
	}
	for _, c := range v {
		n = min(10*n+int(c-'0'), MaxLength)
	}
	return n, true
}

// hasToken reports whether a comma-separated list contains a token.
func hasToken(list []byte, lower string) bool {
	for len(list) > 0 {
		var item []byte
		item, list, _ = bytes.Cut(list, []byte(","))
		if httpfield.FoldEqual(httpfield.TrimSpace(item), lower) {
			return true
		}
	}
	return false
}
