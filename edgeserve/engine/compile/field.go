// This file defines fieldCompiler, and the errors of values that a target cannot hold.

package compile

import (
	"fmt"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/wire/problem"
)

// fieldCompiler compiles clauses on one target.
type fieldCompiler struct {
	request *scorer.Request
	work    *scorer.WorkLimit // of the request
	clock   *Clock
	listing *listing // nil means that leaves become Scorers
	dates   map[[2]string]*analysis.DateReader
	last    struct { // the text that was analyzed last: a clause searches many fields for one text
		text  string
		terms []string
	}
}

// dateReader returns a reader of dates in given formats and a time zone. It returns nil if neither is given: then
// dates have their usual forms.
func (c *fieldCompiler) dateReader(formats, zone string) (*analysis.DateReader, error) {
	if formats == "" && zone == "" {
		return nil, nil
	}
	key := [2]string{formats, zone}
	if r := c.dates[key]; r != nil {
		return r, nil
	}
	r, err := analysis.NewDateReader(formats, zone)
	if err != nil {
		return nil, &query.Error{Code: problem.BadQuery, Position: -1, Message: err.Error()}
	}
	if c.dates == nil {
		c.dates = map[[2]string]*analysis.DateReader{}
	}
	c.dates[key] = r
	return r, c.work.Charge(formatSteps)
}

// formatSteps is the approximate cost of compiling formats and loading a time zone.
const formatSteps = 2000

// unfitError says why a target cannot be searched for a text. In a lenient clause it means no match.
type unfitError struct {
	kind fields.TargetKind
	text string
	why  string // the whole message; "": kind and text make it
}

// Error formats the message late, because most errors are forgiven.
func (e *unfitError) Error() string {
	if e.why != "" {
		return e.why
	}
	if _, _, _, number := analysis.ParseNumber(e.text); number && numberRanges[e.kind] != "" {
		return fmt.Sprintf("holds %s %s; %.80q is out of range: use .keyword", e.kind.Plural(), numberRanges[e.kind], e.text)
	}
	return fmt.Sprintf("holds %s, not %.80q", e.kind.Plural(), e.text)
}

// numberRanges say what fields of numbers can hold.
var numberRanges = map[fields.TargetKind]string{
	fields.Long:   "from -9223372036854775808 to 9223372036854775807",
	fields.Float:  "of 32 bits, up to 3.4028235e38",
	fields.Double: "of 64 bits, up to 1.7976931348623157e308",
}

func unfit(k fields.TargetKind, text string) error { return &unfitError{kind: k, text: text} }

// isUnfit reports whether an error is an unfitError.
func isUnfit(err error) bool {
	_, ok := err.(*unfitError)
	return ok
}

func badValue(err error, field string) error {
	if !isUnfit(err) {
		return err
	}
	return &query.Error{Code: problem.BadValue, Position: -1, Parameter: field, Message: field + " " + err.Error()}
}

// minShouldMatch returns how many of n clauses have to match. spec has been validated.
func minShouldMatch(spec string, n int) int {
	need, err := query.MinMatch(spec, n)
	if err != nil {
		return n
	}
	return need
}
