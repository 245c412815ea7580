// This file writes dates by Java's patterns and by the names of formats.

package aggs

import (
	"strconv"
	"strings"
	"time"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/query"
)

const dateFormats = "letters such as yyyy-MM-dd HH:mm:ss.SSS, text between single quotes, or a name such as strict_date, year_month, epoch_millis"

// namedFormats maps format names to patterns. A name may begin with strict_.
var namedFormats = map[string]string{
	"date_optional_time": "", "date_optional_time_nanos": "", "iso8601": "", "date_time": "",
	"date_time_no_millis": "yyyy-MM-dd'T'HH:mm:ssXXX",
	"date":                "yyyy-MM-dd", "year_month_day": "yyyy-MM-dd", "basic_date": "yyyyMMdd",
	"year": "y", "year_month": "yyyy-MM",
	"date_hour": "yyyy-MM-dd'T'HH", "date_hour_minute": "yyyy-MM-dd'T'HH:mm", "date_hour_minute_second": "yyyy-MM-dd'T'HH:mm:ss",
	"date_hour_minute_second_millis": "yyyy-MM-dd'T'HH:mm:ss.SSS", "date_hour_minute_second_fraction": "yyyy-MM-dd'T'HH:mm:ss.SSS",
	"hour": "HH", "hour_minute": "HH:mm", "hour_minute_second": "HH:mm:ss",
	"hour_minute_second_millis": "HH:mm:ss.SSS", "hour_minute_second_fraction": "HH:mm:ss.SSS",
	"time": "HH:mm:ss.SSSXXX", "time_no_millis": "HH:mm:ssXXX", "t_time": "'T'HH:mm:ss.SSSXXX", "t_time_no_millis": "'T'HH:mm:ssXXX",
	"basic_time": "HHmmss.SSSXXX", "basic_time_no_millis": "HHmmssXXX", "basic_t_time": "'T'HHmmss.SSSXXX", "basic_t_time_no_millis": "'T'HHmmssXXX",
	"basic_date_time": "yyyyMMdd'T'HHmmss.SSSXXX", "basic_date_time_no_millis": "yyyyMMdd'T'HHmmssXXX",
	"ordinal_date": "yyyy-DDD", "ordinal_date_time": "yyyy-DDD'T'HH:mm:ss.SSSXXX", "ordinal_date_time_no_millis": "yyyy-DDD'T'HH:mm:ssXXX",
	"basic_ordinal_date": "yyyyDDD", "basic_ordinal_date_time": "yyyyDDD'T'HHmmss.SSSXXX", "basic_ordinal_date_time_no_millis": "yyyyDDD'T'HHmmssXXX",
	"week_date": "YYYY-'W'ww-e", "week_date_time": "YYYY-'W'ww-e'T'HH:mm:ss.SSSXXX", "week_date_time_no_millis": "YYYY-'W'ww-e'T'HH:mm:ssXXX",
	"basic_week_date": "YYYY'W'wwe", "basic_week_date_time": "YYYY'W'wwe'T'HHmmss.SSSX", "basic_week_date_time_no_millis": "YYYY'W'wwe'T'HHmmssX",
	"weekyear": "YYYY", "weekyear_week": "YYYY-'W'ww", "weekyear_week_day": "YYYY-'W'ww-e",
}

// dateWriter returns the time zone of an aggregation, and what writes dates in it by its format.
func dateWriter(agg *query.Agg, path string) (zone *time.Location, write func(dst []byte, ms int64) []byte, err error) {
	if zone, err = zoneOf(agg, path); err != nil {
		return nil, nil, err
	}
	if agg.Format == "" {
		return zone, isoDates(zone), nil
	}
	write, ok := dateFormat(agg.Format, zone)
	if !ok {
		return nil, nil, badAgg(path, agg, "format", "%.80q is no date format that is known here: use %s", agg.Format, dateFormats)
	}
	return zone, write, nil
}

// dateFormat returns a formatter of the first alternative. ok is false for an unknown format.
func dateFormat(format string, zone *time.Location) (write func(dst []byte, ms int64) []byte, ok bool) {
	format, _, _ = strings.Cut(format, "||")
	switch format {
	case "epoch_millis":
		return func(dst []byte, ms int64) []byte { return strconv.AppendQuote(dst, strconv.FormatInt(ms, 10)) }, true
	case "epoch_second":
		return func(dst []byte, ms int64) []byte {
			return strconv.AppendQuote(dst, strconv.FormatInt(time.UnixMilli(ms).Unix(), 10))
		}, true
	}
	if p, ok := namedFormats[strings.TrimPrefix(format, "strict_")]; ok {
		if format = p; p == "" {
			return isoDates(zone), true
		}
	}
	p, ok := parsePattern(format)
	return func(dst []byte, ms int64) []byte {
		t := time.UnixMilli(ms).In(zone)
		var text []byte
		for _, f := range p {
			text = f.append(text, t)
		}
		return appendJSONString(dst, string(text))
	}, ok
}

// isoDates writes dates as Elasticsearch does without a format.
func isoDates(zone *time.Location) func(dst []byte, ms int64) []byte {
	if zone == time.UTC {
		return appendISODate
	}
	return func(dst []byte, ms int64) []byte {
		t := time.UnixMilli(ms).In(zone)
		_, offset := t.Zone()
		text := strings.TrimSuffix(analysis.FormatDate(ms+1000*int64(offset)), "Z")
		return appendJSONString(dst, text+t.Format("Z07:00"))
	}
}

