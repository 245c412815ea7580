// This file writes numbers by patterns such as #,##0.00, in the syntax of Java's DecimalFormat.

package aggs

import (
	"math"
	"strconv"
	"strings"
	"time"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
)

const numberFormats = `0 and # for digits, one "." and "," between them, as in "0.00" and "#,##0.#", and text before and after; after a ";" the form of negative numbers`

// maxPlaces limits the digits of a pattern on each side of the point.
const maxPlaces = 40

// numberPattern is a parsed pattern.
type numberPattern struct {
	before, after string
	digits        int  // the least number of digits before the point
	least, most   int  // numbers of digits after the point
	group         int  // digits of a group; 0 means no groups
	point         bool // the point is written even without digits after it
	percent       bool
	negative      *[2]string // text before and after negative numbers; nil means a minus before all
}

// patternOf parses the number format of an aggregation.
func patternOf(agg *query.Agg, path string) (*numberPattern, error) {
	p, ok := parseNumberPattern(agg.Values.Format)
	if !ok {
		return nil, badAgg(path, agg, "format", "%.80q is not a known number format: use %s", agg.Values.Format, numberFormats)
	}
	return &p, nil
}

// numberFormat returns functions that write numbers as JSON strings by the format of an aggregation.
func numberFormat(agg *query.Agg, path string) (numberText, error) {
	p, err := patternOf(agg, path)
	if err != nil {
		return nil, err
	}
	return p.double, nil
}

// keyFormat returns a function that writes the value of a group by the format, if groups are values.
func (s *valuesSource) keyFormat(agg *query.Agg, path string) (func(dst []byte, id int) []byte, error) {
	if s.kind == fields.Date {
		write, err := DateFormat(agg.Values.Format, time.UTC)
		if err != nil {
			return nil, badAgg(path, agg, "format", "%s", err)
		}
		return func(dst []byte, id int) []byte { return write(dst, s.integer(id)) }, nil
	}
	p, err := patternOf(agg, path)
	return func(dst []byte, id int) []byte {
		if s.fractions() {
			return p.double(dst, s.number(id))
		}
		return p.long(dst, s.integer(id))
	}, err
}

// double writes a number as a JSON string.
func (p *numberPattern) double(dst []byte, f float64) []byte {
	return appendJSONString(dst, string(p.append(nil, f)))
}

// long writes an integer with all its digits as a JSON string.
func (p *numberPattern) long(dst []byte, n int64) []byte {
	return appendJSONString(dst, string(p.appendInt(nil, n)))
}

// parseNumberPattern parses a pattern; ok is false for a pattern that is not supported.
func parseNumberPattern(pattern string) (p numberPattern, ok bool) {
	if p.before, pattern, ok = p.affix(pattern); !ok {
		return p, false
	}
	n := len(pattern) - len(strings.TrimLeft(pattern, "#0,."))
	digits := pattern[:n]
	if p.after, pattern, ok = p.affix(pattern[n:]); !ok {
		return p, false
	}
	if pattern != "" {
		if p.negative, ok = parseNegative(pattern); !ok || n == 0 {
			return p, false
		}
		if *p.negative == [2]string{p.before, p.after} {
			p.negative = nil
		}
	}
	whole, fraction, point := strings.Cut(digits, ".")
	if comma := strings.LastIndexByte(whole, ','); comma >= 0 {
		if p.group = len(whole) - comma - 1; p.group == 0 {
			return p, false
		}
		whole = strings.ReplaceAll(whole, ",", "")
	}
	places := strings.TrimLeft(whole, "#")
	zeros := strings.TrimRight(fraction, "#")
	if strings.Trim(places, "0") != "" || strings.Trim(zeros, "0") != "" || len(places) > maxPlaces || len(fraction) > maxPlaces {
		return p, false
	}
	p.digits, p.least, p.most, p.point = len(places), len(zeros), len(fraction), point && fraction == ""
	if point && places == "" && zeros == "" { // as Java reads ###.### and .###
		if whole != "" {
			p.digits = 1
		} else if fraction != "" {
			p.least = 1
		}
	}
	return p, true
}

