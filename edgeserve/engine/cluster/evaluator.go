// This file implements hits.Evaluator.

package cluster

import (
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

var _ hits.Evaluator = (*Index)(nil)

// Item implements hits.Evaluator.
func (x *Index) Item(id string) (item []byte, found bool, err error) {
	return nil, false, ErrUnavailable
}

// Search implements hits.Evaluator.
func (x *Index) Search(work *scorer.WorkLimit, body *query.Body, forHits bool) (*hits.Result, error) {
	return nil, ErrUnavailable
}

// Explain implements hits.Evaluator.
func (x *Index) Explain(work *scorer.WorkLimit, body *query.Body, id string) (hits.Explained, error) {
	return hits.Explained{}, ErrUnavailable
}

// CanMatch implements hits.Evaluator.
func (x *Index) CanMatch(work *scorer.WorkLimit, body *query.Body) (ok, timed bool, err error) {
	return true, false, nil
}

// QueryText implements hits.Evaluator.
func (x *Index) QueryText(work *scorer.WorkLimit, body *query.Body) (string, error) {
	return "", ErrUnavailable
}
