// This file converts JSON scalars as Elasticsearch does. A string may represent a number or a boolean, and a number a
// text. An integer loses its fraction. The first error ends the parse.

package body

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/problem"
)

// parser reads the values of a body. The functions that parse a type are in the file of the type, and call the parser's
// methods. After an error the methods return zero values, so callers may continue.
type parser struct {
	root  strictjson.Value
	err   *query.Error          // the first error
	depth int                   // enclosing queries
	nodes int                   // queries and query string clauses so far
	aggs  int                   // aggregations so far
	named bool                  // a query has a _name
	own   *string               // the _name of the query being parsed
	names map[query.Node]string // the _name of each query that has one

	aggDepth int // enclosing aggregations
}

func (p *parser) fail(v *strictjson.Value, code, format string, args ...any) {
	if p.err == nil {
		p.err = &query.Error{Code: code, Message: fmt.Sprintf(format, args...), Parameter: p.path(v), Position: -1}
	}
}

// path returns the path of v in the body.
func (p *parser) path(v *strictjson.Value) string { return p.root.Path(v) }

// readJSON parses the text of a body.
func readJSON(text string, v *strictjson.Value) *query.Error {
	e := strictjson.Read(text, v)
	if e == nil {
		return nil
	}
	code := problem.BadJSON
	if e.TooDeep {
		code = problem.TooDeep
	}
	return &query.Error{Code: code, Message: "the body is " + e.Message, Position: e.Position}
}

func (p *parser) wrongValue(v *strictjson.Value, want string) {
	if p.err != nil { // avoid computing the path again
		return
	}
	if v.Kind == strictjson.Null || v.Kind == strictjson.Array || v.Kind == strictjson.Object {
		p.fail(v, p.code(v), "%s must be %s, not %s", p.path(v), want, v.Kind)
		return
	}
	p.fail(v, p.code(v), "%s must be %s, not %s", p.path(v), want, strictjson.Clip(string(v.Append(nil, envelope.NumericEscapes))))
}

func quote(s string) string { return string(envelope.NumericEscapes.AppendString(nil, s)) }

func (p *parser) code(v *strictjson.Value) string {
	top := &p.root
	for i := range p.root.Items {
		if p.root.Items[i].Pos <= v.Pos {
			top = &p.root.Items[i]
		}
	}
	switch top.Name {
	case address.ParamSourceIncludes, address.ParamSourceExcludes:
		return problem.BadSource
	case address.ParamQuery, address.ParamDefaultField, address.ParamDefaultOperator, address.ParamAnalyzeWildcard, address.ParamLenient:
		return problem.BadQuery
	}
	if m := findMember(top.Name); m != nil {
		return m.code
	}
	return problem.BadBody
}

func (p *parser) text(v *strictjson.Value) string {
	if v.Kind == strictjson.String || v.Kind == strictjson.Number || v.Kind == strictjson.Bool {
		return v.Text
	}
	p.wrongValue(v, "a string")
	return ""
}

func (p *parser) fieldName(v *strictjson.Value) string {
	s := p.text(v)
	if s == "" {
		p.wrongValue(v, "the name of a field")
	}
	return s
}

func (p *parser) scalar(v *strictjson.Value) query.Value {
	switch v.Kind {
	case strictjson.String:
		return query.Value{Kind: query.String, Text: v.Text}
	case strictjson.Number:
		return query.Value{Kind: query.Number, Text: numberText(v.Text)}
	case strictjson.Bool:
		return query.Value{Kind: query.Boolean, Text: v.Text}
	}
	p.wrongValue(v, "a string, number or boolean")
	return query.Value{}
}