// parseNegative parses the form of negative numbers, after the semicolon. Its digits are ignored.
func parseNegative(pattern string) (affixes *[2]string, ok bool) {
	pattern, ok = strings.CutPrefix(pattern, ";")
	if !ok {
		return nil, false
	}
	affixes = &[2]string{}
	var p numberPattern
	if affixes[0], pattern, ok = p.affix(pattern); !ok {
		return nil, false
	}
	rest := strings.TrimLeft(pattern, "#0,.")
	if affixes[1], pattern, ok = p.affix(rest); !ok || pattern != "" {
		return nil, false
	}
	return affixes, true
}

// affix cuts the text before the first digit of a pattern. Text may be in single quotes.
func (p *numberPattern) affix(pattern string) (text, rest string, ok bool) {
	for pattern != "" && strings.IndexByte("#0,.;", pattern[0]) < 0 {
		c := pattern[0]
		switch {
		case c == '\'':
			quoted, after, ok := analysis.CutQuoted(pattern[1:])
			if !ok {
				return "", "", false
			}
			text, pattern = text+quoted, after
			continue
		case c == '%' && !p.percent:
			p.percent = true
		case c == '%' || c == 'E' || c >= '1' && c <= '9' || strings.HasPrefix(pattern, "‰") || strings.HasPrefix(pattern, "¤"):
			return "", "", false // exponents, per mille, currencies
		}
		text, pattern = text+pattern[:1], pattern[1:]
	}
	return text, pattern, true
}

// append writes a number as text.
func (p *numberPattern) append(dst []byte, f float64) []byte {
	if math.IsNaN(f) {
		return append(dst, "NaN"...)
	}
	dst, after := p.sign(dst, math.Signbit(f))
	if f = math.Abs(f); p.percent {
		f *= 100
	}
	if math.IsInf(f, 0) {
		return append(append(dst, "∞"...), after...)
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	whole, fraction, _ := strings.Cut(text, ".")
	if len(fraction) > p.most {
		whole, fraction, _ = strings.Cut(strconv.FormatFloat(f, 'f', p.most, 64), ".")
		for len(fraction) > p.least && fraction[len(fraction)-1] == '0' {
			fraction = fraction[:len(fraction)-1]
		}
	}
	return append(p.places(dst, whole, fraction), after...)
}

// appendInt writes an integer as text.
func (p *numberPattern) appendInt(dst []byte, n int64) []byte {
	dst, after := p.sign(dst, n < 0)
	size := uint64(n)
	if n < 0 {
		size = -size
	}
	whole := strconv.FormatUint(size, 10)
	if p.percent && n != 0 {
		whole += "00"
	}
	return append(p.places(dst, whole, ""), after...)
}

// sign writes the text before a number, and returns the text after it.
func (p *numberPattern) sign(dst []byte, negative bool) (_ []byte, after string) {
	switch {
	case !negative:
	case p.negative != nil:
		return append(dst, p.negative[0]...), p.negative[1]
	default:
		dst = append(dst, '-')
	}
	return append(dst, p.before...), p.after
}

// places writes digits in the groups of the pattern.
func (p *numberPattern) places(dst []byte, whole, fraction string) []byte {
	fraction += strings.Repeat("0", max(0, p.least-len(fraction)))
	if p.digits == 0 && whole == "0" && fraction != "" {
		whole = ""
	}
	whole = strings.Repeat("0", max(0, p.digits-len(whole))) + whole
	for i := range len(whole) {
		if left := len(whole) - i; i > 0 && p.group > 0 && left%p.group == 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, whole[i])
	}
	if fraction != "" || p.point {
		dst = append(append(dst, '.'), fraction...)
	}
	return dst
}
