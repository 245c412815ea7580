// This file writes dates by formats.

package analysis

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// AppendTime appends the text of a date.
type AppendTime func(dst []byte, ms int64) []byte

// NewDateWriter returns a function that writes dates in a zone, by the first of formats joined by ||.
// Empty formats mean ISO dates.
func NewDateWriter(formats string, zone *time.Location) (AppendTime, error) {
	if formats == "" {
		return isoWriter(zone), nil
	}
	var first AppendTime
	for i, name := range splitFormats(formats) {
		write, err := writerOf(name, zone)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			first = write
		}
	}
	return first, nil
}

// writerOf returns a function that writes dates by a name or a pattern.
func writerOf(name string, zone *time.Location) (AppendTime, error) {
	switch name {
	case "epoch_millis":
		return func(dst []byte, ms int64) []byte { return strconv.AppendInt(dst, ms, 10) }, nil
	case "epoch_second":
		return appendSeconds, nil
	case "basic_date":
		zone = time.UTC // in Elasticsearch this format has no other zone
	}
	pattern, named := patternOf(name)
	if named && pattern == "" {
		return isoWriter(zone), nil
	}
	parts, err := dateParts(pattern)
	if err != nil {
		return nil, err
	}
	return func(dst []byte, ms int64) []byte {
		t := time.UnixMilli(ms).In(zone)
		for i := range parts {
			dst = parts[i].append(dst, t)
		}
		return dst
	}, nil
}

// appendSeconds appends seconds, with milliseconds as a fraction unless they are zero.
func appendSeconds(dst []byte, ms int64) []byte {
	t := time.UnixMilli(ms)
	dst = strconv.AppendInt(dst, t.Unix(), 10)
	if over := t.UnixMilli() - 1000*t.Unix(); over != 0 {
		dst = append(append(dst, '.'), strings.TrimRight(fmt.Sprintf("%03d", over), "0")...)
	}
	return dst
}

// isoWriter writes dates as Elasticsearch does without a format.
func isoWriter(zone *time.Location) AppendTime {
	if zone == time.UTC {
		return AppendDate
	}
	return func(dst []byte, ms int64) []byte {
		t := time.UnixMilli(ms).In(zone)
		dst = AppendDate(dst, clock(zone, t).UnixMilli())
		return t.AppendFormat(dst[:len(dst)-len("Z")], "Z07:00")
	}
}

func (p *datePart) append(dst []byte, t time.Time) []byte {
	switch p.letter {
	case 0:
		return append(dst, p.text...)
	case 'M', 'L':
		return appendNamed(dst, t.Month().String(), int(t.Month()), p.width)
	case 'E':
		return appendNamed(dst, t.Weekday().String(), 0, max(p.width, 3))
	case 'S':
		return append(dst, t.Format(".000000000")[1:1+p.width]...)
	case 'a':
		return t.AppendFormat(dst, "PM")
	case 'X':
		return t.AppendFormat(dst, []string{hours(t, "Z07"), "Z0700", "Z07:00"}[p.width-1])
	case 'x':
		return t.AppendFormat(dst, []string{hours(t, "-07"), "-0700", "-07:00", "-0700"}[p.width-1])
	case 'Z':
		return t.AppendFormat(dst, "-0700")
	case 'V':
		if name := t.Location().String(); strings.Contains(name, "/") {
			return append(dst, name...)
		}
		return t.AppendFormat(dst, "Z07:00")
	}
	n := p.numberOf(t)
	switch {
	case strings.IndexByte("yuY", p.letter) >= 0 && p.width == 2:
		n = max(n, -n) % 100
	case p.sign == longerSign && len(strconv.Itoa(n)) > p.width && n > 0:
		dst = append(dst, '+')
	}
	return appendPadded(dst, n, p.width)
}

// hours is the layout for the offset of t: only hours, unless the offset has minutes.
func hours(t time.Time, layout string) string {
	if _, offset := t.Zone(); offset%3600 != 0 {
		layout += "00"
	}
	return layout
}

func (p *datePart) numberOf(t time.Time) int {
	switch p.letter {
	case 'u':
		return t.Year()
	case 'y':
		if t.Year() < 1 {
			return 1 - t.Year() // a year of the era before
		}
		return t.Year()
	case 'Y':
		year, _ := t.ISOWeek()
		return year
	case 'w':
		_, week := t.ISOWeek()
		return week
	case 'Q', 'q':
		return (int(t.Month()) + 2) / 3
	case 'd':
		return t.Day()
	case 'D':
		return t.YearDay()
	case 'e', 'c':
		return (int(t.Weekday())+6)%7 + 1
	case 'H':
		return t.Hour()
	case 'h':
		return (t.Hour()+11)%12 + 1
	case 'k':
		return (t.Hour()+23)%24 + 1
	case 'K':
		return t.Hour() % 12
	case 'm':
		return t.Minute()
	}
	return t.Second()
}

// appendNamed writes a number, or for three or more letters a short or long name.
func appendNamed(dst []byte, name string, number, width int) []byte {
	switch width {
	case 3:
		return append(dst, name[:3]...)
	case 4:
		return append(dst, name...)
	}
	return appendPadded(dst, number, width)
}

func appendPadded(dst []byte, v, width int) []byte {
	if v < 0 {
		dst, v = append(dst, '-'), -v
	}
	s := strconv.Itoa(v)
	for range width - len(s) {
		dst = append(dst, '0')
	}
	return append(dst, s...)
}
