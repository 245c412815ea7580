// This file writes items so that an index takes them: each name leads to values or to objects, no name is blank.

package layout

import (
	"fmt"
	"strconv"
	"strings"

	"contentedge/edgeserve/wire/jsoncursor"
)

// fitter writes an item. What no field needs may be left out: the document has the item's bytes as well.
type fitter struct {
	text, dst []byte
}

// want says which values a member takes. Nulls and empty arrays go to objects, if the place has some.
type want uint8

const (
	values want = iota
	objects
)

// object writes an object at a place, and returns the end of the object's text at an offset.
func (w *fitter) object(p *place, at int, root bool) int {
	w.dst = append(w.dst, '{')
	start := len(w.dst)
	end := jsoncursor.Children(w.text, at, func(quoted []byte, at int) (end int) {
		name := string(jsoncursor.Unquote(quoted))
		below, ok := p.find(name)
		if !ok || root && engineOwn(name) {
			return jsoncursor.ValueEnd(w.text, at)
		}
		name = legal(name)
		if below == nil {
			end = jsoncursor.ValueEnd(w.text, at)
			w.member(start, name, func() bool { w.dst = append(w.dst, w.text[at:end]...); return true })
			return end
		}
		if below.below != nil {
			w.member(start, name, func() (some bool) { end, some = w.value(below, at, objects); return some })
		}
		if below.field != nil {
			w.member(start, name+below.field.aside, func() (some bool) { end, some = w.value(below, at, values); return some })
		}
		return end
	})
	w.dst = append(w.dst, '}')
	return end
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

// value writes what a member takes of the value at an offset, and returns the value's end. some reports whether the
// member takes anything.
func (w *fitter) value(p *place, at int, take want) (end int, some bool) {
	nulls := (take == objects) == (p.below != nil)
	switch w.text[at] {
	case '{':
		if take == values {
			return jsoncursor.ValueEnd(w.text, at), false
		}
		return w.object(p, at, false), true
	case '[':
		w.dst = append(w.dst, '[')
		start, count := len(w.dst), 0
		end = jsoncursor.Children(w.text, at, func(_ []byte, at int) int {
			before := len(w.dst)
			if count++; before > start {
				w.dst = append(w.dst, ',')
			}
			end, takes := w.value(p, at, take)
			if some = some || takes; !takes {
				w.dst = w.dst[:before]
			}
			return end
		})
		w.dst = append(w.dst, ']')
		return end, some || count == 0 && nulls
	}
	end = jsoncursor.ScalarEnd(w.text, at)
	w.dst = append(w.dst, w.text[at:end]...)
	if w.text[at] == 'n' {
		return end, nulls
	}
	return end, take == values
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
