// Package problem defines the errors that clients receive: their codes, statuses and standard texts.
// Nodes, hosts and metrics read one table. Package envelope writes a Problem as a body.
package problem

import "time"

// Problem is an unsuccessful response, apart from its header fields.
type Problem struct {
	Status    int
	Code      string // stable, for programs
	Message   string // for people: the problem and its remedy
	Parameter string // the parameter or member at fault; may be empty
	Position  int    // byte offset of the error; negative without one
	Evaluated bool   // the error occurred after parsing: the request is well-formed

	RetryAfter int // seconds after which the same request may succeed; 0 means the time of the status, if it has one

	Diagnostics []Diagnostic // problems in the content; may be empty
}

// Diagnostic is one problem in the content.
type Diagnostic struct {
	File         string // empty means the content as a whole
	Line, Column int    // from 1; 0 means the whole file
	Message      string
	Hint         string // the remedy; may be empty
}

// Of returns the problem of a code with its standard text. All callers share it: copy it to change it.
// Every code has a problem (TestProblem).
func Of(code string) *Problem { return standard[code] }

// New returns a problem without a parameter or position in the request. Its status is the status of
// the code.
func New(code, message string) *Problem {
	return &Problem{Status: Of(code).Status, Code: code, Message: message, Position: -1}
}

// After returns a copy of the problem for a request that may succeed after a time.
func (p *Problem) After(wait time.Duration) *Problem {
	later := *p
	later.RetryAfter = int((wait + time.Second - 1) / time.Second)
	return &later
}

// All returns the problems of all codes with their standard texts, in the order of the table. All callers share them.
func All() (problems []*Problem) {
	for _, r := range rows {
		problems = append(problems, Of(r.code))
	}
	return problems
}

// OfSearches are the codes that may refuse a search, in the order of the table.
func OfSearches() (codes []string) {
	for _, r := range rows {
		if r.search {
			codes = append(codes, r.code)
		}
	}
	return codes
}
