// This file makes a snapshot an evaluator.

package search

import (
	"contentedge/edgeserve/engine/compile"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
)

// Snapshot evaluates requests from a snapshot.
type Snapshot struct{ Reader *snapshot.Reader }

// Item implements hits.Evaluator.
func (s Snapshot) Item(id string) (item []byte, found bool, err error) {
	doc, found := s.Reader.Lookup(id)
	if !found {
		return nil, false, nil
	}
	return s.Reader.Fragment(doc), true, nil
}

// Search implements hits.Evaluator.
func (s Snapshot) Search(work *scorer.WorkLimit, body *query.Body, forHits bool) (*hits.Result, error) {
	evaluate := EvalWithin
	if forHits {
		evaluate = EvalHits
	}
	found, err := evaluate(work, s.Reader, body)
	if err != nil {
		return nil, err
	}
	return &found.Result, nil
}

// Explain implements hits.Evaluator.
func (s Snapshot) Explain(work *scorer.WorkLimit, body *query.Body, id string) (hits.Explained, error) {
	doc, _ := s.Reader.Lookup(id)
	return Explain(work, s.Reader, body, doc)
}

// CanMatch implements hits.Evaluator.
func (s Snapshot) CanMatch(work *scorer.WorkLimit, body *query.Body) (ok, timed bool, err error) {
	return compile.CanMatch(work, s.Reader, body)
}

// QueryText implements hits.Evaluator.
func (s Snapshot) QueryText(work *scorer.WorkLimit, body *query.Body) (string, error) {
	return compile.QueryText(work, s.Reader, body)
}
