// Package dates reads the dates that people and other systems write, and the dates that git has of
// files. A date without a zone is of a time zone that the caller names.
package dates

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// maxText bounds the bytes of a date. The longest form has 40.
const maxText = 100

// Error says why a text is no date.
type Error struct{ Message, Hint string }

// Error returns the message.
func (e *Error) Error() string { return e.Message }

const form = "write it like 2025-01-31, 2025-01-31 09:00:00 +0100 or 2025-01-31T09:00:00Z"

// numbers is a date that begins with the year: with - or / between its numbers, with or without a time
// of day and a zone.
var numbers = regexp.MustCompile(`^(\d{4})([-/])(\d{1,2})([-/])(\d{1,2})` +
	`(?:(?:[Tt]|\s+)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9})\d*)?)?\s*([Zz]|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?$`)

// words is a date with the name of a month, as in Jul 8, 2022, 8 July 2022 and Fri, 08 Jul 2022 09:00:00 GMT.
var words = regexp.MustCompile(`^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,?\s+)?` +
	`(?:([A-Za-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?|(\d{1,2})(?:st|nd|rd|th)?\s+([A-Za-z]{3,9})\.?,?)\s+(\d{4})` +
	`(?:,?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?$`)

// Parse reads a date. One without a zone is of the time zone.
func Parse(text string, zone *time.Location) (time.Time, *Error) {
	text = strings.TrimSpace(text)
	if len(text) > maxText {
		return time.Time{}, &Error{fmt.Sprintf("is no date: it has %d bytes", len(text)), form}
	}
	if m := numbers.FindStringSubmatch(text); m != nil && m[2] == m[4] {
		return read(m[1], m[3], m[5], m[6:], zone)
	}
	if m := words.FindStringSubmatch(text); m != nil {
		month, day := monthOf(m[1]+m[4]), m[2]+m[3]
		if month > 0 {
			return read(m[5], strconv.Itoa(month), day, []string{m[6], m[7], m[8], "", m[9]}, zone)
		}
	}
	return time.Time{}, &Error{"is no date", advice(text)}
}

// advice is the hint for a text that is no date.
func advice(text string) string {
	if between.MatchString(text) {
		return "nobody can tell the day from the month; " + form
	}
	return form
}

var between = regexp.MustCompile(`^\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}`)

var months = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}

// monthOf returns the number of a month by its name or the beginning of it; 0 for any other word.
func monthOf(name string) int {
	name = strings.ToLower(name)
	for i, month := range months {
		if name == month || name == month[:3] || name == "sept" && i == 8 {
			return i + 1
		}
	}
	return 0
}

// read puts a date together. clock are hour, minute, second, fraction and zone, which may be empty.
func read(year, month, day string, clock []string, zone *time.Location) (time.Time, *Error) {
	y, mo, d := number(year), number(month), number(day)
	h, min, sec := number(clock[0]), number(clock[1]), number(clock[2])
	switch {
	case y < 1:
		return time.Time{}, &Error{"is outside of the years 1 to 9999", ""}
	case mo < 1 || mo > 12:
		return time.Time{}, &Error{fmt.Sprintf("is no date: there is no month %d", mo), form}
	case d < 1 || d > daysOf(y, mo):
		return time.Time{}, &Error{fmt.Sprintf("is no date: %s %d has no day %d", time.Month(mo), y, d), ""}
	case h > 23 || min > 59 || sec > 59:
		return time.Time{}, &Error{"is no date: there is no such time of day", ""}
	}
	nano := 0
	if clock[3] != "" {
		nano = number((clock[3] + "000000000")[:9])
	}
	if clock[4] == "" {
		return local(time.Date(y, time.Month(mo), d, h, min, sec, nano, time.UTC), zone)
	}
	offset, err := offsetOf(clock[4])
	if err != nil {
		return time.Time{}, &Error{"is no date: " + err.Error(), form}
	}
	return checked(time.Date(y, time.Month(mo), d, h, min, sec, nano, time.UTC).Add(-offset))
}

// local returns the instant of a time of day in a time zone. A time that the clocks show twice, when
// they are set back, is the first of both. A time that they skip is as many hours after the skip as it
// is after its begin: 02:30 is 03:30.
func local(clock time.Time, zone *time.Location) (time.Time, *Error) {
	const around = 26 * time.Hour // more than any offset and any change of it
	_, before := clock.Add(-around).In(zone).Zone()
	_, after := clock.Add(around).In(zone).Zone()
	first := clock.Add(-time.Duration(before) * time.Second)
	second := clock.Add(-time.Duration(after) * time.Second)
	if _, offset := first.In(zone).Zone(); offset == before || before == after {
		return checked(first)
	}
	if _, offset := second.In(zone).Zone(); offset == after {
		return checked(second)
	}
	return checked(first) // the clocks skip it
}

// checked refuses instants whose year in UTC has not four digits.
func checked(t time.Time) (time.Time, *Error) {
	if t = t.UTC(); t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}, &Error{"is outside of the years 1 to 9999", ""}
	}
	return t, nil
}

func offsetOf(text string) (time.Duration, error) {
	sign := time.Duration(1)
	switch text[0] {
	case '-':
		sign = -1
	case '+':
	default:
		return 0, nil // Z, UTC, GMT
	}
	digits := strings.ReplaceAll(text[1:], ":", "")
	hours, minutes := number(digits[:2]), number(digits[2:])
	if hours > 23 || minutes > 59 {
		return 0, errors.New("there is no zone " + text)
	}
	return sign * (time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute), nil
}

func daysOf(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// number reads digits; none are 0.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// OfName returns the date with which the name of a file begins, as 2025-01-31-hello, and the name
// behind it. ok is false for other names.
func OfName(name string, zone *time.Location) (date time.Time, rest string, ok bool) {
	const length = len("2025-01-31")
	if len(name) < length || len(name) > length && name[length] != '-' {
		return date, name, false
	}
	date, err := Parse(name[:length], zone)
	if err != nil {
		return date, name, false
	}
	return date, strings.TrimPrefix(name[length:], "-"), true
}
