// This file writes scalars and the options that many queries have.

package encode

import (
	"encoding/json"
	"math"
	"strconv"

	"contentedge/edgeserve/engine/query"
)

// value writes a scalar with its digits.
func (e *encoder) value(v query.Value) any {
	switch v.Kind {
	case query.Number:
		return json.Number(v.Text)
	case query.Boolean:
		return v.Text == "true"
	case query.Null:
		return nil
	}
	return v.Text
}

func (e *encoder) values(list []query.Value) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = e.value(v)
	}
	return out
}

// whole writes an integer.
func whole(n int) json.Number { return json.Number(strconv.Itoa(n)) }

// double writes a number of 64 bits.
func (e *encoder) double(f float64) json.Number {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		e.fail("no body can hold the number %v", f)
	}
	return json.Number(strconv.FormatFloat(f, 'g', -1, 64))
}

// score writes a number that is parsed as 64 bits and then rounded to the 32 bits of scores. A parsed body may hold
// an infinite one, beyond all 32 bits.
func (e *encoder) score(f float64) json.Number {
	switch {
	case f == 0:
		return "0" // a cluster refuses a weight of -0
	case math.IsInf(f, 1):
		return "1e39"
	case math.IsInf(f, -1):
		return "-1e39"
	}
	text := strconv.FormatFloat(f, 'g', -1, 32)
	if read, _ := strconv.ParseFloat(text, 64); float32(read) != float32(f) {
		text = strconv.FormatFloat(float64(float32(f)), 'g', -1, 64) // rounding twice gave another number
	}
	if float64(float32(f)) != f {
		e.fail("%v has more digits than a score", f)
	}
	return json.Number(text)
}

// The following functions set a member unless it has the value of an absent one.

func flag(o object, name string, b bool) {
	if b {
		o[name] = true
	}
}

// flagOff sets a member that is true by default.
func flagOff(o object, name string, off bool) {
	if off {
		o[name] = false
	}
}

func text(o object, name, s string) {
	if s != "" {
		o[name] = s
	}
}

// texts sets a list, which may be empty, unless it is nil.
func texts(o object, name string, list []string) {
	if list != nil {
		o[name] = array(list, func(s string) any { return s })
	}
}

func integer(o object, name string, n, absent int) {
	if n != absent {
		o[name] = whole(n)
	}
}

func (e *encoder) optional(o object, name string, v *query.Value) {
	if v != nil {
		o[name] = e.value(*v)
	}
}

// weight sets a number in the precision of scores.
func (e *encoder) weight(o object, name string, f, absent float64) {
	if f != absent {
		o[name] = e.score(f)
	}
}

// word sets a member whose values are words.
func word(o object, name, s, absent string) {
	if s != absent {
		o[name] = s
	}
}
