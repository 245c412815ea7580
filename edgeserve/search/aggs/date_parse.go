// This file parses dates of options by the format of an aggregation, in its time zone.

package aggs

import (
	"strings"
	"time"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/query"
)

// parseDate returns milliseconds. Date math is in the time zone, as are dates without one.
func (a *aggregator) parseDate(v *query.Value, format string, zone *time.Location) (ms int64, ok bool) {
	r := &rounding{zone: zone}
	now := func() time.Time {
		t := a.c.Now()
		_, offset := t.In(zone).Zone()
		return t.Add(time.Duration(offset) * time.Second)
	}
	date, math, _ := strings.Cut(v.Text, "||")
	if strings.HasPrefix(v.Text, "now") {
		if ms, ok = analysis.ParseDate(v.Text, false, now); ok {
			ms = r.first(ms)
		}
		return ms, ok
	}
	local := true
	if format == "" {
		ms, ok = analysis.ParseDate(date, false, nil)
		local = isLocal(date)
	} else {
		for f := range strings.SplitSeq(format, "||") {
			if ms, local, ok = parseBy(f, date); ok {
				break
			}
		}
	}
	if ok && math != "" {
		if !local {
			ms += offsetAt(zone, ms)
		}
		ms, ok = analysis.ParseDate(analysis.FormatDate(ms)+"||"+math, false, nil)
		local = true
	}
	if ok && local {
		ms = r.first(ms)
	}
	return ms, ok
}

// isLocal tells whether a date that parses has no time zone.
func isLocal(date string) bool {
	day, clock, found := strings.Cut(date, "T")
	if !found {
		return len(strings.TrimLeft(day, "+-")) == 4 || strings.LastIndexByte(day, '-') > 0 // else milliseconds
	}
	return !strings.ContainsAny(clock, "Z+-")
}

// parseBy parses a date by a format: a pattern, or the name of one.
func parseBy(format, text string) (ms int64, local, ok bool) {
	switch format {
	case "epoch_millis":
		ms, ok = analysis.ReadLong(text)
		return ms, false, ok
	case "epoch_second":
		ms, ok = analysis.ReadLong(text)
		return 1000 * min(max(ms, -lastDate/1000), lastDate/1000), false, ok
	}
	if p, known := namedFormats[strings.TrimPrefix(format, "strict_")]; known {
		if format = p; p == "" {
			ms, ok = analysis.ParseDate(text, false, nil)
			return ms, isLocal(text + " "), ok
		}
	}
	parts, ok := parsePattern(format)
	if !ok {
		return 0, false, false
	}
	d := patternDate{year: 1970, month: 1, day: 1}
	for i, p := range parts {
		if text, ok = d.take(p, text, i+1 < len(parts) && parts[i+1].letter != 0 && parts[i+1].letter != 'X'); !ok {
			return 0, false, false
		}
	}
	t := time.Date(d.year, time.Month(d.month), d.day, d.hour, d.minute, d.second, d.nano, time.UTC)
	if text != "" || t.Day() != d.day || int(t.Month()) != d.month || d.hour > 23 || d.minute > 59 || d.second > 59 {
		return 0, false, false
	}
	return t.UnixMilli() - 1000*int64(d.offset), !d.zoned, true
}

type patternDate struct {
	year, month, day, hour, minute, second, nano int
	offset                                       int // seconds
	zoned                                        bool
}

// take parses one part of a pattern. Digits that touch the next part are as many as its letters.
func (d *patternDate) take(p patternPart, text string, tight bool) (rest string, ok bool) {
	switch p.letter {
	case 0:
		return strings.CutPrefix(text, p.text)
	case 'X', 'Z':
		return d.zone(text)
	}
	if p.n >= 3 && (p.letter == 'M' || p.letter == 'L') {
		for m := time.January; m <= time.December; m++ {
			name := m.String()
			if p.n == 3 {
				name = name[:3]
			}
			if rest, ok = strings.CutPrefix(text, name); ok {
				d.month = int(m)
				return rest, true
			}
		}
		return "", false
	}
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if tight || p.n > 1 && p.letter != 'y' && p.letter != 'u' || p.n == 2 {
		if digits < p.n {
			return "", false
		}
		digits = p.n
	}
	if digits == 0 || digits > 9 || digits < p.n {
		return "", false
	}
	n := 0
	for _, c := range text[:digits] {
		n = 10*n + int(c-'0')
	}
	switch p.letter {
	case 'y', 'u':
		if d.year = n; p.n == 2 {
			d.year += 2000
		}
	case 'M', 'L':
		d.month = n
	case 'd':
		d.day = n
	case 'H':
		d.hour = n
	case 'm':
		d.minute = n
	case 's':
		d.second = n
	case 'S':
		for range 9 - digits {
			n *= 10
		}
		d.nano = n
	default:
		return "", false
	}
	return text[digits:], true
}

func (d *patternDate) zone(text string) (rest string, ok bool) {
	d.zoned = true
	if rest, ok = strings.CutPrefix(text, "Z"); ok {
		return rest, true
	}
	for _, layout := range []string{"-07:00", "-0700", "-07"} {
		if n := len(layout); len(text) >= n {
			if t, err := time.Parse(layout, text[:n]); err == nil {
				_, d.offset = t.Zone()
				return text[n:], true
			}
		}
	}
	return "", false
}
