// This file exists because the engine reads some requests that RFC 9112 tells a
// server to refuse: other readers on the way (proxies, caches) may see different
// requests in the same bytes, and that difference is how requests are smuggled.
// The guard looks at the header block as it was sent and refuses whatever two
// honest readers could understand differently; the connection ends with the refusal.

package edgeserve

import (
	"bytes"

	"github.com/valyala/fasthttp"
)

// head is what the guard learns from a header block.
type head struct {
	close     bool // the client asks for the connection to be closed
	hosts     int
	lengths   int
	encodings int // Transfer-Encoding fields
	chunked   bool
	badHost   bool
}

// checkHead returns what is wrong with a request's head, nil if nothing is, and
// whether the client wants the connection closed after the answer.
func checkHead(h *fasthttp.RequestHeader) (closing bool, refusal *problem) {
	var f head
	if !f.read(h.RawHeaders()) {
		return false, errBadHead
	}
	if bytes.IndexByte(h.RequestURI(), '#') >= 0 {
		return false, errBadTarget
	}
	return f.judge(string(h.Protocol()))
}

// judge applies the rules that concern the head as a whole.
func (f *head) judge(protocol string) (closing bool, refusal *problem) {
	switch {
	case protocol != "HTTP/1.1" && protocol != "HTTP/1.0":
		return false, errBadVersion
	case f.hosts > 1 || f.badHost || f.hosts == 0 && protocol == "HTTP/1.1":
		return false, errBadHost
	case f.encodings > 0 && (f.encodings > 1 || !f.chunked || f.lengths > 0 || protocol == "HTTP/1.0"):
		return false, errBadFraming
	case f.lengths > 1:
		return false, errBadFraming
	}
	return f.close, nil
}

// read takes in a header block up to and including its empty line. It reports
// whether every line is `name: value` that ends in CRLF, and nothing follows.
func (f *head) read(raw []byte) bool {
	for len(raw) > 0 {
		end := bytes.IndexByte(raw, '\n')
		if end < 1 || raw[end-1] != '\r' {
			return false
		}
		line := raw[:end-1]
		raw = raw[end+1:]
		if len(line) == 0 {
			return len(raw) == 0
		}
		if !f.readLine(line) {
			return false
		}
	}
	return true
}

func (f *head) readLine(line []byte) bool {
	colon := bytes.IndexByte(line, ':')
	if colon < 1 {
		return false
	}
	name, value := line[:colon], trimOWS(line[colon+1:])
	for _, c := range name {
		if !byteClass[c].is(inToken) {
			return false
		}
	}
	for _, c := range value {
		if !byteClass[c].is(inValue) {
			return false
		}
	}
	f.note(name, value)
	return true
}

// note keeps what a field says about framing. The length of its name tells the four
// names of interest apart, so that most fields cost one comparison.
func (f *head) note(name, value []byte) {
	switch len(name) {
	case len("host"):
		if foldEqual(name, "host") {
			f.hosts++
			f.badHost = f.badHost || !validHost(value)
		}
	case len("connection"):
		if foldEqual(name, "connection") {
			f.close = f.close || hasToken(value, "close")
		}
	case len("content-length"):
		if foldEqual(name, "content-length") {
			f.lengths++
		}
	case len("transfer-encoding"):
		if foldEqual(name, "transfer-encoding") {
			f.encodings++
			f.chunked = foldEqual(value, "chunked")
		}
	}
}

// class says where a byte may stand.
type class uint8

const (
	inToken class = 1 << iota // field names, RFC 9110 5.6.2
	inValue                   // field values: no control byte but the tab, RFC 9110 5.5
	inHost                    // a registered name, RFC 3986 3.2.2
)

func (c class) is(want class) bool { return c&want != 0 }

// byteClass is the table behind the guard's loops.
var byteClass = func() (t [256]class) {
	for c := range t {
		if c >= 0x20 && c != 0x7f || c == '\t' {
			t[c] |= inValue
		}
		if c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' && c < 0x80 {
			t[c] |= inToken | inHost
		}
	}
	for _, c := range []byte("!#$%&'*+-.^_`|~") {
		t[c] |= inToken
	}
	for _, c := range []byte("-._~%!$&'()*+,;=") {
		t[c] |= inHost
	}
	return t
}()

// validHost reports whether v is `name`, `name:port`, `[address]` or `[address]:port`.
func validHost(v []byte) bool {
	name, port := v, []byte(nil)
	if len(v) > 0 && v[0] == '[' {
		end := bytes.IndexByte(v, ']')
		if end < 0 || !validLiteral(v[1:end]) {
			return false
		}
		name, port = nil, v[end+1:]
		if len(port) > 0 && port[0] != ':' {
			return false
		}
	} else if colon := bytes.IndexByte(v, ':'); colon >= 0 {
		name, port = v[:colon], v[colon:]
	}
	for _, c := range name {
		if !byteClass[c].is(inHost) {
			return false
		}
	}
	return len(port) == 0 || digits(port[1:])
}

// validLiteral accepts the bytes of an IPv6 address; which address it is does not
// matter, as the host is never used.
func validLiteral(v []byte) bool {
	for _, c := range v {
		if c != ':' && c != '.' && !(c >= '0' && c <= '9') && !(c|0x20 >= 'a' && c|0x20 <= 'f') {
			return false
		}
	}
	return len(v) > 0
}

func digits(v []byte) bool {
	for _, c := range v {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// foldEqual compares v with a lower-case text, ignoring the case of ASCII letters
// only: a wider folding takes the Kelvin sign for a k.
func foldEqual(v []byte, lower string) bool {
	if len(v) != len(lower) {
		return false
	}
	for i, c := range v {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// hasToken reports whether a comma-separated list holds a token.
func hasToken(list []byte, lower string) bool {
	for len(list) > 0 {
		item := list
		if comma := bytes.IndexByte(list, ','); comma >= 0 {
			item, list = list[:comma], list[comma+1:]
		} else {
			list = nil
		}
		if foldEqual(trimOWS(item), lower) {
			return true
		}
	}
	return false
}

func trimOWS(v []byte) []byte { return bytes.Trim(v, " \t") }
