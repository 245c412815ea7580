// This file parses the dates that lists are ordered by.

package analysis

import "strings"

// IsDataPath reports a path of Data. Lists order its values by instant if all of them are dates.
func IsDataPath(path string) bool { return strings.HasPrefix(path, "Data.") }

// ListDate parses a date as lists know it: a year of four digits and a month, with hyphens, then
// maybe a day, hours and smaller parts, and a zone behind hours. It returns milliseconds since 1970.
// Other than ParseDate it takes any offset, but no year alone and no year 0.
func ListDate(text string) (ms int64, ok bool) {
	year, _ := cutDigits(text)
	if _, time, ok := strings.Cut(text, "T"); len(year) != 4 || ok && (time == "" || !isDigit(time[0])) {
		return 0, false // a T without hours
	}
	d := isoDate{day: 1} // without a month, which makes a year alone invalid
	p := isoParser{rest: text, anyOffset: true}
	p.date(&d)
	if p.failed || p.rest != "" || d.year == 0 || !d.valid(false) {
		return 0, false
	}
	return d.time().UnixMilli(), true
}