// numberText returns the text of a number in the place of a text, as Elasticsearch does: an integer as written, a
// fraction as Java writes it.
func numberText(text string) string {
	if !strings.ContainsAny(text, ".eE") {
		if text == "-0" {
			return "0"
		}
		return text
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	return string(envelope.AppendFloat(nil, f, 64))
}

func (p *parser) bool(v *strictjson.Value) bool {
	if v.Kind == strictjson.Bool || v.Kind == strictjson.String {
		switch v.Text {
		case "true":
			return true
		case "false":
			return false
		}
	}
	p.wrongValue(v, "true or false")
	return false
}

// either parses the text of v, one of two words in any case. The result is true for yes.
func (p *parser) either(v *strictjson.Value, text, yes, no string) bool {
	switch strings.ToLower(text) {
	case yes:
		return true
	case no:
		return false
	}
	p.wrongValue(v, yes+" or "+no)
	return false
}

// number returns a finite number, or NaN, which fails every comparison.
func number(v *strictjson.Value) float64 {
	if v.Kind == strictjson.Number || v.Kind == strictjson.String {
		if f, ok := analysis.ParseDouble(v.Text, 64); ok && !math.IsInf(f, 0) {
			return f
		}
	}
	return math.NaN()
}

// integer parses an integer that is at least least. It drops a fraction.
func (p *parser) integer(v *strictjson.Value, least int) int {
	f := math.Trunc(number(v))
	if f >= float64(least) && f <= math.MaxInt32 {
		return int(f)
	}
	p.wrongValue(v, fmt.Sprintf("an integer from %d", least))
	return 0
}

// between parses an integer within bounds.
func (p *parser) between(v *strictjson.Value, least, most int) int {
	n := p.integer(v, least)
	if n > most && p.err == nil {
		p.fail(v, p.code(v), "%s must be at most %d, not %d", p.path(v), most, n)
	}
	return n
}

func (p *parser) expansions(v *strictjson.Value, least int) int {
	n := p.integer(v, least)
	if n > maxExpansions {
		p.wrongValue(v, fmt.Sprintf("an integer from %d to %d", least, maxExpansions))
	}
	return n
}

func (p *parser) weight(v *strictjson.Value) float64 {
	w, ok := toWeight(number(v))
	if !ok {
		p.wrongValue(v, "a number from 0")
	}
	return w
}

// tieBreaker parses a number from 0 to 1: the share of a score that counts in addition to the best score.
func (p *parser) tieBreaker(v *strictjson.Value) float64 {
	w, ok := toWeight(number(v))
	if !ok || w > 1 {
		p.wrongValue(v, "a number from 0 to 1")
	}
	return w
}

// toWeight rounds f to the precision of scores. The result is false if f is not a valid boost.
func toWeight(f float64) (float64, bool) {
	w := float64(float32(f))
	return w, f >= 0 && !math.IsInf(w, 0)
}

// oneOf checks the value of an option without effect: it must be one of allowed.
func (p *parser) oneOf(v *strictjson.Value, allowed ...string) {
	s := p.text(v)
	for _, a := range allowed {
		if strings.EqualFold(s, a) {
			return
		}
	}
	p.wrongValue(v, strings.Join(allowed, " or ")+": nothing else is supported")
}

// each calls f for each element of v until an error. A value outside an array is the only element.
func (p *parser) each(v *strictjson.Value, f func(*strictjson.Value)) {
	if v.Kind != strictjson.Array {
		f(v)
		return
	}
	for i := range v.Items {
		if p.err != nil {
			return
		}
		f(&v.Items[i])
	}
}

func (p *parser) tooMany(v *strictjson.Value, things string, n, limit int) bool {
	if n > limit {
		p.fail(v, problem.TooManyClauses, "%s has %d %s, at most %d are allowed", p.path(v), n, things, limit)
	}
	return n > limit
}

func (p *parser) texts(v *strictjson.Value, limit int) []string {
	if p.tooMany(v, "entries", len(v.Items), limit) {
		return nil
	}
	out := make([]string, 0, len(v.Items))
	p.each(v, func(e *strictjson.Value) { out = append(out, p.text(e)) })
	return out
}

// quoted parses a text that cannot be a number or a boolean.
func (p *parser) quoted(v *strictjson.Value) string {
	if v.Kind != strictjson.String {
		p.wrongValue(v, "a text in quotes")
	}
	return v.Text
}

// signed parses an integer of 32 bits.
func (p *parser) signed(v *strictjson.Value) int { return p.integer(v, -1<<31) }

// field returns the only member of an object, whose name is a field, or nil if the object has another number of
// members.
func (p *parser) field(v *strictjson.Value) *strictjson.Value {
	if len(v.Items) != 1 {
		p.fail(v, p.code(v), "%s must name one field, not %d", p.path(v), len(v.Items))
		return nil
	}
	f := &v.Items[0]
	if f.Name == "" {
		p.unnamed(v, f)
	}
	return f
}

// unnamed refuses the member f of a query v, whose name is a field.
func (p *parser) unnamed(v, f *strictjson.Value) {
	p.fail(f, p.code(v), "%s must name a field, the name is empty", p.path(v))
}

func (p *parser) require(v *strictjson.Value, name string) {
	if v.Member(name) == nil {
		p.fail(v, p.code(v), "%s needs %q", p.path(v), name)
	}
}

// requireOne requires an option of an object under one of its two names.
func (p *parser) requireOne(v *strictjson.Value, name, other string) {
	if v != nil && v.Kind == strictjson.Object && v.Member(other) == nil {
		p.require(v, name)
	}
}

// word parses one of several words, in any case.
func (p *parser) word(v *strictjson.Value, words []string) string {
	word := strings.ToLower(p.text(v))
	if !slices.Contains(words, word) {
		p.wrongValue(v, "one of "+strings.Join(words, ", "))
	}
	return word
}

// double parses a finite number.
func (p *parser) double(v *strictjson.Value) float64 {
	f := number(v)
	if math.IsNaN(f) {
		p.wrongValue(v, "a number")
	}
	return f
}

// float parses a number of 32 bits.
func (p *parser) float(v *strictjson.Value) float64 {
	f := float64(float32(number(v)))
	if math.IsNaN(f) || math.IsInf(f, 0) {
		p.wrongValue(v, "a number")
	}
	return f
}
