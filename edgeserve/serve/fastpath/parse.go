// This file parses the request at the start of a buffer, finds its end and decides who answers.

package fastpath

import (
	"bytes"

	"contentedge/edgeserve/serve/httphead"
	"contentedge/edgeserve/wire/httpfield"
)

type verdict uint8

const (
	headIncomplete verdict = iota
	bodyIncomplete         // the head is complete and the end of the body known
	bodyChunked            // the end of the body is not known; size is the size of the head
	fast                   // complete; Lookup and Compute may answer it
	needsCompute           // complete; Lookup has no response
	handOffOne             // Fiber answers this request, whose end is known
	handOffConn            // Fiber takes the connection for good
	notHTTP                // another protocol
)

type parsedRequest struct {
	Request         Request
	head            httphead.Head
	bypass          bool // the response depends on something that Request lacks
	length          int  // of the body, in bytes
	expectsContinue bool // an Expect field: the client may wait before it sends the body
	unclearEnd      bool // a field leaves the end of the request uncertain
	lineBytes       int  // of an incomplete head: the bytes of complete lines
}

type parser struct {
	bypassHeaders [maxNameLength + 1][]string // ListenerConfig.BypassHeaders by length
}

const maxNameLength = 40 // the last index of bypassHeaders; longer names share it

func newParser(bypass []string) (p parser) {
	for _, name := range bypass {
		n := min(len(name), maxNameLength)
		p.bypassHeaders[n] = append(p.bypassHeaders[n], name)
	}
	return p
}

// parse parses the request at the start of b into r. size is the length of head and body if the
// verdict implies that the end is known. The first scanned bytes are complete header lines, skipped
// until the head is complete: a head in many pieces is scanned once.
func (p *parser) parse(b []byte, scanned int, r *parsedRequest) (v verdict, size int) {
	if scanned > 0 {
		if lines, parsable := skipLines(b, scanned); !parsable {
			r.lineBytes = lines
			return headIncomplete, 0
		}
	}
	line := bytes.IndexByte(b, '\n')
	if line < 0 {
		if len(b) > 0 && startsBinary(b[0]) {
			return notHTTP, 0 // a TLS handshake, for example: it has no line end to wait for
		}
		r.lineBytes = 0
		return headIncomplete, 0
	}
	*r = parsedRequest{}
	if endsInBareLF(b[:line]) {
		return notHTTP, 0 // Fiber would wait for a CRLF
	}
	if !r.parseRequestLine(b[:line]) {
		return handOffConn, 0
	}
	fields := b[line+1:]
	for {
		name, value, rest, ok := httphead.Next(fields)
		if !ok {
			if bytes.IndexByte(fields, '\n') < 0 {
				r.lineBytes = len(b) - len(fields)
				return headIncomplete, 0
			}
			if endsInBareLF(fields[:bytes.IndexByte(fields, '\n')]) {
				return notHTTP, 0
			}
			return handOffConn, 0
		}
		fields = rest
		if name == nil {
			r.Request.Fields = b[line+1 : len(b)-len(fields)]
			return r.classify(fields), len(b) - len(fields) + r.length
		}
		r.head.Note(name, value)
		p.noteField(r, name, value)
	}
}

// endsInBareLF reports whether a line, given without its LF, has bytes but no CR at its end.
func endsInBareLF(line []byte) bool { return len(line) > 0 && line[len(line)-1] != '\r' }

// skipLines skips header lines after the first scanned bytes of b. lines is the length of all complete lines. parsable
// is true once the head is complete or a line is malformed.
func skipLines(b []byte, scanned int) (lines int, parsable bool) {
	fields := b[scanned:]
	for {
		name, _, rest, ok := httphead.Next(fields)
		switch {
		case !ok:
			return len(b) - len(fields), bytes.IndexByte(fields, '\n') >= 0
		case name == nil:
			return len(b) - len(fields), true
		}
		fields = rest
	}
}

// startsBinary reports whether no line of text begins with c.
func startsBinary(c byte) bool { return c < ' ' && c != '\r' && c != '\n' || c >= 0x7f }

// parseRequestLine parses `METHOD /target HTTP/1.1` and its CR. It accepts OPTIONS: browsers send
// many preflights, and none needs the connection in Fiber.
func (r *parsedRequest) parseRequestLine(line []byte) bool {
	method, target, _ := bytes.Cut(line, []byte(" "))
	switch string(method) {
	case "GET":
	case "HEAD":
		r.Request.Head = true
	case "POST":
		r.Request.Post = true
	case "OPTIONS":
		r.bypass = true
	default:
		return false
	}
	r.Request.Target = target
	const end = " " + httphead.HTTP11 + "\r"
	n := len(r.Request.Target) - len(end)
	if n < 1 || r.Request.Target[0] != '/' || string(r.Request.Target[n:]) != end {
		return false
	}
	r.Request.Target = r.Request.Target[:n]
	return bytes.IndexByte(r.Request.Target, ' ') < 0
}

// classify returns the verdict on a complete head; rest is what has arrived after it.
func (r *parsedRequest) classify(rest []byte) verdict {
	switch {
	case r.expectsContinue || r.head.Judge(httphead.HTTP11) != httphead.None:
		return handOffConn
	case r.head.Encodings > 0:
		return bodyChunked // before unclearEnd: only the chunks tell where the body ends
	case r.unclearEnd || r.head.Close:
		return handOffConn
	case r.Request.Post != (r.head.Lengths == 1):
		return handOffConn // a GET with a body, or a POST without a length
	case r.length > len(rest):
		return bodyIncomplete
	case r.bypass:
		return handOffOne
	}
	r.Request.Body = rest[:r.length]
	return fast
}

func (p *parser) noteField(r *parsedRequest, name, value []byte) {
	switch len(name) {
	case len(httpfield.Expect):
		r.expectsContinue = r.expectsContinue || httpfield.FoldEqual(name, httpfield.Expect)
	case len(httpfield.Connection):
		r.unclearEnd = r.unclearEnd || httpfield.FoldEqual(name, httpfield.Connection) && !httpfield.FoldEqual(value, "keep-alive")
	case len(httpfield.RequestID):
		if httpfield.FoldEqual(name, httpfield.RequestID) {
			r.bypass = r.bypass || r.Request.ID != nil
			r.Request.ID = value
		}
	case len(httpfield.IfNoneMatch):
		if httpfield.FoldEqual(name, httpfield.IfNoneMatch) {
			r.bypass = r.bypass || r.Request.IfNoneMatch != nil
			r.Request.IfNoneMatch = value
		}
	case len(httpfield.ContentLength):
		if httpfield.FoldEqual(name, httpfield.ContentLength) {
			r.parseLength(value)
		}
	case len(httpfield.AcceptEncoding):
		if httpfield.FoldEqual(name, httpfield.AcceptEncoding) {
			r.bypass = r.bypass || r.Request.AcceptEncoding != nil
			r.Request.AcceptEncoding = value
		}
	}
	for _, b := range p.bypassHeaders[min(len(name), maxNameLength)] {
		r.bypass = r.bypass || httpfield.FoldEqual(name, b)
	}
}

const maxDigits = 9 // of a Content-Length; Fiber refuses longer ones

func (r *parsedRequest) parseLength(value []byte) {
	n, ok := httphead.ParseLength(value)
	r.length = n
	r.unclearEnd = r.unclearEnd || !ok || len(value) > maxDigits
}
