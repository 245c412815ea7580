// This file reads dates: ISO text or epoch milliseconds, as the lowest or the highest
// millisecond they may stand for. Date math is in datemath.go.

package analysis

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ErrDate is the cause of every error of ParseDate.
var ErrDate = errors.New("not a date")

// maxYear keeps every date within an int64 of milliseconds.
const maxYear = 292_000_000

// ParseDate returns what text stands for in milliseconds since 1970: an ISO date or
// part of one, else epoch milliseconds, or either with date math, or `now` with date
// math, for which now is asked; where now is nil that is no date. What is missing of a
// date is taken as its lowest value or, with up, hours and smaller as their highest. Zones
// are `Z` and offsets; region names are refused, for they would need a time zone database.
func ParseDate(text string, up bool, now func() time.Time) (ms int64, err error) {
	t, ok := evalDate(text, up, now)
	if !ok {
		return 0, fmt.Errorf("%w: %q", ErrDate, clip(text))
	}
	return t.UnixMilli(), nil
}

// clip bounds what an error repeats.
func clip(text string) string {
	const most = 64
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// IsDate tells whether a field whose first value is text holds dates: an ISO date
// without math, and not a mere number, for those are years only by chance.
func IsDate(text string) bool {
	digits, rest := cutDigits(strings.TrimLeft(text, "+-"))
	if digits == "" || rest == "" {
		return false
	}
	_, ok := parseISO(text, false)
	return ok
}

// FormatDate writes milliseconds since 1970 as an ISO date in UTC with milliseconds.
// Years beyond 9999 have a sign, as ParseDate wants it.
func FormatDate(ms int64) string {
	t := time.UnixMilli(ms).UTC()
	rest := t.Format("-01-02T15:04:05.000Z")
	switch y := t.Year(); {
	case y > 9999:
		return "+" + strconv.Itoa(y) + rest
	case y < 0:
		return fmt.Sprintf("-%04d", -y) + rest
	default:
		return fmt.Sprintf("%04d", y) + rest
	}
}

// parseDate reads a date without math.
func parseDate(text string, up bool) (time.Time, bool) {
	if t, ok := parseISO(text, up); ok {
		return t, true
	}
	return parseEpoch(text)
}

// parseEpoch reads up to 19 digits of milliseconds. A fraction of up to 6 digits
// (nanoseconds) is allowed and ignored.
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

// isoDate is an ISO date as far as it was written.
type isoDate struct {
	year, month, day     int
	hour, minute, second int
	nano                 int
	offset               int // of the zone, in seconds
}

// parseISO reads YYYY[-MM[-DD[T[hh[:mm[:ss[.f]]]][zone]]]].
func parseISO(text string, up bool) (time.Time, bool) {
	d := isoDate{month: 1, day: 1}
	if up {
		d.hour, d.minute, d.second, d.nano = 23, 59, 59, 999_999_999
	}
	p := isoParser{rest: text}
	p.date(&d)
	if p.failed || p.rest != "" || !d.valid(up) {
		return time.Time{}, false
	}
	t := time.Date(d.year, time.Month(d.month), d.day, d.hour, d.minute, d.second, d.nano, time.UTC)
	return t.Add(-time.Duration(d.offset) * time.Second), true
}

// valid checks the ranges. An impossible day of a month is clamped when up.
func (d *isoDate) valid(up bool) bool {
	if d.year < -maxYear || d.year > maxYear || d.month < 1 || d.month > 12 || d.day < 1 || d.day > 31 {
		return false
	}
	if last := daysIn(d.year, time.Month(d.month)); d.day > last {
		if !up {
			return false
		}
		d.day = last
	}
	return d.hour < 24 && d.minute < 60 && d.second < 60
}

// daysIn is the number of days of a month.
func daysIn(year int, month time.Month) int {
	return time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// isoParser consumes text from the left. Once failed it stays so.
type isoParser struct {
	rest   string
	failed bool
}

// literal takes c if it comes next.
func (p *isoParser) literal(c byte) bool {
	if p.failed || p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// two takes exactly two digits.
func (p *isoParser) two() int {
	if len(p.rest) < 2 || !isDigit(p.rest[0]) || !isDigit(p.rest[1]) {
		p.failed = true
		return 0
	}
	n := int(p.rest[0]-'0')*10 + int(p.rest[1]-'0')
	p.rest = p.rest[2:]
	return n
}

func (p *isoParser) date(d *isoDate) {
	d.year = p.year()
	if !p.literal('-') {
		return
	}
	d.month = p.two()
	if !p.literal('-') {
		return
	}
	d.day = p.two()
	if p.literal('T') {
		p.time(d)
		d.offset = p.zone()
	}
}

// year takes four digits, or more than four after a plus, or four and more after a
// minus, but not minus zero.
func (p *isoParser) year() int {
	plus, minus := p.literal('+'), p.literal('-')
	digits, rest := cutDigits(p.rest)
	n, err := strconv.Atoi(digits)
	switch {
	case err != nil, len(digits) < 4, len(digits) > 10, plus && minus,
		!minus && plus != (len(digits) > 4), minus && n == 0:
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
	d.hour = p.two()
	if !p.literal(':') {
		return
	}
	d.minute = p.two()
	if !p.literal(':') {
		return
	}
	d.second = p.two()
	if p.literal('.') || p.literal(',') {
		d.nano = p.fraction()
	}
}

// fraction takes one to nine digits of a second and returns nanoseconds.
func (p *isoParser) fraction() int {
	digits, rest := cutDigits(p.rest)
	p.rest = rest
	if digits == "" || len(digits) > 9 {
		p.failed = true
		return 0
	}
	nano, _ := strconv.Atoi((digits + "00000000")[:9])
	return nano
}

// zone takes nothing, `Z`, `+hh:mm`, `+hhmm` or `+hh`, and returns seconds. 18 hours is
// the largest offset.
func (p *isoParser) zone() int {
	if p.failed || p.rest == "" || p.literal('Z') {
		return 0
	}
	minus := p.literal('-')
	if !minus && !p.literal('+') {
		p.failed = true
		return 0
	}
	hours, minutes := p.two(), 0
	if p.literal(':') || p.rest != "" {
		minutes = p.two()
	}
	seconds := hours*3600 + minutes*60
	if minutes > 59 || seconds > 18*3600 {
		p.failed = true
	}
	if minus {
		return -seconds
	}
	return seconds
}

// ReadDate reads the text of a value, in milliseconds since 1970: an ISO date or part of
// one, taken at its lowest, else epoch milliseconds. Values have no date math.
func ReadDate(text string) (ms int64, ok bool) {
	t, ok := parseDate(text, false)
	return t.UnixMilli(), ok
}
