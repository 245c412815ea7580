// Package dates reads the dates that people and other systems write, and the dates that git has of
// files. A date without a zone is of a time zone that the caller names.
package dates

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// maxText bounds the bytes of a date. The longest form, which JavaScript prints, has 80.
const maxText = 100

// Error says why a text is not a date.
type Error struct{ Message, Hint string }

// Error returns the message.
func (e *Error) Error() string { return e.Message }

const form = "write it like 2025-01-31, 2025-01-31 09:00:00 +0100 or 2025-01-31T09:00:00Z"

// Parse reads a date. One without a zone is of the time zone. Digits are a day, as 20250131, or the time since 1970 in
// seconds or milliseconds.
func Parse(text string, zone *time.Location) (time.Time, *Error) {
	if len(text) > maxText {
		return time.Time{}, &Error{fmt.Sprintf("is not a date: it has %d bytes", len(text)), form}
	}
	text = withPlainSpaces(text)
	for _, pattern := range forms {
		if p := match(pattern, text); p != nil && p.month() != "" {
			return p.read(zone)
		}
	}
	if decimal.MatchString(text) {
		return fromNumber(text)
	}
	return time.Time{}, &Error{"is not a date", advice(text)}
}

// withPlainSpaces returns a text without the spaces around it. Browsers put a narrow space before PM: each space becomes U+0020.
func withPlainSpaces(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, text))
}

// MayBe reports whether a text is meant to be a date where it may also be another word, as yes: it has a digit, and is
// not a smaller number than a date has, as a year or a count.
func MayBe(text string) bool {
	const digitsOfDay = len("20250131")
	text = strings.TrimSpace(text)
	if decimal.MatchString(text[:min(len(text), maxText)]) {
		return len(text) >= digitsOfDay
	}
	return strings.ContainsAny(text, "0123456789")
}

// decimal is a number, as JSON has it.
var decimal = regexp.MustCompile(`^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$`)

// fromNumber reads a number of seconds or milliseconds since 1970.
func fromNumber(text string) (time.Time, *Error) {
	const (
		least  = 1e8  // in seconds: 1973. Smaller numbers are years, counts or days
		millis = 1e11 // from here on the number is in milliseconds: so many seconds are the year 5138
		limit  = 1e13
	)
	n, err := strconv.ParseFloat(text, 64)
	size := math.Abs(n)
	if err != nil || size < least || size >= limit {
		return time.Time{}, &Error{"is not a date: a number is seconds or milliseconds since 1970, with 9 to 13 digits", form}
	}
	if size < millis {
		n *= 1000
	}
	return checked(time.UnixMilli(int64(math.Round(n))))
}

// advice is the hint for a text that is not a date.
func advice(text string) string {
	switch {
	case dayOrMonth.MatchString(text):
		return "the day and the month could be either number; " + form
	case monthOnly.MatchString(text):
		return "a month has no day: write the day, too, for example 2025-01-31"
	}
	if m := abbreviation.FindStringSubmatch(text); m != nil {
		return m[1] + " is not the same zone everywhere: write the offset, for example 2025-01-31 09:00:00 -0800"
	}
	return form
}

var (
	dayOrMonth   = regexp.MustCompile(`^\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}`)
	monthOnly    = regexp.MustCompile(`^(?:\d{4}[-/.年] ?\d{1,2}月?|[A-Za-z]{3,9}\.? \d{4})$`)
	abbreviation = regexp.MustCompile(`\d:\d{2}(?: ?[AaPp]\.?[Mm]\.?)? ?([A-Z]{2,5})(?: \d{4})?$`)
)

// local returns the instant of a time of day in a time zone. A time that the clocks show twice, when
// they are set back, is the first of both. A time that they skip is as many hours after the skip as it
// is after its begin: 02:30 is 03:30.
func local(clock time.Time, zone *time.Location) (time.Time, *Error) {
	const around = 26 * time.Hour // more than any offset, and any change of an offset
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

// OfName returns the date with which the name of a file begins, as 2025-01-31-hello, and the name
// after it. ok is false for other names.
func OfName(name string, zone *time.Location) (date time.Time, rest string, ok bool) {
	const length = len("2025-01-31")
	if len(name) < length || len(name) > length && name[length] != '-' {
		return date, name, false
	}
	day := match(forms[0], name[:length])
	if day == nil {
		return date, name, false
	}
	date, err := day.read(zone)
	if err != nil {
		return date, name, false
	}
	return date, strings.TrimPrefix(name[length:], "-"), true
}
