// This file makes a date of the fields that a text has.

package analysis

import (
	"strings"
	"time"
)

// clockDate is a date while its parts are read.
type clockDate struct {
	isoDate
	zoned    bool
	yearDay  int // the day of the year
	halfHour int // the hour on a clock of 12 hours
	noon     int // 1 for the hours after noon, otherwise 0
	fields   uint16
}

// dateFields are the letters of the fields that clockDate.fields marks. Another letter for the same field is not among
// them.
const dateFields = "yMdDHhamsS"

func (d *clockDate) has(letters string) bool {
	for i := range len(letters) {
		if d.fields&(1<<strings.IndexByte(dateFields, letters[i])) == 0 {
			return false
		}
	}
	return true
}

// once sets a field. A text may have a field twice if both values are equal.
func (d *clockDate) once(letter byte, field *int, value int) bool {
	if letter == 'L' {
		letter = 'M'
	}
	if d.has(string(letter)) && *field != value {
		return false
	}
	*field = value
	d.fields |= 1 << strings.IndexByte(dateFields, letter)
	return true
}

// settle reports whether the fields determine a date, as in Elasticsearch. With up, all parts have a value, so a text
// without a date means the first day of 1970. Otherwise the text needs a year, a month or a time of day, and
// Elasticsearch ignores a day without a month, and minutes without an hour.
func (d *clockDate) settle(up bool) bool {
	if !d.settleHour(up) || d.hour >= 24 || d.minute >= 60 || d.second >= 60 {
		return false
	}
	timed := d.has("H") && (d.has("m") || !d.has("s")) && (d.has("ms") || !d.has("S"))
	if !up && !timed {
		d.hour, d.minute, d.second, d.nano = 0, 0, 0, 0
	}
	if d.has("yD") && !d.has("Md") {
		day := time.Date(d.year, 1, d.yearDay, 0, 0, 0, 0, time.UTC)
		d.month, d.day = int(day.Month()), day.Day()
		return day.Year() == d.year
	}
	if !up && !d.has("M") {
		d.day = 1
	}
	return up || timed || d.has("y") || d.has("M")
}

// settleHour converts an hour on a clock of 12 hours to a clock of 24 hours. It reports whether the parts of the hour
// agree.
func (d *clockDate) settleHour(up bool) bool {
	switch {
	case d.has("h") && (d.halfHour < 1 || d.halfHour > 12):
		return false
	case d.has("ha"):
		return d.once('H', &d.hour, d.halfHour%12+12*d.noon)
	case d.has("Ha"):
		return d.hour/12 == d.noon
	case d.has("Hh"):
		return d.hour%12 == d.halfHour%12
	}
	return !up || !d.has("h")
}
