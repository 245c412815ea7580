// This file turns errors into problems.

package answer

import (
	"errors"

	"contentedge/edgeserve/engine/elastic"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
)

// Problem turns an error of Find, Evaluate or Write into a problem. cause is the error if the server is to blame
// for it, and nil if the request is.
func (c *Content) Problem(err error) (p *problem.Problem, cause error) {
	p = problemOf(err)
	if p == problem.Of(problem.Internal) || p == problem.Of(problem.Unreadable) || p == problem.Of(problem.SearchUnavailable) {
		cause = err
	}
	if status := elastic.StatusOf(p); c.route.Kind.IsElastic() && status != p.Status {
		other := *p
		other.Status = status
		p = &other
	}
	return p, cause
}

// refused returns an error that becomes the problem of a code, with its standard text.
func refused(code string) error { return &elastic.Refused{Problem: problem.Of(code)} }

// problemOf turns an error of the engine into a problem. Any other error is the server's fault, and
// clients do not see its text.
func problemOf(err error) *problem.Problem {
	if e, ok := errors.AsType[*address.Error](err); ok {
		p := problem.New(e.Code, e.Message)
		p.Parameter = e.Parameter
		return p
	}
	if e, ok := errors.AsType[*query.Error](err); ok {
		standard := problem.Of(e.Code)
		if e.Code == problem.Overloaded {
			return standard
		}
		return &problem.Problem{Status: standard.Status, Code: e.Code, Message: e.Message, Parameter: e.Parameter, Position: e.Position, Evaluated: e.Evaluated}
	}
	if e, ok := errors.AsType[*tooManyItems](err); ok {
		return problem.New(problem.TooCostly, e.Error())
	}
	if e, ok := errors.AsType[*elastic.NotFound](err); ok {
		p := problem.New(e.Code, e.Message)
		p.Parameter = e.Name
		return p
	}
	if e, ok := errors.AsType[*elastic.Refused](err); ok {
		return e.Problem
	}
	if _, ok := errors.AsType[*hits.Unavailable](err); ok {
		return problem.Of(problem.SearchUnavailable)
	}
	if _, ok := errors.AsType[*snapshot.CorruptError](err); ok {
		return problem.Of(problem.Unreadable)
	}
	return problem.Of(problem.Internal)
}
