// This file reads dates by one format.

package analysis

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// dateFormat parses a text as the time that a clock shows. If the text has an offset, zoned is set and
// the time is in UTC. With up, missing parts have their highest values; a missing day is the first.
type dateFormat func(text string, up bool) (t time.Time, zoned, ok bool)

// isoFormat parses ISO dates. If lenient, numbers may have one digit. Only if timed, dates may have a
// time.
func isoFormat(lenient, timed bool) dateFormat {
	return func(text string, up bool) (time.Time, bool, bool) {
		t, ok := readISO(text, up, lenient)
		_, clock, hasTime := strings.Cut(text, "T")
		return t, hasTime && strings.ContainsAny(clock, "Z+-"), ok && (timed || !hasTime)
	}
}

// anyFormat parses dates by the first format in list that fits.
func anyFormat(list []dateFormat) dateFormat {
	if len(list) == 1 {
		return list[0]
	}
	return func(text string, up bool) (t time.Time, zoned, ok bool) {
		for _, f := range list {
			if t, zoned, ok = f(text, up); ok {
				break
			}
		}
		return t, zoned, ok
	}
}

// maxSeconds keeps seconds since 1970 within int64 milliseconds, in any time zone.
const maxSeconds = math.MaxInt64/1000 - 2*86400

// epochFormat parses milliseconds or seconds since 1970.
func epochFormat(seconds bool) dateFormat {
	if !seconds {
		return func(text string, _ bool) (time.Time, bool, bool) {
			digits, negative := strings.CutPrefix(text, "-")
			t, ok := parseEpoch(digits)
			if negative {
				t = time.UnixMilli(-t.UnixMilli()).UTC()
			}
			return t, false, ok
		}
	}
	return func(text string, up bool) (time.Time, bool, bool) {
		whole, fraction, _ := strings.Cut(text, ".")
		n, err := strconv.ParseInt(whole, 10, 64)
		if err != nil || n < -maxSeconds || n > maxSeconds || strings.HasPrefix(whole, "+") || n == 0 && whole[0] == '-' {
			return time.Time{}, false, false
		}
		p, nano := isoParser{rest: fraction}, 0
		switch {
		case fraction != "":
			nano = p.fraction()
		case up:
			nano = maxNano
		}
		return time.Unix(n, int64(nano)).UTC(), false, !p.failed && p.rest == ""
	}
}

// patternFormat parses dates by the parts of a pattern.
func patternFormat(parts []datePart) dateFormat {
	return func(text string, up bool) (time.Time, bool, bool) {
		d := clockDate{isoDate: isoDate{year: 1970, month: 1, day: 1}}
		if up {
			d.hour, d.minute, d.second, d.nano = 23, 59, 59, maxNano
		}
		for _, p := range parts {
			var ok bool
			if text, ok = d.read(p, text); !ok {
				return time.Time{}, false, false
			}
		}
		if text != "" || !d.settle(up) || !d.valid(up) {
			return time.Time{}, false, false
		}
		return d.time(), d.zoned, true
	}
}

// read reads a part.
func (d *clockDate) read(p datePart, text string) (rest string, ok bool) {
	switch {
	case p.letter == 0:
		return strings.CutPrefix(text, p.text)
	case strings.IndexByte("XxZV", p.letter) >= 0:
		form := beginningOf(text, dateOffsets[p.letter][p.width-1])
		z := isoParser{rest: form}
		d.zoned, d.offset = true, z.zone()
		return text[len(form):], form != "" && !z.failed
	case p.letter == 'a':
		return d.halfName(text)
	case p.most == 0:
		return d.monthName(p.width == 3, text)
	}
	n, digits, rest := p.cutNumber(text)
	return rest, digits > 0 && d.set(p, n, digits)
}

// dateOffsets are the forms of offsets by letters and widths, longer ones first: + is a sign, 0 a digit.
var dateOffsets = map[byte][][]string{
	'X': {{"Z", "+0000", "+00"}, {"Z", "+0000"}, {"Z", "+00:00"}},
	'x': {{"+0000", "+00"}, {"+0000"}, {"+00:00"}, {"+0000"}},
	'Z': {{"+0000"}, {"+0000"}, {"+0000"}},
	'V': {nil, {"Z", "+00:00", "+0000", "+00"}},
}

// beginningOf returns the beginning of a text that has the first of the forms that fits; or "".
func beginningOf(text string, forms []string) string {
	for _, form := range forms {
		if len(text) >= len(form) && hasForm(text[:len(form)], form) {
			return text[:len(form)]
		}
	}
	return ""
}

func hasForm(text, form string) bool {
	for i := range len(form) {
		switch c := text[i]; {
		case form[i] == '+' && (c == '+' || c == '-'), form[i] == '0' && c >= '0' && c <= '9', form[i] == c && c != '+':
		default:
			return false
		}
	}
	return true
}

func (d *clockDate) monthName(short bool, text string) (rest string, ok bool) {
	for m := time.January; m <= time.December; m++ {
		name := m.String()
		if short {
			name = name[:3]
		}
		if rest, ok = strings.CutPrefix(text, name); ok {
			return rest, d.once('M', &d.month, int(m))
		}
	}
	return "", false
}

func (d *clockDate) halfName(text string) (rest string, ok bool) {
	for noon, name := range []string{"AM", "PM"} {
		if rest, ok = strings.CutPrefix(text, name); ok {
			return rest, d.once('a', &d.noon, noon)
		}
	}
	return "", false
}

// cutNumber cuts a number and its sign off a text. digits is 0 if the text does not begin with the
// number.
func (p *datePart) cutNumber(text string) (n int64, digits int, rest string) {
	unsigned := text
	signed := text != "" && (text[0] == '-' && p.sign != noSign || text[0] == '+' && p.sign == longerSign)
	if signed {
		unsigned = text[1:]
	}
	found, _ := cutDigits(unsigned)
	digits = min(len(found), p.most+p.behind)
	if p.behind > 0 {
		digits = max(p.least, digits-p.behind)
	}
	if digits < p.least || digits > len(found) {
		return 0, 0, ""
	}
	n, err := strconv.ParseInt(found[:digits], 10, 64)
	negative := signed && text[0] == '-'
	switch {
	case err != nil, negative && n == 0:
		return 0, 0, ""
	case negative:
		n = -n
	case p.sign == longerSign && signed != (digits > p.least):
		return 0, 0, ""
	}
	return n, digits, unsigned[digits:]
}

// set sets a field.
func (d *clockDate) set(p datePart, n int64, digits int) bool {
	if n < -maxYear || n > maxYear && p.letter != 'S' {
		return false
	}
	v := int(n)
	switch p.letter {
	case 'y', 'u':
		if p.width == 2 {
			v += 2000
		}
		return d.once('y', &d.year, v) && (p.letter == 'u' || v > 0) // y is the year of an era, which has no year 0
	case 'S':
		for range nanoDigits - digits {
			v *= 10
		}
		return d.once('S', &d.nano, v)
	}
	return v >= 0 && d.once(p.letter, d.field(p.letter), v)
}

// field returns the field of a letter.
func (d *clockDate) field(letter byte) *int {
	switch letter {
	case 'd':
		return &d.day
	case 'D':
		return &d.yearDay
	case 'H':
		return &d.hour
	case 'h':
		return &d.halfHour
	case 'm':
		return &d.minute
	case 's':
		return &d.second
	}
	return &d.month // M or L
}
