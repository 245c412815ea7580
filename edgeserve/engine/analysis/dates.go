// This file parses dates: ISO text or epoch milliseconds.

package analysis

import (
	"strconv"
	"strings"
	"time"
)

const (
	// maxYear keeps every date within int64 milliseconds.
	maxYear    = 292_000_000
	nanoDigits = 9
	maxNano    = 999_999_999
)

// ParseDate returns milliseconds since 1970 for an ISO date or a part of one, epoch milliseconds,
// and date math after either or, with a non-nil now, after `now`. Missing parts take their lowest
// values; with up, hours and smaller parts their highest. Zones are `Z` and offsets, not region
// names.
func ParseDate(text string, up bool, now func() time.Time) (ms int64, ok bool) {
	t, ok := evalDate(text, up, now)
	if !ok {
		return 0, false
	}
	return t.UnixMilli(), true
}

// IsDate reports whether a text, as the first value of a field, makes the field a date field. It must be
// an ISO date without math; epoch milliseconds do not count.
func IsDate(text string) bool {
	digits, rest := cutDigits(strings.TrimLeft(text, "+-"))
	if digits == "" || rest == "" {
		return false
	}
	_, ok := parseISO(text, false)
	return ok
}

// FormatDate writes an ISO date in UTC, beyond year 9999 with the sign that ParseDate requires.
func FormatDate(ms int64) string { return string(AppendDate(nil, ms)) }

// AppendDate appends the date that FormatDate returns.
func AppendDate(dst []byte, ms int64) []byte {
	t := time.UnixMilli(ms).UTC()
	y, month, day := t.Date()
	hour, minute, second := t.Clock()
	switch {
	case y > 9999:
		dst = append(dst, '+')
	case y < 0:
		dst, y = append(dst, '-'), -y
	}
	if y > 9999 {
		dst = strconv.AppendInt(dst, int64(y), 10)
	} else {
		dst = appendDigits(appendDigits(dst, y/100), y%100)
	}
	dst = appendDigits(append(dst, '-'), int(month))
	dst = appendDigits(append(dst, '-'), day)
	dst = appendDigits(append(dst, 'T'), hour)
	dst = appendDigits(append(dst, ':'), minute)
	dst = appendDigits(append(dst, ':'), second)
	millis := t.Nanosecond() / int(time.Millisecond)
	return append(appendDigits(append(dst, '.'), millis/10), '0'+byte(millis%10), 'Z')
}

// appendDigits appends a number below 100 as two digits.
func appendDigits(dst []byte, n int) []byte { return append(dst, '0'+byte(n/10), '0'+byte(n%10)) }

func parseDate(text string, up bool) (time.Time, bool) {
	if text == "" || strings.IndexByte("+-0123456789", text[0]) < 0 { // most words: an error of strconv allocates
		return time.Time{}, false
	}
	if t, ok := parseISO(text, up); ok {
		return t, true
	}
	return parseEpoch(text)
}

// parseEpoch parses up to 19 digits of milliseconds and ignores a fraction of up to 6 digits.
func parseEpoch(text string) (time.Time, bool) {
	digits, rest := cutDigits(text)
	if strings.HasPrefix(rest, ".") {
		var fraction string
		fraction, rest = cutDigits(rest[1:])
		if len(fraction) > 6 {
			return time.Time{}, false
		}
	}
	ms, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || rest != "" || len(digits) > 19 {
		return time.Time{}, false
	}
	return time.UnixMilli(ms).UTC(), true
}

type isoDate struct {
	year, month, day     int
	hour, minute, second int
	nano                 int
	offset               int // zone offset in seconds
}

// parseISO parses YYYY[-MM[-DD[T[hh[:mm[:ss[.f]]]][zone]]]].
func parseISO(text string, up bool) (time.Time, bool) { return readISO(text, up, false) }

// readISO is parseISO. If lenient, numbers may have one digit.
func readISO(text string, up, lenient bool) (time.Time, bool) {
	d := isoDate{month: 1, day: 1}
	if up {
		d.hour, d.minute, d.second, d.nano = 23, 59, 59, maxNano
	}
	p := isoParser{rest: text, lenient: lenient}
	p.date(&d)
	if p.failed || p.rest != "" || !d.valid(up) {
		return time.Time{}, false
	}
	return d.time(), true
}

func (d *isoDate) time() time.Time {
	t := time.Date(d.year, time.Month(d.month), d.day, d.hour, d.minute, d.second, d.nano, time.UTC)
	return t.Add(-time.Duration(d.offset) * time.Second)
}

