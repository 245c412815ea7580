// This file sets the status and all fields of a response: of a body, a problem or OPTIONS.

package respond

import (
	"strconv"
	"strings"

	"contentedge/edgeserve/engine/elastic"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

const (
	ok          = 200
	noContent   = 204
	partial     = 206
	notModified = 304
	unavailable = 503
)

// Request holds the parts of a request that a response depends on, in addition to the content.
type Request struct {
	Method, Target []byte
	Fields         RequestFields
}

// reads reports whether the method is GET or HEAD.
func (r *Request) reads() bool { return string(r.Method) == "GET" || string(r.Method) == "HEAD" }

// Select sets the fields of the response to a request for a body, except Content-Length and X-Release. It returns the
// status and the part to send. If the Selection has a problem, no field is set: call SetProblem then.
func (f *Fields) Select(h httpfield.Header, r Request, m *Metadata, length int) Selection {
	s := choose(r.Fields, string(r.Method) == "GET", m.ETag, length)
	if s.Problem != nil {
		return s
	}
	m.setFields(h)
	f.allowOrigin(h, r.Fields)
	switch s.Status {
	case notModified:
		return s
	case partial:
		setContentRange(h, strconv.Itoa(s.From)+"-"+strconv.Itoa(s.To-1), length)
	}
	m.setBodyFields(h)
	return s
}

func setContentRange(h httpfield.Header, part string, length int) {
	h.SetCanonical(rangeName, []byte("bytes "+part+"/"+strconv.Itoa(length)))
}

// SetUnsatisfied sets the field that a problem with status 416 needs: Content-Range with the length of the body.
func SetUnsatisfied(h httpfield.Header, length int) { setContentRange(h, "*", length) }

// SetProblem sets the fields of a problem of a class, except X-Release and Allow. It appends the body to dst,
// in the words of the interface that the target belongs to: Elasticsearch's or ours.
func (f *Fields) SetProblem(h httpfield.Header, r Request, class release.Class, p *problem.Problem, dst []byte) []byte {
	f.Set(h, class, r.Fields)
	switch {
	case p.RetryAfter > 0:
		h.SetCanonical(retryName, strconv.AppendInt(nil, int64(p.RetryAfter), 10))
	case p.Status == unavailable:
		retryAfter.Set(h)
	case p.Code == problem.ContentEncoding:
		acceptEncoding.Set(h)
	}
	dst, isElastic := appendProblem(dst, r, p)
	if isElastic {
		elasticProduct.Set(h)
	}
	return dst
}

// Mismatch returns the problem of a request that names another release than build, or nil.
func Mismatch(build string, r RequestFields) *problem.Problem {
	for _, named := range r.PeekAll(httpfield.Release) {
		if string(named) != build {
			return problem.New(problem.ReleaseMismatch, "this node serves release "+build+"; begin again with that one, or ask without "+httpfield.Release)
		}
	}
	return nil
}

var (
	retryName      = []byte(httpfield.RetryAfter)
	retryAfter     = httpfield.New(httpfield.RetryAfter, release.RetryAfter)
	acceptEncoding = httpfield.New(httpfield.AcceptEncoding, "gzip, identity")
)

// appendProblem appends the body of a problem. It reports whether the body is in Elasticsearch's words.
func appendProblem(dst []byte, r Request, p *problem.Problem) ([]byte, bool) {
	path, query, _ := strings.Cut(string(r.Target), "?")
	route, _ := address.ParsePath(path)
	if r.reads() {
		route = route.ForGET(query)
	}
	switch {
	case route.Kind.IsElastic():
		return elastic.AppendError(dst, p, route), true
	case address.LikeElastic(path):
		return elastic.AppendUnknown(dst, p, path), true
	}
	return envelope.AppendError(dst, *p), false
}
