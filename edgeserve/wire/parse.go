// This file decides about the bytes at the start of a request: whose it is, and where
// it ends.

package wire

import (
	"bytes"

	"contentedge/edgeserve/guard"
)

// verdict says what to do with a request.
type verdict uint8

const (
	more    verdict = iota // its head has not arrived
	plain                  // may have a prepared answer
	bounded                // the engine's, and its end is known
	foreign                // the engine's, and so is the rest of the connection
)

// The start of what can be plain. Methods are case-sensitive.
const (
	getMethod  = "GET "
	headMethod = "HEAD "
	postMethod = "POST "
	protocol   = "HTTP/1.1"
)

// parsed is what a head says.
type parsed struct {
	Request
	head   guard.Head
	engine bool // a field decides that Request lacks
	length int64
	strict bool // a field that makes the end of the request less than plain
}

// parse reads the request at the start of b. size is that of its head, and of its body
// if that has to be read by the engine.
func (l *Listener) parse(b []byte, r *parsed) (v verdict, size int64) {
	line := bytes.IndexByte(b, '\n')
	if line < 0 {
		return more, 0
	}
	*r = parsed{}
	if !r.readLine(b[:line]) {
		return foreign, 0
	}
	fields := b[line+1:]
	for {
		name, value, rest, ok := guard.Next(fields)
		if !ok {
			if bytes.IndexByte(fields, '\n') < 0 {
				return more, 0
			}
			return foreign, 0
		}
		fields = rest
		if name == nil {
			return r.verdict(fields), int64(len(b)-len(fields)) + r.length
		}
		r.head.Note(name, value)
		l.note(r, name, value)
	}
}

// readLine takes `METHOD /target HTTP/1.1` and the carriage return behind it.
func (r *parsed) readLine(line []byte) bool {
	var ok bool
	if r.Target, ok = bytes.CutPrefix(line, []byte(getMethod)); !ok {
		if r.Target, r.Head = bytes.CutPrefix(line, []byte(headMethod)); !r.Head {
			r.Target, r.Post = bytes.CutPrefix(line, []byte(postMethod))
		}
	}
	n := len(r.Target) - len(" "+protocol+"\r")
	if n < 1 || r.Target[0] != '/' || string(r.Target[n:]) != " "+protocol+"\r" {
		return false
	}
	r.Target = r.Target[:n]
	return bytes.IndexByte(r.Target, ' ') < 0
}

// verdict judges a whole head and what has arrived behind it.
func (r *parsed) verdict(rest []byte) verdict {
	switch {
	case r.strict || r.head.Close || r.head.Encodings > 0 || r.head.Judge(protocol) != guard.None:
		return foreign
	case r.Post != (r.head.Lengths == 1):
		return foreign // a body that nobody expects, or one of unknown length
	case r.engine || r.length > int64(len(rest)):
		return bounded
	}
	r.Body = rest[:r.length]
	return plain
}

// note keeps what a field says about the answer and the end of the request.
func (l *Listener) note(r *parsed, name, value []byte) {
	switch len(name) {
	case len("expect"):
		r.strict = r.strict || guard.FoldEqual(name, "expect")
	case len("connection"):
		r.strict = r.strict || guard.FoldEqual(name, "connection") && !guard.FoldEqual(value, "keep-alive")
	case len("if-none-match"):
		if guard.FoldEqual(name, "if-none-match") {
			r.engine = r.engine || r.IfNoneMatch != nil
			r.IfNoneMatch = value
		}
	case len("content-length"):
		if guard.FoldEqual(name, "content-length") {
			r.readLength(value)
		}
	case len("accept-encoding"):
		if guard.FoldEqual(name, "accept-encoding") {
			r.engine = r.engine || r.AcceptEncoding != nil
			r.AcceptEncoding = value
		}
	}
	for _, deciding := range l.deciding[min(len(name), maxName)] {
		r.engine = r.engine || guard.FoldEqual(name, deciding)
	}
}

// maxDigits bounds a length that is read here; longer ones are the engine's to refuse.
const maxDigits = 9

func (r *parsed) readLength(value []byte) {
	if len(value) == 0 || len(value) > maxDigits {
		r.strict = true
		return
	}
	for _, c := range value {
		if c < '0' || c > '9' {
			r.strict = true
			return
		}
		r.length = 10*r.length + int64(c-'0')
	}
}
