// This file lists the server's own refusals. Their texts are fixed: they repeat nothing of a
// request. Packages address, query and search bring codes for what they parse.

package delivery

import (
	"errors"

	"contentedge/edgeserve/engine/elastic"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
)

// Problem is the body of a response that is not 200, with its status.
type Problem = envelope.Error

// NewProblem returns a problem that no place in the request causes.
func NewProblem(status int, code, message string) *Problem {
	return &Problem{Status: status, Code: code, Message: message, Position: -1}
}

// The problems.
var (
	ErrBadRequest  = NewProblem(400, "bad_request", "the request could not be read as HTTP/1.1")
	ErrBadHead     = NewProblem(400, "bad_header", "every header line must be a name, a colon and a value without control bytes, and end in CRLF")
	ErrBadTarget   = NewProblem(400, "bad_target", "the request target must be a path with an optional query")
	ErrBadHost     = NewProblem(400, "bad_host", "one Host header with a host name and an optional port is needed")
	ErrBadFraming  = NewProblem(400, "bad_framing", "the body's length must be given once, by Content-Length or by Transfer-Encoding: chunked")
	ErrBadVersion  = NewProblem(505, "bad_http_version", "only HTTP/1.1 and HTTP/1.0 are spoken here")
	ErrTimeout     = NewProblem(408, "request_timeout", "the request did not arrive in time")
	ErrHeadSize    = NewProblem(431, "head_too_large", "the request line and headers are longer together than this server reads")
	ErrBodySize    = NewProblem(413, "body_too_large", "the body is larger than this server reads; send a shorter query")
	ErrBodyCoding  = NewProblem(415, "content_encoding", "the body must be sent as it is, or once in gzip and with Content-Encoding: gzip")
	ErrGzip        = NewProblem(400, "bad_gzip", "the body is not the whole gzip stream that Content-Encoding says it is")
	ErrRoute       = NewProblem(404, "unknown_route", "no such address; paths are case-sensitive and end without a slash")
	ErrEnvironment = NewProblem(404, "unknown_environment", "no environment of this release has that id")
	ErrItem        = NewProblem(404, "unknown_item", "no content item of this environment has that id")
	ErrSearch      = NewProblem(404, "unknown_search", "no saved search of this environment has that name, or it has fewer pages")
	ErrMethod      = NewProblem(405, "method_not_allowed", "this address does not take that method; see Allow")
	ErrHost        = NewProblem(421, "unknown_host", "this server does not answer for that host, as a page of another site may be asking; if the name is yours, start the server with --host NAME")
	ErrNoMatch     = NewProblem(412, "precondition_failed", "the response has none of the tags that If-Match names; send the request without If-Match for the current one")
	ErrRange       = NewProblem(416, "bad_range", "the body ends before the bytes that Range asks for; Content-Range says where")
	ErrNotReady    = NewProblem(503, "not_ready", "no release is loaded yet; try again")
	ErrOverload    = NewProblem(503, "overloaded", "too many requests are being answered; try again")
	ErrUnreadable  = NewProblem(503, "unreadable", "the release could not be read; try again")
	ErrInternal    = NewProblem(500, "internal", "the request could not be answered; the cause is in the server's log")
)

// ProblemOf turns errors of the parsing packages into problems. Any other error is the server's
// fault, and its text stays inside.
func ProblemOf(err error) *Problem {
	if e, ok := errors.AsType[*address.Error](err); ok {
		return &Problem{Status: 400, Code: e.Code, Message: e.Message, Parameter: e.Parameter, Position: -1}
	}
	if e, ok := errors.AsType[*query.Error](err); ok {
		status := 400
		if e == search.ErrTimeout {
			status = 503
		}
		return &Problem{Status: status, Code: e.Code, Message: e.Message, Parameter: e.Parameter, Position: e.Position, Evaluated: e.Evaluated}
	}
	if e, ok := errors.AsType[*elastic.NotFound](err); ok {
		p := *NewProblem(404, e.Code, e.Message)
		p.Parameter = e.Name
		return &p
	}
	if e, ok := errors.AsType[*elastic.Refused](err); ok {
		return e.Problem
	}
	if _, ok := errors.AsType[*snapshot.CorruptError](err); ok {
		return ErrUnreadable
	}
	return ErrInternal
}
