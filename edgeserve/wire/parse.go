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
	partial                // its body has not, and its end is known
	plain                  // may be answered here
	unmade                 // and has no prepared answer
	bounded                // the engine's, and its end is known
	foreign                // the engine's, and so is the rest of the connection
	alien                  // another protocol's
)

// protocol is the only one of which the end of a request is plain to see.
const protocol = "HTTP/1.1"

// parsed is what a head says.
type parsed struct {
	Request
	head   guard.Head
	engine bool // a method or a field decides that Request lacks
	length int  // of the body
	strict bool // a field that makes the end of the request less than plain
	lines  int  // of a head that has not arrived, how many bytes are whole lines
}

// parser reads heads. It knows the names of the fields that are the engine's to judge.
type parser struct {
	deciding [maxName + 1][]string // by length
}

// maxName is the longest name of a deciding field.
const maxName = 40

func newParser(deciding []string) (p parser) {
	for _, name := range deciding {
		n := min(len(name), maxName)
		p.deciding[n] = append(p.deciding[n], name)
	}
	return p
}

// parse reads the request at the start of b, of whose head so many bytes are known to be whole
// lines: they are not read again before the rest of it is there. size is that of its head and of its body, if
// its end is plain to see.
func (p *parser) parse(b []byte, known int, r *parsed) (v verdict, size int) {
	if known > 0 {
		if lines, whole := wholeLines(b, known); !whole {
			r.lines = lines
			return more, 0
		}
	}
	line := bytes.IndexByte(b, '\n')
	if line < 0 {
		if len(b) > 0 && isBinary(b[0]) {
			return alien, 0 // as TLS begins; nobody would end the line
		}
		r.lines = 0
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
				r.lines = len(b) - len(fields)
				return more, 0
			}
			return foreign, 0
		}
		fields = rest
		if name == nil {
			return r.verdict(fields), len(b) - len(fields) + r.length
		}
		r.head.Note(name, value)
		p.note(r, name, value)
	}
}

// wholeLines goes on after so many bytes of a head's lines. whole reports that the head is to
// be parsed: all of it is there, or something else than another of its lines.
func wholeLines(b []byte, known int) (lines int, whole bool) {
	fields := b[known:]
	for {
		name, _, rest, ok := guard.Next(fields)
		switch {
		case !ok:
			return len(b) - len(fields), bytes.IndexByte(fields, '\n') >= 0
		case name == nil:
			return len(b) - len(fields), true
		}
		fields = rest
	}
}

// isBinary reports whether no line of text begins with c.
func isBinary(c byte) bool { return c < ' ' && c != '\r' && c != '\n' || c >= 0x7f }

// readLine takes `METHOD /target HTTP/1.1` and the carriage return behind it, of the methods
// that have a plain answer or, as browsers' preflights are frequent, OPTIONS.
func (r *parsed) readLine(line []byte) bool {
	method, target, _ := bytes.Cut(line, []byte(" "))
	switch string(method) {
	case "GET":
	case "HEAD":
		r.Head = true
	case "POST":
		r.Post = true
	case "OPTIONS":
		r.engine = true
	default:
		return false
	}
	r.Target = target
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
	case r.length > len(rest):
		return partial
	case r.engine:
		return bounded
	}
	r.Body = rest[:r.length]
	return plain
}

// note keeps what a field says about the answer and the end of the request.
func (p *parser) note(r *parsed, name, value []byte) {
	switch len(name) {
	case len("expect"):
		r.strict = r.strict || guard.FoldEqual(name, "expect")
	case len("connection"):
		r.strict = r.strict || guard.FoldEqual(name, "connection") && !guard.FoldEqual(value, "keep-alive")
	case len("x-request-id"):
		if guard.FoldEqual(name, "x-request-id") {
			r.engine = r.engine || r.ID != nil
			r.ID = value
		}
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
	for _, deciding := range p.deciding[min(len(name), maxName)] {
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
		r.length = 10*r.length + int(c-'0')
	}
}
