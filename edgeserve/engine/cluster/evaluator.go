// This file implements hits.Evaluator.

package cluster

import (
	"context"
	"encoding/json"
	"errors"

	"contentedge/edgeserve/engine/cluster/translate"
	"contentedge/edgeserve/engine/compile"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/encode"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/wire/problem"
)

var _ hits.Evaluator = (*Index)(nil)

const (
	// requestSteps is the cost of a request to the cluster, whatever it finds: about what a search costs a node of the
	// cluster. So limits of clients and of requests with several searches hold, and do not depend on the load.
	requestSteps = 500_000
	// readPerStep is the number of bytes of a response that are read in a step.
	readPerStep = 16
)

// evaluation is the evaluation of one body.
type evaluation struct {
	reader
	x        *Index
	work     *scorer.WorkLimit
	body     *query.Body
	question *translate.Question
	buckets  int // written so far
}

// Search implements hits.Evaluator.
func (x *Index) Search(work *scorer.WorkLimit, body *query.Body, _ bool) (*hits.Result, error) {
	timed, err := search.Check(work, x.twin, body)
	if err != nil {
		return nil, err
	}
	q, err := x.questionOf(body)
	if err != nil {
		return nil, err
	}
	e := &evaluation{x: x, work: work, body: body, question: q}
	var found *hits.Result
	err = x.ask(work, Request{Method: "POST", Path: x.path("_search"), Query: q.Query, Body: q.Body, MaxResponse: longest(body)}, func(response []byte) error {
		found = e.result(response)
		return e.failed()
	})
	if err != nil {
		return nil, err
	}
	found.Timed, found.Approximate = timed, translate.Approximate(body, x.shards)
	return found, nil
}

// questionOf writes a body for the index. It asks for whole items and for what a response needs, not for how
// responses show it.
func (x *Index) questionOf(body *query.Body) (*translate.Question, error) {
	members, err := encode.Body(asked(body), nil)
	if err != nil {
		return nil, unsayable(err.Error())
	}
	q, err := x.translation.Search(members)
	if u, ok := errors.AsType[*translate.Unsayable](err); ok {
		return nil, unsayable(u.Reason)
	}
	return q, err
}

// unsayable is the error of a body that a cluster cannot be asked.
func unsayable(reason string) error {
	return &query.Error{Code: problem.NotAtCluster, Position: -1, Evaluated: true,
		Message: "this environment is searched by a cluster, which cannot be asked about " + reason}
}

// Explain implements hits.Evaluator.
func (x *Index) Explain(work *scorer.WorkLimit, body *query.Body, id string) (explained hits.Explained, err error) {
	if explained.Timed, err = search.Check(work, x.twin, body); err != nil {
		return explained, err
	}
	q, err := x.questionOf(&query.Body{Query: body.Query, Names: body.Names, Window: body.Window})
	if err != nil {
		return explained, err
	}
	e := &evaluation{x: x, work: work, body: body, question: q}
	err = x.ask(work, Request{Method: "POST", Path: x.path("_explain", id), Body: queryOf(q.Body), MaxResponse: maxExplained}, func(response []byte) error {
		explained.JSON, explained.Matches = e.explanation(response)
		return e.failed()
	})
	return explained, err
}

// CanMatch implements hits.Evaluator. The twin has no values, so what it reports of them says nothing.
func (x *Index) CanMatch(work *scorer.WorkLimit, body *query.Body) (ok, timed bool, err error) {
	_, timed, err = compile.CanMatch(work, x.twin, body)
	return err == nil, timed, err
}

// QueryText implements hits.Evaluator.
func (x *Index) QueryText(*scorer.WorkLimit, *query.Body) (string, error) {
	return "", unsayable("the text of a query")
}

// Item implements hits.Evaluator. The Transport has a deadline of its own.
func (x *Index) Item(id string) (item []byte, found bool, err error) {
	if x.items != nil {
		return x.items.Item(context.Background(), id)
	}
	return x.stored(id)
}

// stored reads an item from the index.
func (x *Index) stored(id string) (item []byte, found bool, err error) {
	e := &evaluation{x: x}
	r := Request{Method: "GET", Path: x.path("_doc", id), MaxResponse: maxItem}
	err = x.ask(nil, r, func(response []byte) error {
		item, found = e.document(response)
		return e.err
	})
	if status, ok := errors.AsType[*StatusError](err); ok && status.Status == statusNotFound && status.Type == "" {
		return nil, false, nil // without a type the index is there, and has no such document
	}
	if err != nil {
		return nil, false, err
	}
	return item, found, nil
}

// document reads the response to a request for a document.
func (e *evaluation) document(response []byte) (item []byte, found bool) {
	var there, source []byte
	for name, v := range e.members(e.check(response), "the response") {
		switch string(name) {
		case "_index":
			e.index(v)
		case "found":
			there = v
		case "_source":
			source = v
		}
	}
	if found = e.boolean(there, "found"); found {
		item, _ = e.item(source)
	}
	return item, found
}

// queryOf returns the query of a body, as a body.
func queryOf(body []byte) []byte {
	var members struct {
		Query json.RawMessage `json:"query"`
	}
	if json.Unmarshal(body, &members) != nil || members.Query == nil {
		return []byte(`{"query":{"match_all":{}}}`)
	}
	text, _ := json.Marshal(members) // of what was just read
	return text
}
