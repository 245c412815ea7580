// This file converts JSON scalars as Elasticsearch does: a number or boolean may be a string, a
// text a number; an integer drops its fraction. The first error ends the parse.

package query

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/problem"
)

// bodyParser builds a Body. After an error its methods return zero values, so callers may go on.
type bodyParser struct {
	root  value
	err   *Error          // the first error
	depth int             // enclosing queries
	nodes int             // queries and query string clauses so far
	aggs  int             // aggregations so far
	named bool            // a query has a _name
	own   *string         // the _name of the query being parsed
	names map[Node]string // of queries that have one

	aggDepth int // enclosing aggregations
}

func (p *bodyParser) fail(v *value, code, format string, args ...any) {
	if p.err == nil {
		p.err = &Error{Code: code, Message: fmt.Sprintf(format, args...), Parameter: p.path(v), Position: -1}
	}
}

// path returns the path of v in the body. A parent's range of positions contains its items'.
func (p *bodyParser) path(v *value) string {
	var b strings.Builder
	for at := &p.root; at.pos != v.pos; {
		i := len(at.items) - 1
		for i > 0 && at.items[i].pos > v.pos {
			i--
		}
		if at.kind == kindArray {
			fmt.Fprintf(&b, "[%d]", i)
		} else {
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(clip(at.items[i].name))
		}
		at = &at.items[i]
	}
	return b.String()
}

func (p *bodyParser) wrongValue(v *value, want string) {
	if p.err != nil { // avoid computing the path again
		return
	}
	if v.kind == kindNull || v.kind == kindArray || v.kind == kindObject {
		p.fail(v, p.code(v), "%s must be %s, not %s", p.path(v), want, kindNames[v.kind])
		return
	}
	p.fail(v, p.code(v), "%s must be %s, not %s", p.path(v), want, clip(printScalar(v)))
}

func printScalar(v *value) string {
	if v.kind == kindString {
		return quote(v.text)
	}
	return v.text
}

func quote(s string) string { return string(envelope.NumericEscapes.AppendString(nil, s)) }

func (p *bodyParser) code(v *value) string {
	top := &p.root
	for i := range p.root.items {
		if p.root.items[i].pos <= v.pos {
			top = &p.root.items[i]
		}
	}
	switch top.name {
	case uriIncludes, uriExcludes:
		return problem.BadSource
	case uriQuery, uriField, uriOperator, uriAnalyzeWildcard, uriLenient:
		return problem.BadQuery
	}
	if m := findMember(top.name); m != nil {
		return m.code
	}
	return problem.BadBody
}

func (p *bodyParser) text(v *value) string {
	if v.kind == kindString || v.kind == kindNumber || v.kind == kindBool {
		return v.text
	}
	p.wrongValue(v, "a string")
	return ""
}

func (p *bodyParser) fieldName(v *value) string {
	s := p.text(v)
	if s == "" {
		p.wrongValue(v, "the name of a field")
	}
	return s
}

func (p *bodyParser) scalar(v *value) Value {
	switch v.kind {
	case kindString:
		return Value{String, v.text}
	case kindNumber:
		return Value{Number, numberText(v.text)}
	case kindBool:
		return Value{Boolean, v.text}
	}
	p.wrongValue(v, "a string, number or boolean")
	return Value{}
}

// numberText is the text that Elasticsearch looks for where a number stands for one: an integer as
// written, a fraction as Java writes it.
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

func (p *bodyParser) bool(v *value) bool {
	if v.kind == kindBool || v.kind == kindString {
		switch v.text {
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
func (p *bodyParser) either(v *value, text, yes, no string) bool {
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
func (v *value) number() float64 {
	if v.kind == kindNumber || v.kind == kindString {
		if f, ok := analysis.ParseDouble(v.text, 64); ok && !math.IsInf(f, 0) {
			return f
		}
	}
	return math.NaN()
}

// integer parses an integer of at least least. It drops a fraction.
func (p *bodyParser) integer(v *value, least int) int {
	f := math.Trunc(v.number())
	if f >= float64(least) && f <= math.MaxInt32 {
		return int(f)
	}
	p.wrongValue(v, fmt.Sprintf("an integer from %d", least))
	return 0
}

// between parses an integer within bounds.
func (p *bodyParser) between(v *value, least, most int) int {
	n := p.integer(v, least)
	if n > most && p.err == nil {
		p.fail(v, p.code(v), "%s must be at most %d, not %d", p.path(v), most, n)
	}
	return n
}

func (p *bodyParser) expansions(v *value, least int) int {
	n := p.integer(v, least)
	if n > maxExpansions {
		p.wrongValue(v, fmt.Sprintf("an integer from %d to %d", least, maxExpansions))
	}
	return n
}

func (p *bodyParser) weight(v *value) float64 {
	w, ok := toWeight(v.number())
	if !ok {
		p.wrongValue(v, "a number from 0")
	}
	return w
}

// tieBreaker parses the share of a score that counts beside the best one.
func (p *bodyParser) tieBreaker(v *value) float64 {
	w, ok := toWeight(v.number())
	if !ok || w > 1 {
		p.wrongValue(v, "a number from 0 to 1")
	}
	return w
}

// toWeight rounds f to the precision of scores. The result is false if f is no valid boost.
func toWeight(f float64) (float64, bool) {
	w := float64(float32(f))
	return w, f >= 0 && !math.IsInf(w, 0)
}

// oneOf accepts only the values in allowed. The option has no effect here.
func (p *bodyParser) oneOf(v *value, allowed ...string) {
	s := p.text(v)
	for _, a := range allowed {
		if strings.EqualFold(s, a) {
			return
		}
	}
	p.wrongValue(v, strings.Join(allowed, " or ")+": nothing else is supported")
}

// each calls f for each element of v until an error. A value outside an array is the only element.
func (p *bodyParser) each(v *value, f func(*value)) {
	if v.kind != kindArray {
		f(v)
		return
	}
	for i := range v.items {
		if p.err != nil {
			return
		}
		f(&v.items[i])
	}
}

func (p *bodyParser) tooMany(v *value, things string, n, limit int) bool {
	if n > limit {
		p.fail(v, problem.TooManyClauses, "%s has %d %s, at most %d are allowed", p.path(v), n, things, limit)
	}
	return n > limit
}

func (p *bodyParser) texts(v *value, limit int) []string {
	if p.tooMany(v, "entries", len(v.items), limit) {
		return nil
	}
	out := make([]string, 0, len(v.items))
	p.each(v, func(e *value) { out = append(out, p.text(e)) })
	return out
}
