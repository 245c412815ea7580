// This file answers requests without a server, for commands, tests and builds. The bodies equal a node's.

package answer

import (
	"context"
	"strings"

	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

// Response is the content of a response with status 200.
type Response struct {
	Body  []byte
	Class release.Class
	File  string // the name of the file with the response on nodes with files; "" without such a file
	Total int    // of a list or a search: the number of items that match
	Link  []byte // value of the Link header, may be empty
	Timed bool   // the response depends on the clock
}

// Respond answers a request by its target: path and query.
func (v *Release) Respond(target string, body []byte) (Response, *problem.Problem, error) {
	path, query, _ := strings.Cut(target, "?")
	route, ok := address.ParsePath(path)
	if !ok {
		return Response{}, problem.Of(problem.UnknownRoute), nil
	}
	return v.RespondTo(route, query, body)
}

// RespondTo answers a request by its route, raw query and body. No limit depends on the machine: only a limit of
// work may refuse a request. The error is the cause of a problem for which the server is to blame.
func (v *Release) RespondTo(route address.Route, query string, body []byte) (Response, *problem.Problem, error) {
	c, err := v.Find(route, query)
	if err == nil {
		var response Response
		if response, err = c.respond(body); err == nil {
			return response, nil, nil
		}
	}
	p, cause := c.Problem(err)
	return Response{}, p, cause
}

func (c *Content) respond(body []byte) (r Response, err error) {
	defer snapshot.Recover(&err)
	limit := func() *scorer.WorkLimit { return scorer.NewWorkLimit(context.Background()) }
	a, err := c.Evaluate(Budget{Work: limit(), Next: func() (*scorer.WorkLimit, *problem.Problem) { return limit(), nil }}, body)
	if err != nil {
		return r, err
	}
	r = Response{Class: c.Class, File: c.File, Total: a.Total, Link: a.Link, Timed: a.Timed}
	r.Body, err = a.Write(make([]byte, 0, a.Size))
	return r, err
}
