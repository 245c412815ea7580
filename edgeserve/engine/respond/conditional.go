// This file decides If-Match, If-None-Match, Range and If-Range by the rules of RFC 9110.

package respond

import (
	"bytes"

	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/problem"
)

// Selection says what to send of a response: its body, a part of the body, no body, or a problem instead.
type Selection struct {
	Status   int              // 200, 206, 304, 412 or 416
	From, To int              // the part of the body, for 206
	Problem  *problem.Problem // for 412 and 416
}

// choose applies a request's conditions to the 200 of a body with a tag and a length. The conditions
// of a POST count too, because a search changes nothing.
func choose(request RequestFields, get bool, etag []byte, length int) Selection {
	if !ifMatch(request, etag) {
		return refused(problem.PreconditionFailed)
	}
	for _, value := range request.PeekAll(httpfield.IfNoneMatch) {
		if MatchesTag(value, etag) {
			return Selection{Status: notModified}
		}
	}
	if !get {
		return Selection{Status: ok}
	}
	switch p, from, to := requestedRange(request, etag, length); p {
	case unsatisfiable:
		return refused(problem.BadRange)
	case some:
		return Selection{Status: partial, From: from, To: to}
	}
	return Selection{Status: ok}
}

func refused(code string) Selection {
	p := problem.Of(code)
	return Selection{Status: p.Status, Problem: p}
}

// ifMatch reports whether If-Match allows the response: the field is absent, is *, or names the tag strongly.
func ifMatch(request RequestFields, etag []byte) bool {
	values := request.PeekAll(httpfield.IfMatch)
	for _, value := range values {
		if matchesStrongly(value, etag) {
			return true
		}
	}
	return len(values) == 0
}

func requestedRange(request RequestFields, etag []byte, length int) (p part, from, to int) {
	ranges := request.PeekAll(httpfield.Range)
	if len(ranges) != 1 {
		return whole, 0, 0
	}
	p, from, to = parseRange(ranges[0], length)
	if condition := request.Peek(httpfield.IfRange); len(condition) > 0 && !bytes.Equal(condition, etag) {
		return whole, 0, 0
	}
	return p, from, to
}

// MatchesTag reports whether an If-None-Match value is `*` or names tag, by weak comparison. It
// ignores what follows a malformed entry.
func MatchesTag(value, tag []byte) bool { return namesTag(value, tag, true) }

func matchesStrongly(value, tag []byte) bool { return namesTag(value, tag, false) }

func namesTag(value, tag []byte, weakly bool) bool {
	if string(httpfield.TrimSpace(value)) == "*" {
		return true
	}
	for {
		value = bytes.TrimLeft(value, " \t,")
		opaque := bytes.TrimPrefix(value, []byte("W/"))
		weak := len(opaque) < len(value)
		if len(opaque) < 2 || opaque[0] != '"' {
			return false
		}
		end := bytes.IndexByte(opaque[1:], '"')
		if end < 0 {
			return false
		}
		if bytes.Equal(opaque[:end+2], tag) && (weakly || !weak) {
			return true
		}
		value = opaque[end+2:]
	}
}

type part uint8

const (
	whole         part = iota // the request has no range, or one that a server may ignore
	some                      // the bytes from `from` up to, not including, `to`
	unsatisfiable             // the range has no byte of the body
)

const maxOffset = 1 << 58 // larger numbers become maxOffset; ten times maxOffset still fits an int

// parseRange reads a Range value for a body of n bytes. Several ranges, which would need a multipart body, get
// the whole body, as the RFC allows.
func parseRange(value []byte, n int) (p part, from, to int) {
	equal := bytes.IndexByte(value, '=')
	if equal < 0 || !httpfield.FoldEqual(value[:equal], "bytes") {
		return whole, 0, 0
	}
	spec := httpfield.TrimSpace(value[equal+1:])
	dash := bytes.IndexByte(spec, '-')
	if dash < 0 {
		return whole, 0, 0
	}
	first, hasFirst := offset(spec[:dash])
	last, hasLast := offset(spec[dash+1:])
	switch {
	case first < 0 || last < 0 || !hasFirst && !hasLast || hasFirst && hasLast && last < first:
		return whole, 0, 0
	case !hasFirst && last == 0, first >= n:
		return unsatisfiable, 0, 0
	case !hasFirst:
		from, to = max(n-last, 0), n
	case !hasLast:
		from, to = first, n
	default:
		from, to = first, min(last, n-1)+1
	}
	if from == 0 && to == n {
		return whole, 0, 0
	}
	return some, from, to
}

// offset reads a decimal number. It returns -1 for a text that is not a number. there reports whether the text is not
// empty.
func offset(b []byte) (n int, there bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return -1, true
		}
		n = min(n*10+int(c-'0'), maxOffset)
	}
	return n, len(b) > 0
}
