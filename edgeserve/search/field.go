// This file holds what all clauses on one target share: the request, and the errors of
// values that a target cannot have.

package search

import (
	"fmt"
	"time"

	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/fields"
	"contentedge/edgeserve/search/iter"
)

// fieldCompiler compiles clauses on one target.
type fieldCompiler struct {
	iter.Request
	now time.Time // when the clock was first read; zero: it was not
}

// Now is the time of the request, the same for all that depends on it.
func (c *fieldCompiler) Now() time.Time {
	if c.now.IsZero() {
		c.now = time.Now()
	}
	return c.now
}

// unfitError says why a target cannot be searched for the text of a clause: an error of
// the request unless the clause is lenient.
type unfitError struct {
	kind fields.Kind
	text string
	why  string // in its place: what is wrong with the clause
}

// Error says it behind the name of the field. Most of these errors are forgiven, so that
// the text is only made here.
func (e *unfitError) Error() string {
	if e.why != "" {
		return e.why
	}
	return fmt.Sprintf("holds %s; %.80q is none", e.kind.Plural(), e.text)
}

// unfit is the error of a text that is no value of a kind.
func unfit(k fields.Kind, text string) error { return &unfitError{kind: k, text: text} }

// isUnfit tells whether a lenient clause with this error matches nothing.
func isUnfit(err error) bool {
	_, ok := err.(*unfitError)
	return ok
}

// badValue reports a value that a field cannot hold.
func badValue(err error, field string) error {
	if !isUnfit(err) {
		return err
	}
	return &query.Error{Code: "bad_value", Position: -1, Parameter: field, Message: field + " " + err.Error()}
}

// minShouldMatch is how many of n clauses have to match; the option has been validated.
func minShouldMatch(spec string, n int) int {
	need, err := query.MinMatch(spec, n)
	if err != nil {
		return n
	}
	return need
}
