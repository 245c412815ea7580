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

// Statuses of responses that are no problems.
const (
	ok          = 200
	noContent   = 204
	partial     = 206
	notModified = 304
)

// Select sets the fields of the response to a request for a body, but Content-Length, and returns its
// status and the part to send. With a problem it sets none: SetProblem follows, or Refuse.
func (f *Fields) Select(h httpfield.Header, request RequestFields, get bool, m *Metadata, length int) Selection {
	s := choose(request, get, m.ETag, length)
	if s.Problem != nil {
		return s
	}
	m.setFields(h)
	f.allowOrigin(h, request)
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

// SetUnsatisfied sets the field of a problem of 416: the length of the body.
func SetUnsatisfied(h httpfield.Header, length int) { setContentRange(h, "*", length) }

// SetProblem sets the fields of a problem of a class, but X-Release and Allow, and appends its body
// in the words of the interface that the target belongs to. reads says that the method is GET or HEAD.
func (f *Fields) SetProblem(h httpfield.Header, request RequestFields, class release.Class, target []byte, reads bool, p *problem.Problem, dst []byte) []byte {
	f.Set(h, class, request)
	switch {
	case p.Status == problem.Of(problem.Overloaded).Status:
		retryAfter.Set(h)
	case p.Code == problem.ContentEncoding:
		acceptEncoding.Set(h)
	}
	dst, isElastic := appendProblem(dst, target, reads, p)
	if isElastic {
		elasticProduct.Set(h)
	}
	return dst
}

var (
	retryAfter     = httpfield.New(httpfield.RetryAfter, release.RetryAfter)
	acceptEncoding = httpfield.New(httpfield.AcceptEncoding, "gzip, identity")
)

// appendProblem writes the body of a problem. It reports whether that is Elasticsearch's.
func appendProblem(dst, target []byte, reads bool, p *problem.Problem) ([]byte, bool) {
	path, _, _ := strings.Cut(string(target), "?")
	route, _ := address.ParsePath(path)
	if reads {
		route = route.ForGET()
	}
	switch {
	case route.Kind.IsElastic():
		return elastic.AppendError(dst, p, route), true
	case address.LikeElastic(path):
		return elastic.AppendUnknown(dst, p, path), true
	}
	return envelope.AppendError(dst, *p), false
}
