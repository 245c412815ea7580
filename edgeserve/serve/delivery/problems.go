// This file turns the errors of other packages into problems.

package delivery

import (
	"errors"

	"contentedge/edgeserve/engine/elastic"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
)

// ProblemOf turns errors of the parsing packages into problems. Any other error is the server's
// fault, and its text stays inside.
func ProblemOf(err error) *problem.Problem {
	if e, ok := errors.AsType[*address.Error](err); ok {
		p := problem.New(e.Code, e.Message)
		p.Parameter = e.Parameter
		return p
	}
	if e, ok := errors.AsType[*query.Error](err); ok {
		return &problem.Problem{Status: problem.Of(e.Code).Status, Code: e.Code, Message: e.Message, Parameter: e.Parameter, Position: e.Position, Evaluated: e.Evaluated}
	}
	if e, ok := errors.AsType[*elastic.NotFound](err); ok {
		p := problem.New(e.Code, e.Message)
		p.Parameter = e.Name
		return p
	}
	if e, ok := errors.AsType[*elastic.Refused](err); ok {
		return e.Problem
	}
	if _, ok := errors.AsType[*snapshot.CorruptError](err); ok {
		return problem.Of(problem.Unreadable)
	}
	return problem.Of(problem.Internal)
}
