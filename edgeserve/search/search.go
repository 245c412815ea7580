// Package search answers queries from a snapshot with the meaning of Elasticsearch 7 over a dynamic
// mapping. It never reads an item's JSON. It only compiles; calls go down this list:
//
//	Eval          a body → Result: compile, collect, aggregate
//	compiler      the query tree → an iter.Scorer
//	fields        a name → targets: paths and sub-fields, with their doc values
//	fieldCompiler a clause on one target → an iter.Scorer
//	iter          walks documents; knows neither queries nor names of fields
//	aggs          aggregations over the matches; compiles filters' queries through an interface
package search

import (
	"cmp"

	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/aggs"
	"contentedge/edgeserve/search/iter"
	"contentedge/edgeserve/snapshot"
)

// Result is the answer to a body: the number of all matches and the page's documents, in order.
type Result struct {
	Total        int
	Docs         []snapshot.DocID
	Aggregations []byte // a JSON object, nil where the body has none
	Timed        bool   // it depends on the clock, and may be another one later
	Scores       iter.Scores
}

// Limit is a request's share of time. Every context is one.
type Limit = iter.Limit

// WorkLimit is the work limit of a request and how much it has used.
type WorkLimit = iter.WorkLimit

// ErrTimeout is the one error that the body does not cause: the request's time is over.
var ErrTimeout = iter.ErrTimeout

// NewWorkLimit is the whole limit of a request.
func NewWorkLimit(limit Limit) *WorkLimit { return iter.NewWorkLimit(limit) }

// Eval answers a body. Errors are *query.Error for what the body asks wrongly (ErrTimeout if it
// took longer than limit allows), and *snapshot.CorruptError.
func Eval(limit Limit, r *snapshot.Reader, body *query.Body) (*Result, error) {
	c := &compiler{}
	c.own.Begin(limit)
	return c.evaluate(&c.own, r, body)
}

// EvalHits is EvalWithin with the scores of the page.
func EvalHits(b *WorkLimit, r *snapshot.Reader, body *query.Body) (*Result, error) {
	c := &compiler{}
	c.KeepScores = true
	return c.evaluate(b, r, body)
}

// EvalWithin is Eval within what is left of a work limit.
func EvalWithin(b *WorkLimit, r *snapshot.Reader, body *query.Body) (*Result, error) {
	return (&compiler{}).evaluate(b, r, body)
}

func (c *compiler) evaluate(b *WorkLimit, r *snapshot.Reader, body *query.Body) (res *Result, err error) {
	defer snapshot.Recover(&err)
	c.Open(b, r.Items())
	defer c.Close()
	c.Reader = r
	return c.eval(body)
}

func (c *compiler) eval(body *query.Body) (*Result, error) {
	order, err := c.order(body.Sort)
	if err != nil {
		return nil, err
	}
	var s iter.Scorer
	if body.Query == nil {
		s = c.All(1)
	} else if s, err = c.Compile(body.Query); err != nil || c.Failed() != nil {
		return nil, cmp.Or(err, c.Failed())
	}
	hits := c.Collect(s, order, body.From, body.Size, len(body.Aggs) > 0)
	res := &Result{Total: hits.Total, Docs: hits.Docs, Scores: hits.Scores}
	if c.Failed() == nil && len(body.Aggs) > 0 {
		res.Aggregations, err = aggs.Aggregate(&c.Request, c, body.Aggs, hits.Set)
	}
	if err = cmp.Or(err, c.Failed()); err != nil {
		return nil, err
	}
	res.Timed = !c.now.IsZero()
	return res, nil
}
