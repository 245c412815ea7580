// This file reads the three timestamps of an item. They are RFC 3339 in the
// content and come out in one form, UTC with milliseconds, so that equal moments
// are equal texts; what is finer than a millisecond is cut off.
//
// A missing timestamp takes the value of another one:
//
//	CreatedAt    from PublishedAt, else from UpdatedAt
//	PublishedAt  from UpdatedAt, else from CreatedAt
//	UpdatedAt    from PublishedAt, else from CreatedAt

package model

import (
	"errors"
	"strings"
	"time"
)

// outForm is how a timestamp is delivered.
const outForm = "2006-01-02T15:04:05.000Z"

// donors says which other timestamps one is taken from, in that order.
var donors = [...]struct {
	field int
	from  [2]int
}{
	{fieldCreatedAt, [2]int{fieldPublishedAt, fieldUpdatedAt}},
	{fieldPublishedAt, [2]int{fieldUpdatedAt, fieldCreatedAt}},
	{fieldUpdatedAt, [2]int{fieldPublishedAt, fieldCreatedAt}},
}

// timestamps checks the three timestamps and fills in the missing ones.
func (p *parser) timestamps(d *draft) {
	var given [fieldCount]bool
	for _, want := range donors {
		given[want.field] = d.Raw[want.field] != nil
	}
	if !given[fieldCreatedAt] && !given[fieldPublishedAt] && !given[fieldUpdatedAt] {
		p.fail(d.start, "CreatedAt is missing, and so are PublishedAt and UpdatedAt", `give one of them, for example "CreatedAt":"2025-01-31T09:00:00Z"`)
		return
	}
	for _, want := range donors {
		if given[want.field] {
			p.timestamp(d, want.field)
		}
	}
	for _, want := range donors {
		if !given[want.field] {
			donor := want.from[0]
			if !given[donor] {
				donor = want.from[1]
			}
			d.Raw[want.field] = d.Raw[donor]
			*d.moment(want.field) = *d.moment(donor)
		}
	}
}

// moment is where an item keeps a timestamp as a number.
func (d *draft) moment(field int) *int64 {
	switch field {
	case fieldCreatedAt:
		return &d.CreatedAt
	case fieldPublishedAt:
		return &d.PublishedAt
	}
	return &d.UpdatedAt
}

// timestamp checks one that is given, and brings it to the form it goes out in.
func (p *parser) timestamp(d *draft, field int) {
	raw, ok := p.textOf(d, field)
	if !ok {
		return
	}
	text := string(raw)
	moment, err := parseTime(text)
	if err != nil {
		p.fail(d.at[field], FieldNames[field]+" "+quoted(text)+" "+err.Error(), timeAdvice(text))
		return
	}
	*d.moment(field) = moment.UnixMilli()
	if len(text) != len(outForm) || !strings.HasSuffix(text, "Z") || len(d.Raw[field]) != len(text)+2 {
		d.Raw[field] = moment.AppendFormat(nil, `"`+outForm+`"`)
	}
}

var (
	errNoTime = errors.New("is not an RFC 3339 timestamp")
	errYear   = errors.New("is outside of the years 1 to 9999")
)

// parseTime reads an RFC 3339 timestamp, as UTC with milliseconds. It is strict:
// the parser of package time also takes what the standard does not allow.
func parseTime(s string) (time.Time, error) {
	if len(s) < len("2006-01-02T15:04:05Z") {
		return time.Time{}, errNoTime
	}
	moment, ok := parseSecond(s[:19])
	milli, zone, ok2 := parseFraction(s[19:])
	offset, ok3 := parseZone(zone)
	if !ok || !ok2 || !ok3 {
		return time.Time{}, errNoTime
	}
	moment = moment.Add(time.Duration(milli)*time.Millisecond - offset)
	if year := moment.Year(); year < 1 || year > 9999 {
		return time.Time{}, errYear
	}
	return moment, nil
}

// parseSecond reads 2006-01-02T15:04:05.
func parseSecond(s string) (time.Time, bool) {
	if s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' {
		return time.Time{}, false
	}
	year, month, day := digits(s[0:4]), digits(s[5:7]), digits(s[8:10])
	hour, minute, second := digits(s[11:13]), digits(s[14:16]), digits(s[17:19])
	if year < 0 || month < 1 || month > 12 || day < 1 || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 {
		return time.Time{}, false
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	return t, t.Day() == day // a 31st of June would be the 1st of July
}

// parseFraction reads the fraction of a second, if there is one, and returns it
// in whole milliseconds, with what follows.
func parseFraction(s string) (milli int, rest string, ok bool) {
	if s[0] != '.' {
		return 0, s, true
	}
	end := 1
	for ; end < len(s) && '0' <= s[end] && s[end] <= '9'; end++ {
		if end <= 3 {
			milli = milli*10 + int(s[end]-'0')
		}
	}
	for n := end; n <= 3; n++ {
		milli *= 10
	}
	return milli, s[end:], end > 1
}

// parseZone reads Z, or a difference from UTC such as +05:30.
func parseZone(s string) (time.Duration, bool) {
	if s == "Z" {
		return 0, true
	}
	if len(s) != len("+00:00") || s[3] != ':' || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	hour, minute := digits(s[1:3]), digits(s[4:6])
	offset := time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute
	if s[0] == '-' {
		offset = -offset
	}
	return offset, 0 <= hour && hour <= 23 && 0 <= minute && minute <= 59
}

// digits returns the number that a text of digits is, or -1.
func digits(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return -1
		}
		n = n*10 + int(s[i]-'0')
	}
	return n
}

// timeAdvice guesses what was meant by a text that is no timestamp.
func timeAdvice(text string) string {
	const form = "write it like 2025-01-31T09:00:00Z"
	switch {
	case isTime(text + "T00:00:00Z"):
		return "a time of day and a zone are missing; " + form
	case isTime(text + "Z"):
		return "the zone is missing; " + form
	case isTime(strings.ToUpper(text)):
		return "write T and Z as capital letters"
	case strings.Contains(text, ":60") && isTime(strings.ReplaceAll(text, ":60", ":59")):
		return "leap seconds are not taken; write :59"
	}
	return form
}

func isTime(text string) bool {
	_, err := parseTime(text)
	return err == nil
}
