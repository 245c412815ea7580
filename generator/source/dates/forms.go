// This file has the forms of dates that people, Go, JavaScript, git and mail programs write.

package dates

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// writer replaces the words of a form by patterns whose groups have names.
var writer = strings.NewReplacer(
	"YEAR", `(?P<year>\d{4})`, "MONTH", `(?P<month>\d{1,2})`, "DAY", `(?P<day>\d{1,2})`,
	"WEEKDAY", `(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? +)?`, "NAME", `(?P<name>[A-Za-z]{3,9})\.?`, "NTH", `(?P<day>\d{1,2})(?:st|nd|rd|th)?`,
	"CLOCK", `(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9})\d*)?)?(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?`,
	"SEPARATOR", `(?:[Tt]|,? +(?:at )?)`,
	// An offset may be followed by the name that Go or JavaScript gives the zone, and by the reading of Go's monotonic clock.
	"ZONE", `(?: *(?P<zone>[Zz]|UTC|GMT|(?:UTC|GMT)?[+-]\d{2}(?::?\d{2})?)(?: (?P<label>[A-Z]{1,5}|[+-]\d{2,4})| ?\([^()]*\)| ?\[[^\[\]]*\])?(?: m=[+-]\d+\.\d+)?)?`,
	"DIGITS", `(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})`, "PACKED", `(?P<hour>\d{2})(?P<minute>\d{2})(?P<second>\d{2})`,
)

// forms are all forms of dates, the usual ones first.
var forms = compile(
	`YEAR-MONTH-DAY(?:SEPARATORCLOCKZONE)?`,
	`YEAR/MONTH/DAY(?:SEPARATORCLOCKZONE)?`,
	`YEAR\. ?MONTH\. ?DAY\.?(?:SEPARATORCLOCKZONE)?`,
	`YEAR ?[年년] ?MONTH ?[月월] ?DAY ?[日号일](?: *CLOCKZONE)?`,
	`WEEKDAYNAME +NTH,? +YEAR(?:SEPARATORCLOCKZONE)?`,
	`WEEKDAYNTH(?: +|-)NAME,?(?: +|-)YEAR(?:SEPARATORCLOCKZONE)?`,
	`WEEKDAYNAME +DAY +CLOCKZONE +YEAR`,
	`WEEKDAYNAME +DAY +CLOCK +YEARZONE`,
	`DIGITS(?:[Tt]?PACKEDZONE)?`,
)

func compile(list ...string) (patterns []*regexp.Regexp) {
	for _, f := range list {
		patterns = append(patterns, regexp.MustCompile("^"+writer.Replace(f)+"$"))
	}
	return patterns
}

// parts are the parts of a date, by the names of their groups.
type parts struct {
	pattern *regexp.Regexp
	texts   []string
}

// match returns the parts of a text that has a form, or nil.
func match(pattern *regexp.Regexp, text string) *parts {
	if texts := pattern.FindStringSubmatch(text); texts != nil {
		return &parts{pattern, texts}
	}
	return nil
}

func (p *parts) text(name string) string {
	if i := p.pattern.SubexpIndex(name); i >= 0 {
		return p.texts[i]
	}
	return ""
}

// number returns a part that is digits; zero if the text does not have the part.
func (p *parts) number(name string) int { return number(p.text(name)) }

// month returns the digits of the month, or "" for an unknown name.
func (p *parts) month() string {
	if name := strings.ToLower(p.text("name")); name != "" {
		i := slices.IndexFunc(months, func(month string) bool {
			return name == month || name == month[:3] || name == "sept" && month == "september"
		})
		if i < 0 {
			return ""
		}
		return strconv.Itoa(i + 1)
	}
	return p.text("month")
}

var months = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}

// read puts a date together.
func (p *parts) read(zone *time.Location) (time.Time, *Error) {
	year, month, day := p.number("year"), number(p.month()), p.number("day")
	hour, ok := p.hour()
	minute, second, nano := p.number("minute"), p.number("second"), 0
	switch {
	case year < 1:
		return time.Time{}, &Error{"is outside of the years 1 to 9999", ""}
	case month < 1 || month > 12:
		return time.Time{}, &Error{fmt.Sprintf("is not a date: month %d does not exist", month), form}
	case day < 1 || day > daysOf(year, month):
		return time.Time{}, &Error{fmt.Sprintf("is not a date: %s %d has no day %d", time.Month(month), year, day), ""}
	case !ok || hour > 23 || minute > 59 || second > 59:
		return time.Time{}, &Error{"is not a date: this time of day does not exist", ""}
	}
	if fraction := p.text("fraction"); fraction != "" {
		nano = number((fraction + "000000000")[:9])
	}
	clock := time.Date(year, time.Month(month), day, hour, minute, second, nano, time.UTC)
	if p.text("zone") == "" {
		return local(clock, zone)
	}
	offset, err := p.offset()
	if err != nil {
		return time.Time{}, err
	}
	return checked(clock.Add(-offset))
}

// hour returns the hour of the day. It is false for 13 PM.
func (p *parts) hour() (hour int, ok bool) {
	hour = p.number("hour")
	switch half := strings.ToLower(p.text("half")); {
	case half == "":
		return hour, true
	case hour < 1 || hour > 12:
		return 0, false
	case half == "a":
		return hour % 12, true
	}
	return hour%12 + 12, true
}

// offset returns how far the clocks of the zone are ahead of UTC.
func (p *parts) offset() (time.Duration, *Error) {
	text, label := strings.TrimLeft(p.text("zone"), "UTCGMZz"), p.text("label")
	digits := strings.ReplaceAll(strings.TrimLeft(text, "+-"), ":", "")
	hours, minutes := number(digits[:min(len(digits), 2)]), number(digits[min(len(digits), 2):])
	offset := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	if hours > 23 || minutes > 59 {
		return 0, &Error{"is not a date: unknown time zone " + text, form}
	}
	if isUTC := label == "UTC" || label == "GMT" || label == "Z"; isUTC && offset != 0 || text == "" && label != "" && !isUTC {
		return 0, &Error{fmt.Sprintf("is not a date: it has two zones, %s and %s", p.text("zone"), label), form}
	}
	if strings.HasPrefix(text, "-") {
		offset = -offset
	}
	return offset, nil
}

func daysOf(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// number reads digits; none are 0.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}
