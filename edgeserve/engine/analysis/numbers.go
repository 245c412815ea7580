// This file parses numbers of any size. The size of an exponent does not affect the work, as queries are
// untrusted.

package analysis

import (
	"cmp"
	"math"
	"strconv"
	"strings"
)

// decimal is 0.digits × 10^scale: the digits of whole, then fraction, without zeros at either end.
type decimal struct {
	negative        bool
	whole, fraction string
	scale           int64
	zero            bool
}

// maxExponent limits exponents. No text is long enough to bring a larger one back into range.
const maxExponent = 1 << 60

// ParseNumber parses a decimal such as `5`, `-1.50` or `+.5e3`. f is the nearest float64, infinite
// if out of range. isInt reports whether the value is whole and fits i, as for `1.0` and `1e3`.
func ParseNumber(text string) (f float64, i int64, isInt, ok bool) {
	d, ok := parseDecimal(text)
	if !ok {
		return 0, 0, false, false
	}
	f, _ = strconv.ParseFloat(text, 64)
	i, isInt = d.int64()
	return f, i, isInt, true
}

// ParseDouble parses a number of 32 or 64 bits as Java does, and therefore Elasticsearch. It accepts
// white space around the number, suffixes f and d, NaN and Infinity. Hexadecimal numbers need an
// exponent. A number out of range becomes infinite.
func ParseDouble(text string, bits int) (f float64, ok bool) {
	text = strings.TrimFunc(text, func(c rune) bool { return c <= ' ' })
	if strings.ContainsAny(text, "xX_iInN") {
		switch strings.TrimLeft(text, "+-") {
		case "NaN":
			return math.NaN(), len(text) <= len("+NaN")
		case "Infinity":
			if strings.HasPrefix(text, "-") {
				return math.Inf(-1), len(text) == len("-Infinity")
			}
			return math.Inf(1), len(text) <= len("+Infinity")
		}
		if strings.ContainsAny(text, "_iInN") || !strings.ContainsAny(text, "pP") {
			return 0, false
		}
	}
	if n := len(text); n > 1 && strings.IndexByte("fFdD", text[n-1]) >= 0 {
		text = text[:n-1]
	}
	if text == "" || strings.IndexByte("+-.0123456789", text[0]) < 0 { // most words: an error of strconv allocates
		return 0, false
	}
	f, err := strconv.ParseFloat(text, bits)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// CompareNumbers compares two texts exactly by their numeric values, without allocating. Invalid numbers
// come first.
func CompareNumbers(a, b string) int {
	x, okX := parseDecimal(a)
	y, okY := parseDecimal(b)
	if !okX || !okY {
		return boolToInt(okX) - boolToInt(okY)
	}
	if c := cmp.Compare(x.sign(), y.sign()); c != 0 || x.zero {
		return c
	}
	return x.sign() * x.compareMagnitude(y)
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func parseDecimal(text string) (d decimal, ok bool) {
	if text != "" && (text[0] == '-' || text[0] == '+') {
		d.negative = text[0] == '-'
		text = text[1:]
	}
	d.whole, text = cutDigits(text)
	if strings.HasPrefix(text, ".") {
		d.fraction, text = cutDigits(text[1:])
	}
	if d.whole == "" && d.fraction == "" {
		return d, false
	}
	exponent, ok := parseExponent(text)
	d.normalize(exponent)
	return d, ok
}

func cutDigits(text string) (digits, rest string) {
	i := 0
	for i < len(text) && isDigit(text[i]) {
		i++
	}
	return text[:i], text[i:]
}

func isDigit(c byte) bool { return c-'0' < 10 }

// parseExponent parses "" or an `e` with digits, limited to maxExponent.
func parseExponent(text string) (exponent int64, ok bool) {
	if text == "" {
		return 0, true
	}
	if text[0]|0x20 != 'e' {
		return 0, false
	}
	text = text[1:]
	negative := strings.HasPrefix(text, "-")
	if negative || strings.HasPrefix(text, "+") {
		text = text[1:]
	}
	digits, rest := cutDigits(text)
	if digits == "" || rest != "" {
		return 0, false
	}
	exponent, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || exponent > maxExponent {
		exponent = maxExponent
	}
	if negative {
		exponent = -exponent
	}
	return exponent, true
}

func (d *decimal) normalize(exponent int64) {
	d.fraction = strings.TrimRight(d.fraction, "0")
	d.whole = strings.TrimLeft(d.whole, "0")
	d.scale = exponent + int64(len(d.whole))
	if d.whole == "" {
		significant := strings.TrimLeft(d.fraction, "0")
		d.scale -= int64(len(d.fraction) - len(significant))
		d.fraction = significant
	}
	if d.fraction == "" {
		d.whole = strings.TrimRight(d.whole, "0")
	}
	d.zero = d.whole == "" && d.fraction == ""
}

func (d *decimal) digits() int { return len(d.whole) + len(d.fraction) }

func (d *decimal) at(i int) byte {
	switch {
	case i < len(d.whole):
		return d.whole[i] - '0'
	case i < d.digits():
		return d.fraction[i-len(d.whole)] - '0'
	}
	return 0
}

func (d *decimal) sign() int {
	switch {
	case d.zero:
		return 0
	case d.negative:
		return -1
	}
	return 1
}

func (d *decimal) compareMagnitude(e decimal) int {
	if c := cmp.Compare(d.scale, e.scale); c != 0 {
		return c
	}
	for i := range max(d.digits(), e.digits()) {
		if c := cmp.Compare(d.at(i), e.at(i)); c != 0 {
			return c
		}
	}
	return 0
}

func (d *decimal) int64() (int64, bool) {
	if !d.zero && d.scale < int64(d.digits()) {
		return 0, false
	}
	return d.truncated()
}

// truncated returns the value without its fraction, and whether it fits an int64.
func (d *decimal) truncated() (int64, bool) {
	if d.zero || d.scale <= 0 {
		return 0, true
	}
	const maxDigits = 19 // of an int64
	if d.scale > maxDigits {
		return 0, false
	}
	var n uint64
	for i := range int(d.scale) {
		n = n*10 + uint64(d.at(i))
	}
	if d.negative {
		return -int64(n), n <= 1<<63
	}
	return int64(n), n <= math.MaxInt64
}

// ReadLong parses the text of a value as an integer. It truncates a fraction.
func ReadLong(text string) (n int64, ok bool) {
	d, ok := parseDecimal(text)
	if !ok {
		return 0, false
	}
	return d.truncated()
}

// ReadDouble parses the text of a value as a finite number.
func ReadDouble(text string) (f float64, ok bool) {
	f, _, _, ok = ParseNumber(text)
	return f + 0, ok && !math.IsInf(f, 0) // -0 is 0
}

// ReadBool parses the text of a value as a boolean: 1 for true, 0 for false.
func ReadBool(text string) (n int64, ok bool) {
	if text == "true" {
		n = 1
	}
	return n, n == 1 || text == "false"
}
