// This file defines the error of a body.

package query

// Error reports an invalid body. Servers report it with status 400.
type Error struct {
	Code      string // stable, e.g. "bad_query_string"
	Message   string // the problem and its remedy
	Parameter string // path of the member, e.g. "query.bool.filter[0].wildcard"; may be empty
	Position  int    // byte offset in the body or the query string; -1 if unknown
	Evaluated bool   // the body can be parsed, but not evaluated
	Absent    string // the query, aggregation or suggester of Elasticsearch that does not exist here; "" for other errors
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }
