// This file replaces environments whose snapshots are not loaded.

package offline

import (
	"errors"

	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

// absent is the evaluator of an environment whose snapshot is not loaded. It notes each request.
type absent struct{ asked func() }

var errAbsent = errors.New("the snapshot is not loaded")

func (a absent) Item(string) ([]byte, bool, error) {
	a.asked()
	return nil, false, errAbsent
}

func (a absent) Search(*scorer.WorkLimit, *query.Body, bool) (*hits.Result, error) {
	a.asked()
	return nil, errAbsent
}

func (a absent) Explain(*scorer.WorkLimit, *query.Body, string) (hits.Explained, error) {
	a.asked()
	return hits.Explained{}, errAbsent
}

func (a absent) CanMatch(*scorer.WorkLimit, *query.Body) (ok, timed bool, err error) {
	a.asked()
	return false, false, errAbsent
}

func (a absent) QueryText(*scorer.WorkLimit, *query.Body) (string, error) {
	a.asked()
	return "", errAbsent
}
