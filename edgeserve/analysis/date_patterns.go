// This file compiles formats of dates: names that Elasticsearch knows, and patterns of Java.

package analysis

import (
	"fmt"
	"strings"
	"time"
)

// datePatterns are the patterns of names. Behind strict_, numbers have all their digits.
var datePatterns = map[string]string{
	"date": "yyyy-MM-dd", "year_month_day": "yyyy-MM-dd", "year": "yyyy", "year_month": "yyyy-MM",
	"basic_date": "yyyyMMdd",
	"date_hour":  "yyyy-MM-dd'T'HH", "date_hour_minute": "yyyy-MM-dd'T'HH:mm", "date_hour_minute_second": "yyyy-MM-dd'T'HH:mm:ss",
	"hour": "HH", "hour_minute": "HH:mm", "hour_minute_second": "HH:mm:ss",
}

// singleLetters make a pattern take numbers without leading zeros.
var singleLetters = strings.NewReplacer("yyyy", "y", "MM", "M", "dd", "d", "HH", "H", "mm", "m", "ss", "s")

// namedFormat returns the formats of a name or a pattern.
func namedFormat(name string) ([]dateFormat, error) {
	base, strict := strings.CutPrefix(name, "strict_")
	switch base {
	case "epoch_millis", "epoch_second":
		return []dateFormat{epochFormat(base == "epoch_second")}, nil
	case "date_optional_time":
		if strict {
			return []dateFormat{isoFormat(false)}, nil
		}
		return lenientISO(), nil
	case "date":
		if !strict { // months and days may be left out
			return patternFormats("y", "y-M", "y-M-d"), nil
		}
	case "date_time", "date_time_no_millis":
		return []dateFormat{isoFormat(true)}, nil
	}
	pattern, known := datePatterns[base]
	switch {
	case !known:
		pattern = name
	case !strict && base != "basic_date":
		pattern = singleLetters.Replace(pattern)
	}
	f, err := patternFormat(pattern)
	return []dateFormat{f}, err
}

// isoFormat parses ISO dates, of which those with an offset have a time.
func isoFormat(zoned bool) dateFormat {
	return func(text string, up bool) (time.Time, bool, bool) {
		t, ok := parseISO(text, up)
		_, clock, hasTime := strings.Cut(text, "T")
		has := hasTime && strings.ContainsAny(clock, "Z+-")
		return t, has, ok && (has || !zoned)
	}
}

// lenientISO parses ISO dates, also with numbers of one digit.
func lenientISO() []dateFormat {
	return append([]dateFormat{isoFormat(false)},
		patternFormats("y", "y-M", "y-M-d", "y-M-d'T'H", "y-M-d'T'H:m", "y-M-d'T'H:m:s", "y-M-d'T'HX", "y-M-d'T'H:mX", "y-M-d'T'H:m:sX")...)
}

// patternFormats are the formats of valid patterns.
func patternFormats(patterns ...string) (out []dateFormat) {
	for _, p := range patterns {
		f, _ := patternFormat(p)
		out = append(out, f)
	}
	return out
}

// epochFormat parses milliseconds or seconds since 1970.
func epochFormat(seconds bool) dateFormat {
	return func(text string, up bool) (time.Time, bool, bool) {
		t, ok := parseEpoch(text)
		ms := t.UnixMilli()
		if seconds && ok {
			if ms > maxYear*366*86400 {
				return t, false, false
			}
			_, fraction, _ := strings.Cut(text, ".")
			part := 0
			if fraction != "" {
				for i := range 3 {
					part *= 10
					if i < len(fraction) {
						part += int(fraction[i] - '0')
					}
				}
			} else if up {
				part = 999
			}
			ms = 1000*ms + int64(part)
		}
		return time.UnixMilli(ms).UTC(), false, ok
	}
}

// patternPart is a field of a pattern, or a text.
type patternPart struct {
	letter byte // 0: a text
	width  int  // letters
	text   string
}

const (
	patternLetters = "yuMLdHhmsSaXZ"
	maxDigits      = 9 // of a number: nanoseconds have as many
)

func patternFormat(pattern string) (dateFormat, error) {
	parts, err := patternParts(pattern)
	if err != nil {
		return nil, err
	}
	return func(text string, up bool) (time.Time, bool, bool) {
		d := patternDate{isoDate: isoDate{year: 1970, month: 1, day: 1}}
		if up {
			d.hour, d.minute, d.second, d.nano = 23, 59, 59, 999_999_999
		}
		for i, p := range parts {
			var ok bool
			if text, ok = d.take(p, text, digitsBehind(parts[i+1:])); !ok {
				return time.Time{}, false, false
			}
		}
		d.settle()
		if text != "" || !d.valid(up) {
			return time.Time{}, false, false
		}
		t := time.Date(d.year, time.Month(d.month), d.day, d.hour, d.minute, d.second, d.nano, time.UTC)
		return t.Add(-time.Duration(d.offset) * time.Second), d.zoned, true
	}, nil
}

