// This file takes what the access log shows of a request's head.

package logs

import (
	"bytes"

	"contentedge/edgeserve/serve/httphead"
	"contentedge/edgeserve/wire/httpfield"
)

// Fields are the fields of a request that its line shows, as sent; nil if not sent.
type Fields struct {
	Host, UserAgent, Referer []byte
	TraceID                  []byte // of a valid traceparent
}

// FieldsOf finds the fields in a header block as received. Of a repeated field the first one counts, but a repeated
// traceparent is ignored.
func FieldsOf(head []byte) (f Fields) {
	var parent []byte
	parents := 0
	for {
		name, value, rest := httphead.Split(head)
		if name == nil {
			break
		}
		head = rest
		switch {
		case f.Host == nil && httpfield.FoldEqual(name, httpfield.Host):
			f.Host = value
		case f.UserAgent == nil && httpfield.FoldEqual(name, httpfield.UserAgent):
			f.UserAgent = value
		case f.Referer == nil && httpfield.FoldEqual(name, httpfield.Referer):
			f.Referer = value
		case httpfield.FoldEqual(name, httpfield.TraceParent):
			parent = value
			parents++
		}
	}
	if parents == 1 {
		f.TraceID = traceID(parent)
	}
	return f
}

// Unparsed returns what a line shows of a request that could not be parsed, from its first bytes. The text of the
// request line is the target, unless the line has its three parts. The fields come from complete lines.
func Unparsed(head []byte) (r Request) {
	line, rest, _ := bytes.Cut(head, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	r.Target, r.Fields = line, FieldsOf(rest)
	method, after, _ := bytes.Cut(line, []byte(" "))
	if end := bytes.LastIndexByte(after, ' '); httpfield.IsToken(method) && end > 0 && bytes.HasPrefix(after[end+1:], []byte("HTTP/")) {
		r.Method, r.Target, r.Protocol = method, after[:end], after[end+1:]
	}
	return r
}

// The parts of a traceparent (W3C Trace Context): version-trace-parent-flags, in lower-case hexadecimal.
const (
	traceLength  = 32
	parentLength = 16
	traceBegin   = len("00-")
	traceEnd     = traceBegin + traceLength
	parentBegin  = traceEnd + 1
	parentEnd    = parentBegin + parentLength
	flagsBegin   = parentEnd + 1
	fullLength   = flagsBegin + len("01") // of version 00; later ones may add parts
)

// traceID returns the trace id of a valid traceparent, or nil.
func traceID(v []byte) []byte {
	if len(v) < fullLength || len(v) > fullLength && (string(v[:2]) == "00" || v[fullLength] != '-') || string(v[:2]) == "ff" {
		return nil
	}
	if v[traceBegin-1] != '-' || v[traceEnd] != '-' || v[parentEnd] != '-' {
		return nil
	}
	trace, parent := v[traceBegin:traceEnd], v[parentBegin:parentEnd]
	if !isHex(v[:2]) || !isHex(v[flagsBegin:fullLength]) || !isHex(trace) || !isHex(parent) || allZero(trace) || allZero(parent) {
		return nil
	}
	return trace
}

func isHex(v []byte) bool {
	for _, c := range v {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func allZero(v []byte) bool {
	for _, c := range v {
		if c != '0' {
			return false
		}
	}
	return true
}
