// This file implements hits.Evaluator.

package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"contentedge/edgeserve/engine/cluster/translate"
	"contentedge/edgeserve/engine/compile"
	"contentedge/edgeserve/engine/fields"
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
	written  int // bytes of aggregations so far

	reasons []string // why the response shows that it is approximate
}

// Search implements hits.Evaluator.
func (x *Index) Search(work *scorer.WorkLimit, body *query.Body, _ bool) (*hits.Result, error) {
	if isDeep(&body.Window) {
		return x.deep(work, body)
	}
	timed, err := search.Check(work, x.twin, body)
	if err != nil {
		return nil, err
	}
	if err := x.bounded(work, body, body.Aggs, scope{}); err != nil {
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
	if errors.Is(err, errSeveralValues) && body.Collapse != nil {
		err = search.SeveralValues(body.Collapse.Field)
	}
	if err != nil {
		return nil, err
	}
	found.Timed, found.Approximate = timed, x.Approximate(body)
	for _, reason := range e.reasons {
		if !slices.Contains(found.Approximate, reason) {
			found.Approximate = append(found.Approximate, reason)
		}
	}
	return found, nil
}

// Approximate returns why the response to a body is approximate, as far as the body says; nil if nothing does.
func (x *Index) Approximate(body *query.Body) []string {
	return translate.Approximate(body, x.translation.Fields, x.shards, x.items)
}

// ApproximateExplanation returns why the explanation of a score by a body is approximate; nil if it is exact.
func (x *Index) ApproximateExplanation(body *query.Body) (why []string) {
	if x.shards > 1 {
		why = append(why, translate.Explanations)
	}
	if slices.Contains(x.Approximate(body), translate.LongTexts) {
		why = append(why, translate.LongTexts)
	}
	return why
}

// tell adds a reason why the response is approximate.
func (e *evaluation) tell(reason string) {
	if !slices.Contains(e.reasons, reason) {
		e.reasons = append(e.reasons, reason)
	}
}

// questionOf writes a body for the index. It asks for whole items and for what a response needs, not for how
// responses show it.
func (x *Index) questionOf(body *query.Body) (*translate.Question, error) {
	members, err := encode.Body(x.asked(body), x.translation.Other)
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
	if err != nil {
		return hits.Explained{}, err
	}
	return explained, nil
}

// CanMatch implements hits.Evaluator. The twin knows which fields there are, and no values: it reports only what the
// fields decide.
func (x *Index) CanMatch(work *scorer.WorkLimit, body *query.Body) (ok, timed bool, err error) {
	ok, timed, err = compile.CanMatch(work, x.twin, body)
	return ok || readsValues(body.Query, nil), timed, err
}

// QueryText implements hits.Evaluator.
func (x *Index) QueryText(work *scorer.WorkLimit, body *query.Body) (string, error) {
	if readsValues(body.Query, &fields.Resolver{Reader: x.twin}) {
		return "", unsayable("the text of a query that depends on the values of items")
	}
	return compile.QueryText(work, x.twin, body)
}

// readsValues reports whether values of items decide how a query is rewritten: the values of an item that terms looks
// up and, with the fields of a resolver, the first and the last date of a range's field.
func readsValues(n query.Node, of *fields.Resolver) (reads bool) {
	query.Walk(n, func(p query.Part) {
		switch n := p.(type) {
		case *query.Terms:
			reads = reads || n.Lookup != nil
		case *query.Range:
			if of != nil {
				t, ok := of.Resolve(n.Field)
				reads = reads || ok && t.Kind == fields.Date
			}
		}
	})
	return reads
}

// Item implements hits.Evaluator. The Transport has a deadline of its own.
func (x *Index) Item(id string) (item []byte, found bool, err error) {
	body := &query.Body{Query: &query.IDs{Values: []string{id}, Boost: 1}, Window: query.Window{Size: 1}}
	result, err := x.Search(scorer.NewWorkLimit(context.Background()), body, false)
	if err != nil || result.Len() == 0 {
		return nil, false, err
	}
	item, _ = result.Matches.Items(0, 1)
	return item, true, nil
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