func patternParts(pattern string) (parts []patternPart, err error) {
	bad := func(why string) ([]patternPart, error) {
		return nil, fmt.Errorf("%.80q is no date format here: %s; known are the letters %s, text between single quotes, and names such as strict_date_optional_time, epoch_millis, epoch_second, date, basic_date, year_month, date_hour_minute", pattern, why, patternLetters)
	}
	if pattern == "" || len(pattern) > maxPattern {
		return bad("it is empty or too long")
	}
	for rest := pattern; rest != ""; {
		c := rest[0]
		n := 1
		for n < len(rest) && rest[n] == c {
			n++
		}
		switch {
		case c == '\'':
			text, after, closed := strings.Cut(rest[1:], "'")
			if !closed {
				return bad("a quote is not closed")
			}
			if text == "" {
				text = "'"
			}
			parts, rest = append(parts, patternPart{text: text}), after
		case c == 'S' && n > maxDigits:
			return bad(fmt.Sprintf("a second has %d digits at most behind the point", maxDigits))
		case strings.IndexByte(patternLetters, c) >= 0:
			parts, rest = append(parts, patternPart{letter: c, width: n}), rest[n:]
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("[]{}#", c) >= 0:
			return bad(fmt.Sprintf("%q has no meaning", c))
		default:
			parts, rest = append(parts, patternPart{text: rest[:n]}), rest[n:]
		}
	}
	return parts, nil
}

// digitsBehind is how many digits the fields that touch a number take.
func digitsBehind(parts []patternPart) (n int) {
	for _, p := range parts {
		if strings.IndexByte("MLdHhmsS", p.letter) < 0 || p.letter == 0 || p.width < 2 || p.width > 2 && p.letter != 'S' {
			break
		}
		n += p.width
	}
	return n
}

type patternDate struct {
	isoDate
	zoned      bool
	half, noon bool // the hour is one of twelve; after noon
}

// settle makes an hour of twelve one of twenty-four.
func (d *patternDate) settle() {
	if !d.half {
		return
	}
	if d.hour < 1 || d.hour > 12 {
		d.hour = 24 // no hour
		return
	}
	if d.hour %= 12; d.noon {
		d.hour += 12
	}
}

// take parses a part. behind is how many digits the next parts need.
func (d *patternDate) take(p patternPart, text string, behind int) (rest string, ok bool) {
	switch {
	case p.letter == 0:
		return strings.CutPrefix(text, p.text)
	case p.letter == 'X' || p.letter == 'Z':
		z := isoParser{rest: text}
		d.zoned = text != ""
		d.offset = z.zone()
		return z.rest, d.zoned && !z.failed
	case p.letter == 'a':
		if rest, ok = strings.CutPrefix(text, "PM"); ok {
			d.noon = true
			return rest, true
		}
		return strings.CutPrefix(text, "AM")
	case (p.letter == 'M' || p.letter == 'L') && p.width > 2:
		return d.monthName(p.width == 3, text)
	}
	return d.number(p, text, behind)
}

func (d *patternDate) monthName(short bool, text string) (rest string, ok bool) {
	for m := time.January; m <= time.December; m++ {
		name := m.String()
		if short {
			name = name[:3]
		}
		if rest, ok = strings.CutPrefix(text, name); ok {
			d.month = int(m)
			return rest, true
		}
	}
	return "", false
}

func (d *patternDate) number(p patternPart, text string, behind int) (rest string, ok bool) {
	year := p.letter == 'y' || p.letter == 'u'
	signed := year && p.width != 2 && strings.HasPrefix(text, "-")
	digits := text
	if signed {
		digits = text[1:]
	}
	all := len(digits) - len(strings.TrimLeft(digits, "0123456789"))
	n := min(max(all-behind, 0), maxDigits)
	switch {
	case p.width == 2 || p.letter == 'S':
		n = min(all, p.width)
	case year && p.width == 4 && n > 4: // more digits need a sign
		return "", false
	}
	if n == 0 || n < p.width {
		return "", false
	}
	v := 0
	for _, c := range digits[:n] {
		v = 10*v + int(c-'0')
	}
	switch p.letter {
	case 'y', 'u':
		if d.year = v; p.width == 2 {
			d.year += 2000
		} else if signed {
			d.year = -v
		}
	case 'M', 'L':
		d.month = v
	case 'd':
		d.day = v
	case 'H':
		d.hour = v
	case 'h':
		d.hour, d.half = v, true
	case 'm':
		d.minute = v
	case 's':
		d.second = v
	case 'S':
		for range maxDigits - n {
			v *= 10
		}
		d.nano = v
	}
	return digits[n:], true
}
