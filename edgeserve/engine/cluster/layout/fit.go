// This file writes items so that an index takes them: each name leads to values or to objects, no name is blank.

package layout

import (
	"fmt"
	"strconv"
	"strings"

	"contentedge/edgeserve/engine/cluster/jsonwalk"
)

// fitter writes an item. What no field needs may be left out: the document has the item's bytes as well.
type fitter struct {
	jsonwalk.Cursor
	dst []byte
}

// want says which values a member takes. Nulls and empty arrays go to objects, if the place has some.
type want uint8

const (
	values want = iota
	objects
)

// object writes an object at a place.
func (w *fitter) object(p *place, root bool) {
	w.dst = append(w.dst, '{')
	start := len(w.dst)
	w.Members(func(quoted []byte) {
		from := w.At
		name := jsonwalk.Unquote(quoted)
		below, ok := p.find(name)
		if !ok || root && engineOwn(name) {
			w.Value()
			return
		}
		name = legal(name)
		if below == nil {
			w.member(start, name, func() bool { w.dst = append(w.dst, w.Value()...); return true })
			return
		}
		if below.below != nil {
			w.member(start, name, func() bool { return w.value(below, objects) })
		}
		if below.field != nil {
			w.At = from
			w.member(start, name+below.field.aside, func() bool { return w.value(below, values) })
		}
	})
	w.dst = append(w.dst, '}')
}

// member writes a member, unless its value writes nothing. Start is where the members of the object begin.
func (w *fitter) member(start int, name string, value func() bool) {
	before := len(w.dst)
	if before > start {
		w.dst = append(w.dst, ',')
	}
	w.dst = append(w.dst, member(name)...)
	if !value() {
		w.dst = w.dst[:before]
	}
}

// value writes what a member takes of a value. It reports whether there is some.
func (w *fitter) value(p *place, take want) (some bool) {
	nulls := (take == objects) == (p.below != nil)
	switch w.Peek() {
	case '{':
		if take == values {
			w.Value()
			return false
		}
		w.object(p, false)
		return true
	case '[':
		w.dst = append(w.dst, '[')
		start, count := len(w.dst), 0
		w.Elements(func() {
			before := len(w.dst)
			if count++; before > start {
				w.dst = append(w.dst, ',')
			}
			if w.value(p, take) {
				some = true
			} else {
				w.dst = w.dst[:before]
			}
		})
		w.dst = append(w.dst, ']')
		return some || count == 0 && nulls
	}
	v := w.Scalar()
	w.dst = append(w.dst, v...)
	if v[0] == 'n' {
		return nulls
	}
	return take == values
}

// appendOrder appends the text, in quotes, that orders a value as REST lists do: numbers, then booleans, then texts.
func appendOrder(dst, value []byte) []byte {
	switch value[0] {
	case '"':
		return append(append(dst, `"3`...), value[1:]...)
	case 't', 'f':
		return append(append(append(dst, `"2`...), value...), '"')
	}
	return append(appendNumber(append(dst, `"1`...), string(value)), '"')
}

// appendNumber appends digits in the order of numbers: the sign, an exponent, and the digits of 0.ddd without zeros
// around them. Digits of negative numbers are complemented (9−d) so that the numbers sort first.
func appendNumber(dst []byte, number string) []byte {
	text, negative := strings.CutPrefix(number, "-")
	mantissa, exponent := text, 0
	if e := strings.IndexAny(text, "eE"); e >= 0 {
		mantissa, exponent = text[:e], clamped(text[e+1:])
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent += len(digits) - len(fraction) + maxExponent
	digits = strings.TrimRight(digits, "0")
	switch {
	case digits == "":
		return append(dst, '1')
	case !negative:
		return fmt.Appendf(dst, "2%0*d%s", exponentDigits, exponent, digits)
	}
	at := len(dst) + 1
	dst = fmt.Appendf(dst, "0%0*d%s", exponentDigits, exponent, digits)
	for i := range dst[at:] {
		dst[at+i] = '0' + '9' - dst[at+i]
	}
	return append(dst, '~') // after all digits: of equal beginnings the longer one is less
}

// maxExponent bounds exponents, which texts may have of any size. Items have at most some hundred million digits.
const (
	maxExponent    = 2_000_000_000
	exponentDigits = 10
)

// clamped reads an exponent.
func clamped(text string) int {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil && strings.HasPrefix(text, "-") {
		return -maxExponent / 2
	}
	if err != nil {
		return maxExponent / 2
	}
	return int(max(-maxExponent/2, min(maxExponent/2, n)))
}
