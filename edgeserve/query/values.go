// This file turns JSON scalars into Go values by the rules of Elasticsearch:
// numbers and booleans may be written as strings, texts as numbers, and a fraction
// is cut where an integer is wanted. The first failure is kept and ends the parse.

package query

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// bodyParser reads a Body out of a JSON value. Its methods give zero values after a
// failure, so that callers need not look at err after each of them.
type bodyParser struct {
	root  *value
	err   *Error // the first failure
	depth int    // queries around the one being read
	nodes int    // queries and query string clauses so far
	aggs  int    // aggregations so far
}

// fail records an error about v, unless there is one already.
func (p *bodyParser) fail(v *value, code, format string, args ...any) {
	if p.err == nil {
		p.err = &Error{Code: code, Message: fmt.Sprintf(format, args...), Parameter: p.path(v), Position: -1}
	}
}

// path gives the place of v in the body. Values lie in the order of their positions
// and inside their parents, so the position alone finds the way.
func (p *bodyParser) path(v *value) string {
	var b strings.Builder
	for at := p.root; at.pos != v.pos; {
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

// wrong fails because v is not what it has to be.
func (p *bodyParser) wrong(v *value, want string) {
	if p.err != nil { // finding the path again and again would cost time
		return
	}
	if v.kind == kindNull || v.kind == kindArray || v.kind == kindObject {
		p.fail(v, p.code(v), "%s must be %s, not %s", p.path(v), want, kindNames[v.kind])
		return
	}
	p.fail(v, p.code(v), "%s must be %s, not %s", p.path(v), want, clip(printScalar(v)))
}

// printScalar gives a scalar as JSON.
func printScalar(v *value) string {
	if v.kind == kindString {
		return string(appendQuoted(nil, v.text))
	}
	return v.text
}

// code is the code of a wrong value at v: that of the top-level member it lies in.
func (p *bodyParser) code(v *value) string {
	top := p.root
	for i := range p.root.items {
		if p.root.items[i].pos <= v.pos {
			top = &p.root.items[i]
		}
	}
	switch top.name {
	case "from":
		return CodeFrom
	case "size":
		return CodeSize
	case "sort":
		return CodeSort
	case "_source", uriIncludes, uriExcludes:
		return CodeSource
	case "track_total_hits":
		return CodeTotalHits
	case "aggs", "aggregations":
		return CodeAggregation
	case "query", uriQuery, uriField, uriOperator, uriAnalyzeWildcard, uriLenient:
		return CodeQuery
	}
	return CodeBody
}

// text reads a string; other scalars count by their text.
func (p *bodyParser) text(v *value) string {
	if v.kind == kindString || v.kind == kindNumber || v.kind == kindBool {
		return v.text
	}
	p.wrong(v, "a string")
	return ""
}

// fieldName reads a text that names a field.
func (p *bodyParser) fieldName(v *value) string {
	s := p.text(v)
	if s == "" {
		p.wrong(v, "the name of a field")
	}
	return s
}

// scalar reads a string, number or boolean.
func (p *bodyParser) scalar(v *value) Value {
	switch v.kind {
	case kindString:
		return Value{String, v.text}
	case kindNumber:
		return Value{Number, v.text}
	case kindBool:
		return Value{Boolean, v.text}
	}
	p.wrong(v, "a string, number or boolean")
	return Value{}
}

// bool reads true or false.
func (p *bodyParser) bool(v *value) bool {
	if v.kind == kindBool || v.kind == kindString {
		switch v.text {
		case "true":
			return true
		case "false":
			return false
		}
	}
	p.wrong(v, "true or false")
	return false
}

// number reads a finite number.
func (p *bodyParser) number(v *value, want string) float64 {
	if v.kind == kindNumber || v.kind == kindString {
		if f, ok := javaFloat(v.text); ok && !math.IsNaN(f) && !math.IsInf(f, 0) {
			return f
		}
	}
	p.wrong(v, want)
	return 0
}

// integer reads a number of at least least, cutting a fraction.
func (p *bodyParser) integer(v *value, least int) int {
	want := "an integer"
	if least > math.MinInt32 {
		want = fmt.Sprintf("an integer from %d", least)
	}
	f := math.Trunc(p.number(v, want))
	if f < float64(least) || f > math.MaxInt32 {
		p.wrong(v, want)
		return 0
	}
	return int(f)
}

// expansions reads max_expansions.
func (p *bodyParser) expansions(v *value, least int) int {
	n := p.integer(v, least)
	if n > maxExpansions {
		p.wrong(v, fmt.Sprintf("an integer from %d to %d", least, maxExpansions))
	}
	return n
}

// weight reads a non-negative number in the precision scores have.
func (p *bodyParser) weight(v *value) float64 {
	const want = "a number from 0"
	f := p.number(v, want)
	if w, ok := toWeight(f); ok {
		return w
	}
	p.wrong(v, want)
	return 0
}

// toWeight rounds f to the precision of a score; false when it cannot be a boost.
func toWeight(f float64) (float64, bool) {
	w := float64(float32(f))
	return w, f >= 0 && !math.IsInf(w, 0)
}

// fixed reads an option that has one possible value here.
func (p *bodyParser) fixed(v *value, allowed ...string) {
	s := p.text(v)
	for _, a := range allowed {
		if strings.EqualFold(s, a) {
			return
		}
	}
	p.wrong(v, strings.Join(allowed, " or ")+": nothing else is supported")
}

// each calls f for v's elements up to the first failure, or for v itself when it is
// no array.
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

// texts reads an array of texts, or one text, of at most limit.
func (p *bodyParser) texts(v *value, limit int) []string {
	if len(v.items) > limit {
		p.fail(v, CodeTooManyClauses, "%s has %d entries, at most %d are allowed", p.path(v), len(v.items), limit)
		return nil
	}
	out := make([]string, 0, len(v.items))
	p.each(v, func(e *value) { out = append(out, p.text(e)) })
	return out
}

// javaFloat reads a number as Java does: an f or d may follow, NaN and Infinity are
// numbers, and hexadecimal needs an exponent. Too large is infinite.
func javaFloat(s string) (float64, bool) {
	s = strings.TrimFunc(s, func(c rune) bool { return c <= ' ' })
	switch strings.TrimLeft(s, "+-") {
	case "NaN":
		return math.NaN(), len(s) <= len("+NaN")
	case "Infinity":
		if strings.HasPrefix(s, "-") {
			return math.Inf(-1), len(s) == len("-Infinity")
		}
		return math.Inf(1), len(s) <= len("+Infinity")
	}
	hex := strings.ContainsAny(s, "xX")
	if hex && !strings.ContainsAny(s, "pP") || strings.ContainsAny(s, "_iInN") {
		return 0, false
	}
	if n := len(s); n > 1 && strings.IndexByte("fFdD", s[n-1]) >= 0 {
		s = s[:n-1]
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}
