// This file makes whole responses without a server.

package respond

import (
	"strconv"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

// Site makes the responses of a release, equal to the responses of a node (TestResponsesWithoutAServer). The sender
// adds Date, X-Request-Id and the fields of a connection.
type Site struct {
	build   string
	fields  *Fields
	content *ContentFields
}

// NewSite returns the Site of a release. build is the release's identity. Web pages of the origins may read
// responses.
func NewSite(build string, policy release.Policy, origins []string) *Site {
	fields := NewFields(policy, origins)
	return &Site{build: build, fields: fields, content: fields.ForContent()}
}

// Result is the body that answers a request, with its metadata.
type Result struct {
	Body   []byte
	Coding contentcoding.Coding // of the body
	Class  release.Class
	InFile bool   // a node may have the body in a file
	Link   []byte // value of the Link header, may be empty
}

// Response is a response of a Site.
type Response struct {
	Status int
	Fields httpfield.Lines
	Body   []byte // the Result's body, a part of that, or the body of a problem; empty for HEAD
}

// Respond answers a request. It calls find for a GET or HEAD of content, and for a POST if the address takes
// POST.
func (s *Site) Respond(r Request, find func(address.Route, string) (Result, *problem.Problem)) Response {
	path, query := address.SplitTarget(string(r.Target))
	kind, allow, known := address.AllowOf(path)
	switch method := string(r.Method); {
	case !known:
		return s.refuse(r, UnknownRoute(path))
	case method == "OPTIONS":
		return s.preflight(r, allow)
	case !address.Takes(allow, method):
		response := s.refuse(r, problem.Of(problem.MethodNotAllowed))
		httpfield.New(httpfield.Allow, allow).Set(&response.Fields)
		return response
	}
	switch kind {
	case address.Live:
		return s.health(r, Live)
	case address.Ready:
		return s.health(r, Ready)
	case address.Home:
		return s.home(r)
	}
	if p := Mismatch(s.build, r.Fields); p != nil {
		return s.refuse(r, p)
	}
	route, _ := address.ParsePath(path)
	if r.reads() {
		route = route.ForGET(query)
	}
	result, p := find(route, query)
	if p != nil {
		return s.refuse(r, p)
	}
	return s.send(r, result, route.Kind.IsElastic())
}

func (s *Site) send(r Request, result Result, elastic bool) (response Response) {
	meta := Metadata{
		Fields: s.content.Of(result.Class, elastic), Coding: result.Coding,
		ETag: Tag(result.Body, result.InFile), Link: result.Link,
	}
	httpfield.New(httpfield.Release, s.build).Set(&response.Fields)
	selected := s.fields.Select(&response.Fields, r, &meta, len(result.Body))
	if selected.Problem != nil {
		response = s.refuse(r, selected.Problem)
		if selected.Problem.Code == problem.BadRange {
			SetUnsatisfied(&response.Fields, len(result.Body))
		}
		return response
	}
	response.Status = selected.Status
	switch selected.Status {
	case ok:
		response.setBody(r, result.Body)
	case partial:
		response.setBody(r, result.Body[selected.From:selected.To])
	}
	return response
}

func (s *Site) refuse(r Request, p *problem.Problem) (response Response) {
	response.Status = p.Status
	body := s.fields.SetProblem(&response.Fields, r, release.ErrorClass(p.Status), p, nil)
	return s.sendBody(response, r, body)
}

// sendBody completes a response that is not of content with the name of the release and the body.
func (s *Site) sendBody(response Response, r Request, body []byte) Response {
	httpfield.New(httpfield.Release, s.build).Set(&response.Fields)
	response.setBody(r, body)
	return response
}

func (s *Site) health(r Request, word string) Response {
	response := Response{Status: ok}
	body := s.fields.SetHealth(&response.Fields, r.Fields, word, nil)
	return s.sendBody(response, r, body)
}

// home answers with the document at /, as a node that does not list ids of environments.
func (s *Site) home(r Request) Response {
	response := Response{Status: ok}
	body := s.fields.SetHome(&response.Fields, r, Home{Release: s.build}, nil)
	return s.sendBody(response, r, body)
}

// Refuse answers a request that was not read whole with a problem, for which no cache may store the response.
func (s *Site) Refuse(r Request, p *problem.Problem) Response {
	response := Response{Status: p.Status}
	body := s.fields.SetProblem(&response.Fields, r, release.ClassError, p, nil)
	return s.sendBody(response, r, body)
}

func (s *Site) preflight(r Request, allow string) Response {
	response := Response{Status: noContent}
	s.fields.SetPreflight(&response.Fields, allow, r.Fields)
	httpfield.New(httpfield.Release, s.build).Set(&response.Fields)
	return response
}

func (r *Response) setBody(request Request, body []byte) {
	httpfield.New(httpfield.ContentLength, strconv.Itoa(len(body))).Set(&r.Fields)
	if string(request.Method) != "HEAD" {
		r.Body = body
	}
}
