// This file defines what finds the items that responses are written from.

package hits

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

// Evaluator evaluates requests for the items of one environment. Bodies are parsed: they are within the limits of
// package query. An error is a *query.Error if the body or its costs are to blame, an *Unavailable if the request may
// succeed later, otherwise it is the evaluator's own. A snapshot is one evaluator (package search), an index of a
// cluster another one (package cluster).
type Evaluator interface {
	// Item returns the JSON of an item.
	Item(id string) (item []byte, found bool, err error)
	// Search evaluates a body. forHits reports whether the page needs scores and sort values, which hits
	// show and lists do not.
	Search(work *scorer.WorkLimit, body *query.Body, forHits bool) (*Result, error)
	// Explain explains the score of an item that exists.
	Explain(work *scorer.WorkLimit, body *query.Body, id string) (Explained, error)
	// CanMatch reports whether the query of a body may match, as far as that is known before any item is
	// looked at, and whether the report depends on the clock.
	CanMatch(work *scorer.WorkLimit, body *query.Body) (ok, timed bool, err error)
	// QueryText prints the query of a body as Lucene does.
	QueryText(work *scorer.WorkLimit, body *query.Body) (string, error)
}

// ItemsReader is an Evaluator that reads items on other machines: it reads several ones at once, and within a limit.
type ItemsReader interface {
	// ItemsOf returns the JSON of items in the order of their ids, nil for an item that does not exist.
	ItemsOf(work *scorer.WorkLimit, ids []string) ([][]byte, error)
}

// Item returns the JSON of an item, as Evaluator.Item does, within the limit of a request.
func Item(e Evaluator, work *scorer.WorkLimit, id string) (item []byte, found bool, err error) {
	r, ok := e.(ItemsReader)
	if !ok {
		return e.Item(id)
	}
	items, err := r.ItemsOf(work, []string{id})
	if err != nil {
		return nil, false, err
	}
	return items[0], items[0] != nil, nil
}

// Unavailable reports that an evaluator on other machines has no whole answer now. The request may succeed later.
type Unavailable struct{ Cause error }

// Error implements error.
func (e *Unavailable) Error() string { return "no whole answer: " + e.Cause.Error() }

// Unwrap returns the cause.
func (e *Unavailable) Unwrap() error { return e.Cause }

// Explained is how the score of an item comes about, as JSON.
type Explained struct {
	JSON    []byte
	Matches bool
	Timed   bool // it depends on the clock, and may be another one later
	// Approximate says why it is approximate; nil if it is exact.
	Approximate []string
}
