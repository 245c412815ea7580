// This file lists every refusal the server itself can give, so that statuses and
// codes stand in one place. Texts are fixed: nothing of a request is repeated. The
// packages address, query and search bring their own codes for what they parse.

package edgeserve

import (
	"errors"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/envelope"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/release"
	"contentedge/edgeserve/search"
	"contentedge/edgeserve/snapshot"
)

// problem is an answer that is not 200.
type problem = envelope.Error

func newProblem(status int, code, message string) *problem {
	return &problem{Status: status, Code: code, Message: message, Position: -1}
}

var (
	errBadRequest  = newProblem(400, "bad_request", "the request could not be read as HTTP/1.1")
	errBadHead     = newProblem(400, "bad_header", "every header line must be a name, a colon and a value without control bytes, and end in CRLF")
	errBadTarget   = newProblem(400, "bad_target", "the request target must be a path with an optional query")
	errBadHost     = newProblem(400, "bad_host", "one Host header with a host name and an optional port is needed")
	errBadFraming  = newProblem(400, "bad_framing", "the body's length must be given once, by Content-Length or by Transfer-Encoding: chunked")
	errBadVersion  = newProblem(505, "bad_http_version", "only HTTP/1.1 and HTTP/1.0 are spoken here")
	errTimeout     = newProblem(408, "request_timeout", "the request did not arrive in time")
	errHeadSize    = newProblem(431, "head_too_large", "the request line and headers are longer together than this server reads")
	errBodySize    = newProblem(413, "body_too_large", "the body is larger than this server reads; send a shorter query")
	errBodyCoding  = newProblem(415, "content_encoding", "the body must be sent as it is, or once in gzip and with Content-Encoding: gzip")
	errGzip        = newProblem(400, "bad_gzip", "the body is not the whole gzip stream that Content-Encoding says it is")
	errRoute       = newProblem(404, "unknown_route", "no such address; paths are case-sensitive and end without a slash")
	errEnvironment = newProblem(404, "unknown_environment", "no environment of this release has that id")
	errItem        = newProblem(404, "unknown_item", "no content item of this environment has that id")
	errMethod      = newProblem(405, "method_not_allowed", "this address does not take that method; see Allow")
	errHost        = newProblem(421, "unknown_host", "this server does not answer for that host, as a page of another site may be asking; if the name is yours, start the server with --host NAME")
	errNoMatch     = newProblem(412, "precondition_failed", "the answer has none of the tags that If-Match names; ask without it for the one that there is")
	errRange       = newProblem(416, "bad_range", "the body ends before the bytes that Range asks for; Content-Range says where")
	errNotReady    = newProblem(503, "not_ready", "no release is loaded yet; try again")
	errOverload    = newProblem(503, "overloaded", "too many requests are being answered; try again")
	errUnreadable  = newProblem(503, "unreadable", "the release could not be read; try again")
	errInternal    = newProblem(500, "internal", "the request could not be answered; the cause is in the server's log")
)

// mismatch is the refusal of a request for another release than the one served.
func mismatch(build string) *problem {
	return newProblem(412, "release_mismatch", "this node serves release "+build+"; begin again with that one, or ask without "+release.Header)
}

// problemOf turns the errors of the parsing packages into answers; any other error is
// the server's fault, and its text stays inside.
func problemOf(err error) *problem {
	if e, ok := errors.AsType[*address.Error](err); ok {
		return &problem{Status: 400, Code: e.Code, Message: e.Message, Parameter: e.Parameter, Position: -1}
	}
	if e, ok := errors.AsType[*query.Error](err); ok {
		status := 400
		if e == search.ErrTimeout {
			status = 503
		}
		return &problem{Status: status, Code: e.Code, Message: e.Message, Parameter: e.Parameter, Position: e.Position}
	}
	if _, ok := errors.AsType[*snapshot.CorruptError](err); ok {
		return errUnreadable
	}
	return errInternal
}
