// This file parses dates for the order of lists.

package analysis

import "strings"

// IsDataPath reports whether a path is below Data. Lists order its values by instant if all values are dates.
func IsDataPath(path string) bool { return strings.HasPrefix(path, "Data.") }

// ListDate parses a date for the order of lists. It has a year of four digits and a month, joined by a hyphen. A day,
// hours and smaller parts may follow, and a zone may follow hours. The result is in milliseconds since 1970. Unlike
// ParseDate, it accepts any offset, but neither a year without a month nor the year 0.
func ListDate(text string) (ms int64, ok bool) {
	year, _ := cutDigits(text)
	if _, time, ok := strings.Cut(text, "T"); len(year) != 4 || ok && (time == "" || !isDigit(time[0])) {
		return 0, false // a T without hours
	}
	d := isoDate{day: 1} // the month stays 0 for a year without a month, which makes it invalid
	p := isoParser{rest: text, anyOffset: true}
	p.date(&d)
	if p.failed || p.rest != "" || d.year == 0 || !d.valid(false) {
		return 0, false
	}
	return d.time().UnixMilli(), true
}
