// This file sends requests to the nodes, and says what their errors mean for a request of a client.

package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"contentedge/edgeserve/engine/aggs"
	"contentedge/edgeserve/engine/compile"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/wire/problem"
)

// The longest responses, in bytes. They bound what a malicious cluster can make an edge read.
const (
	// maxResponse is for hits and aggregations, whose sizes depend on items: as long as the body of a response may be.
	maxResponse = 64 << 20
	// maxWithoutHits is for aggregations, which are written in at most 16 MiB here, and for suggestions.
	maxWithoutHits = 32 << 20
	// maxCount is for a response without hits and aggregations.
	maxCount = 1 << 20
	// maxExplained is for the explanation of one score.
	maxExplained = 16 << 20
)

// longest is the length of the longest response to a body.
func longest(body *query.Body) int64 {
	switch {
	case body.Window.Size > 0:
		return maxResponse
	case len(body.Aggs)+len(body.Suggest) > 0:
		return maxWithoutHits
	}
	return maxCount
}

// ask sends a request, and has its response read. The response must not be used after read.
func (x *Index) ask(work *scorer.WorkLimit, r Request, read func(response []byte) error) error {
	if err := work.Charge(requestSteps); err != nil {
		return err
	}
	ctx := work.Context()
	response, release, err := x.transport.Do(ctx, r)
	if err != nil {
		return meaning(work, ctx, err)
	}
	defer release()
	if err := cmp.Or(work.Hold(len(response)), work.Charge(len(response)/readPerStep)); err != nil {
		return err
	}
	err = read(response)
	if _, wrong := errors.AsType[*wrongResponse](err); wrong {
		return &hits.Unavailable{Cause: err}
	}
	return err
}

// TooManyBuckets is the type of the error of a node that will not make more buckets. Its status may be 503.
const TooManyBuckets = "too_many_buckets_exception"

// Types of other errors of nodes whose status does not say whether the client or the node is at fault.
const (
	tooManyClauses = problem.TooManyClauses // Lucene has the same word
	tooManyNested  = "too_many_nested_clauses"
	illegalState   = "illegal_state_exception" // its status is always 500
	closedIndex    = "index_closed_exception"  // its status is 400, though no body causes it
)

// meaning says what an error of a Transport means for a request.
func meaning(work *scorer.WorkLimit, ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return cmp.Or(work.Charge(scorer.LookEvery), error(scorer.ErrTimeout)) // the limit knows better why
	}
	if errors.Is(err, ErrTooLarge) {
		return errTooLong
	}
	status, ok := errors.AsType[*StatusError](err)
	switch {
	case !ok:
	case status.Type == TooManyBuckets:
		return aggs.ErrTooManyBuckets
	case status.Type == tooManyClauses, status.Type == tooManyNested, strings.Contains(status.Reason, "exceeds maxClauseCount"):
		return &query.Error{Code: problem.TooManyClauses, Position: -1, Message: "the search has more clauses than the cluster evaluates: use fewer clauses, values or fields"}
	case status.Type == illegalState && strings.Contains(status.Reason, "expanded to too many terms"):
		return compile.ErrTooManyTerms
	case status.Type == illegalState && strings.Contains(status.Reason, "the collapse field must be single valued"):
		return errSeveralValues
	case status.Status == statusBadRequest && status.Type != closedIndex:
		return refusal(status)
	}
	return &hits.Unavailable{Cause: err}
}

const statusBadRequest = 400

// errSeveralValues is the error of a collapse by a field of which a match has several values.
var errSeveralValues = errors.New("a match has several values of the field to collapse by")

var errTooLong = &query.Error{Code: problem.TooCostly, Position: -1,
	Message: fmt.Sprintf("the items, highlights and aggregations of the response are longer than %d MiB: ask for fewer hits or buckets", maxResponse>>20)}

// typeOfError is the form of types of errors. Other texts of a node do not go to clients.
var typeOfError = regexp.MustCompile(`^[a-z_]{1,64}$`)

// refusal is the error of a body that a snapshot would evaluate, and that the cluster refuses. The reason names indices
// and fields of the cluster, so clients see only its type.
func refusal(e *StatusError) error {
	kind := e.Type
	if !typeOfError.MatchString(kind) {
		kind = "no type"
	}
	return &query.Error{Code: problem.BadQuery, Position: -1, Evaluated: true,
		Message: fmt.Sprintf("the search cluster refuses this search (%s): leave out or rewrite its unusual parts", kind)}
}
