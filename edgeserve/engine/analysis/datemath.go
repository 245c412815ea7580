// This file evaluates date math: `2021-04-23||+1M/d`, `now-1d`.

package analysis

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// evalDate parses a date with optional math. up affects only rounding, not the date before `||`.
func evalDate(text string, up bool, now func() time.Time) (time.Time, bool) {
	if operations, ok := strings.CutPrefix(text, "now"); ok && now != nil {
		return evalMath(now().UTC(), operations, up)
	}
	date, operations, found := strings.Cut(text, "||")
	if !found {
		return parseDate(text, up)
	}
	t, ok := parseDate(date, false)
	if !ok {
		return t, false
	}
	return evalMath(t, operations, up)
}

func evalMath(t time.Time, operations string, up bool) (time.Time, bool) {
	for operations != "" {
		op, n, unit, rest, ok := cutOperation(operations)
		if !ok {
			return t, false
		}
		if op == '/' {
			t, ok = roundDate(t, unit, up)
		} else {
			t, ok = addUnits(t, n, unit)
		}
		if !ok || t.Year() > maxYear || t.Year() < -maxYear {
			return t, false
		}
		operations = rest
	}
	return t, true
}

// cutOperation splits `+2d`, `-2d` or `/d` off text. n is signed.
func cutOperation(text string) (op byte, n int, unit byte, rest string, ok bool) {
	op = text[0]
	digits, rest := cutDigits(text[1:])
	n = 1
	if digits != "" {
		var err error
		if n, err = strconv.Atoi(digits); err != nil || n > math.MaxInt32 {
			return 0, 0, 0, "", false
		}
	}
	if rest == "" || op != '+' && op != '-' && op != '/' || op == '/' && n != 1 {
		return 0, 0, 0, "", false
	}
	if op == '-' {
		n = -n
	}
	return op, n, rest[0], rest[1:], true
}

// addUnits adds n units. A day that the new month lacks becomes its last day.
func addUnits(t time.Time, n int, unit byte) (time.Time, bool) {
	switch unit {
	case 'y':
		return addMonths(t, 12*n), true
	case 'M':
		return addMonths(t, n), true
	case 'w':
		return t.AddDate(0, 0, 7*n), true
	case 'd':
		return t.AddDate(0, 0, n), true
	case 'h', 'H':
		return t.Add(time.Duration(n) * time.Hour), true
	case 'm':
		return t.Add(time.Duration(n) * time.Minute), true
	case 's':
		return t.Add(time.Duration(n) * time.Second), true
	}
	return t, false
}

func addMonths(t time.Time, n int) time.Time {
	year, month, day := t.Date()
	first := time.Date(year, month+time.Month(n), 1, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
	return first.AddDate(0, 0, min(day, DaysIn(first.Year(), first.Month()))-1)
}

// roundDate rounds down to the unit or, with up, to the unit's last millisecond.
func roundDate(t time.Time, unit byte, up bool) (time.Time, bool) {
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	switch unit {
	case 's':
	case 'm':
		second = 0
	case 'h', 'H':
		minute, second = 0, 0
	case 'd':
		hour, minute, second = 0, 0, 0
	case 'w':
		day -= (int(t.Weekday()) + 6) % 7 // back to Monday
		hour, minute, second = 0, 0, 0
	case 'M':
		day, hour, minute, second = 1, 0, 0, 0
	case 'y':
		month, day, hour, minute, second = 1, 1, 0, 0, 0
	default:
		return t, false
	}
	t = time.Date(year, month, day, hour, minute, second, 0, time.UTC)
	if !up {
		return t, true
	}
	t, _ = addUnits(t, 1, unit)
	return t.Add(-time.Millisecond), true
}
