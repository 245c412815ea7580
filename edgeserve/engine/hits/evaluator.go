// This file defines who finds what responses are written from.

package hits

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

// Evaluator evaluates requests for the items of one environment. Bodies are parsed: they are within the
// limits of package query. An error is a *query.Error if the body or its costs are to blame, an *Unavailable
// if the request may succeed later, else it is the evaluator's own. A snapshot is one evaluator (package search); a search engine on other machines can
// be another one.
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
}