func appendISODate(dst []byte, ms int64) []byte {
	return append(analysis.AppendDate(append(dst, '"'), ms), '"')
}

type patternPart struct {
	letter byte // 0: literal text
	n      int
	text   string
}

// patternLetters holds the supported letters and the longest run of each.
var patternLetters = map[byte]int{'y': 9, 'u': 9, 'M': 4, 'L': 4, 'd': 2, 'D': 3, 'H': 2, 'h': 2, 'm': 2, 's': 2, 'S': 9, 'a': 1, 'E': 4, 'Q': 2, 'q': 2, 'X': 3, 'Z': 3,
	'Y': 9, 'w': 2, 'e': 2, 'c': 1, 'k': 2, 'K': 2, 'x': 4}

func parsePattern(s string) (parts []patternPart, ok bool) {
	for s != "" {
		var p patternPart
		c := s[0]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		switch {
		case letter:
			p = patternPart{letter: c, n: len(s) - len(strings.TrimLeft(s, string(c)))}
			if p.n > patternLetters[c] {
				return nil, false
			}
			s = s[p.n:]
		case c == '\'':
			if p.text, s, ok = cutQuoted(s[1:]); !ok {
				return nil, false
			}
		case strings.IndexByte("[]{}#", c) >= 0: // reserved letters without support here
			return nil, false
		default:
			p.text, s = s[:1], s[1:]
		}
		parts = append(parts, p)
	}
	return parts, len(parts) > 0
}

// cutQuoted returns the text up to a single quote and the rest. Two quotes represent one.
func cutQuoted(s string) (text, rest string, ok bool) {
	if strings.HasPrefix(s, "'") {
		return "'", s[1:], true
	}
	for {
		part, after, found := strings.Cut(s, "'")
		if !found {
			return "", "", false
		}
		text += part
		if !strings.HasPrefix(after, "'") {
			return text, after, true
		}
		text += "'"
		s = after[1:]
	}
}

func (p patternPart) append(dst []byte, t time.Time) []byte {
	switch p.letter {
	case 0:
		return append(dst, p.text...)
	case 'y', 'u':
		if p.n == 2 {
			return appendPadded(dst, (t.Year()%100+100)%100, 2)
		}
		return appendYear(dst, t.Year(), p.n)
	case 'M', 'L':
		return appendNamed(dst, t.Month().String(), int(t.Month()), p.n)
	case 'E':
		return appendNamed(dst, t.Weekday().String(), 0, max(p.n, 3))
	case 'Q', 'q':
		return appendPadded(dst, (int(t.Month())+2)/3, p.n)
	case 'S':
		return append(dst, (t.Format(".000000000"))[1:1+p.n]...)
	case 'a':
		return t.AppendFormat(dst, "PM")
	case 'Y':
		year, _ := t.ISOWeek()
		if p.n == 2 {
			return appendPadded(dst, (year%100+100)%100, 2)
		}
		return appendYear(dst, year, p.n)
	case 'X':
		return t.AppendFormat(dst, []string{hours(t, "Z07"), "Z0700", "Z07:00"}[p.n-1])
	case 'x':
		return t.AppendFormat(dst, []string{hours(t, "-07"), "-0700", "-07:00", "-0700"}[p.n-1])
	case 'Z':
		return append(dst, t.Format("-0700")...)
	}
	return appendPadded(dst, p.number(t), p.n)
}

// hours is a layout of an offset in hours, with minutes if it has some.
func hours(t time.Time, layout string) string {
	if _, offset := t.Zone(); offset%3600 != 0 {
		layout += "00"
	}
	return layout
}

func (p patternPart) number(t time.Time) int {
	switch p.letter {
	case 'd':
		return t.Day()
	case 'D':
		return t.YearDay()
	case 'H':
		return t.Hour()
	case 'h':
		return (t.Hour()+11)%12 + 1
	case 'm':
		return t.Minute()
	case 'w':
		_, week := t.ISOWeek()
		return week
	case 'e', 'c':
		return (int(t.Weekday())+6)%7 + 1
	case 'k':
		return (t.Hour()+23)%24 + 1
	case 'K':
		return t.Hour() % 12
	}
	return t.Second()
}

// appendNamed writes a number, or for three or more letters a short or long name.
func appendNamed(dst []byte, name string, number, n int) []byte {
	switch n {
	case 3:
		return append(dst, name[:3]...)
	case 4:
		return append(dst, name...)
	}
	return appendPadded(dst, number, n)
}

// appendYear writes a year, with a sign where it has more digits than four letters or more ask for.
func appendYear(dst []byte, year, n int) []byte {
	if n >= 4 && len(strconv.Itoa(year)) > n && year > 0 {
		dst = append(dst, '+')
	}
	return appendPadded(dst, year, n)
}

func appendPadded(dst []byte, v, n int) []byte {
	if v < 0 {
		dst, v = append(dst, '-'), -v
	}
	s := strconv.Itoa(v)
	for range n - len(s) {
		dst = append(dst, '0')
	}
	return append(dst, s...)
}