// valid checks the ranges. With up it replaces a day that the month lacks by the month's last day.
func (d *isoDate) valid(up bool) bool {
	if d.year < -maxYear || d.year > maxYear || d.month < 1 || d.month > 12 || d.day < 1 || d.day > 31 {
		return false
	}
	if last := DaysIn(d.year, time.Month(d.month)); d.day > last {
		if !up {
			return false
		}
		d.day = last
	}
	return d.hour < 24 && d.minute < 60 && d.second < 60
}

// DaysIn returns how many days a month has.
func DaysIn(year int, month time.Month) int {
	if month == time.February {
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 30 + int(month+month/8)%2
}

// isoParser consumes text from the left. The first failure sticks.
type isoParser struct {
	rest      string
	lenient   bool // numbers may have one digit
	anyOffset bool // offsets may exceed 18 hours, and their minutes 59
	failed    bool
}

func (p *isoParser) literal(c byte) bool {
	if p.failed || p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

func (p *isoParser) twoDigits() int {
	if len(p.rest) < 2 || !isDigit(p.rest[0]) || !isDigit(p.rest[1]) {
		p.failed = true
		return 0
	}
	n := int(p.rest[0]-'0')*10 + int(p.rest[1]-'0')
	p.rest = p.rest[2:]
	return n
}

// number consumes two digits, or one if the parser is lenient.
func (p *isoParser) number() int {
	if p.lenient && p.rest != "" && isDigit(p.rest[0]) && (len(p.rest) == 1 || !isDigit(p.rest[1])) {
		n := int(p.rest[0] - '0')
		p.rest = p.rest[1:]
		return n
	}
	return p.twoDigits()
}

func (p *isoParser) date(d *isoDate) {
	d.year = p.year()
	if !p.literal('-') {
		return
	}
	d.month = p.number()
	if !p.literal('-') {
		return
	}
	d.day = p.number()
	if p.literal('T') {
		p.time(d)
		d.offset = p.zone()
	}
}

// year consumes four digits, + and more, or - and at least four; if the parser is lenient, one to five digits, also
// after -. It rejects minus zero.
func (p *isoParser) year() int {
	plus, minus := p.literal('+'), p.literal('-')
	digits, rest := cutDigits(p.rest)
	n, err := strconv.Atoi(digits)
	switch {
	case err != nil, plus && minus, minus && n == 0,
		p.lenient && (plus || len(digits) > 5),
		!p.lenient && (len(digits) < 4 || len(digits) > 10 || !minus && plus != (len(digits) > 4)):
		p.failed = true
	}
	p.rest = rest
	if minus {
		return -n
	}
	return n
}

func (p *isoParser) time(d *isoDate) {
	if p.rest == "" || !isDigit(p.rest[0]) {
		return
	}
	d.hour = p.number()
	if !p.literal(':') {
		return
	}
	d.minute = p.number()
	if !p.literal(':') {
		return
	}
	d.second = p.number()
	if p.literal('.') || p.literal(',') {
		d.nano = p.fraction()
	}
}

// fraction consumes one to nine digits and returns nanoseconds.
func (p *isoParser) fraction() int {
	digits, rest := cutDigits(p.rest)
	p.rest = rest
	if digits == "" || len(digits) > nanoDigits {
		p.failed = true
		return 0
	}
	nano, _ := strconv.Atoi((digits + "00000000")[:nanoDigits])
	return nano
}

// zone consumes nothing, `Z`, `+hh:mm`, `+hhmm` or `+hh`, at most 18 hours, and returns seconds.
func (p *isoParser) zone() int {
	if p.failed || p.rest == "" || p.literal('Z') {
		return 0
	}
	minus := p.literal('-')
	if !minus && !p.literal('+') {
		p.failed = true
		return 0
	}
	hours, minutes := p.twoDigits(), 0
	if p.literal(':') || p.rest != "" {
		minutes = p.twoDigits()
	}
	seconds := hours*3600 + minutes*60
	if !p.anyOffset && (minutes > 59 || seconds > 18*3600) {
		p.failed = true
	}
	if minus {
		return -seconds
	}
	return seconds
}

// ReadDate parses a value as milliseconds since 1970: an ISO date or epoch milliseconds, without
// math. Missing parts take their lowest values.
func ReadDate(text string) (ms int64, ok bool) {
	t, ok := parseDate(text, false)
	return t.UnixMilli(), ok
}
