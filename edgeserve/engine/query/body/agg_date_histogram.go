// This file parses date histograms.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
	"strconv"
	"strings"
	"time"
)

const calendarIntervals = "second, minute, hour, day, week, month, quarter, year (or 1s, 1m, 1h, 1d, 1w, 1M, 1q, 1y)"

// intervals maps each spelling of a calendar interval to the value of Agg.Interval.
var intervals = map[string]string{
	"second": "second", "1s": "second",
	"minute": "minute", "1m": "minute",
	"hour": "hour", "1h": "hour",
	"day": "day", "1d": "day",
	"week": "week", "1w": "week",
	"month": "month", "1M": "month",
	"quarter": "quarter", "1q": "quarter",
	"year": "year", "1y": "year",
}

func parseDateHistogramAgg(p *parser, a *query.Agg, t *aggParser, v *strictjson.Value) {
	h := &query.Histogram{}
	a.Options = h
	parseAggOptions(p, a, t, v, func(o *strictjson.Value) bool { return parseDateInterval(p, a, h, o) || parseDateBounds(p, h, o) })
	p.require(v, "field")
	if a.Interval == "" && h.Interval == 0 {
		p.require(v, "calendar_interval")
	}
}

func parseDateBounds(p *parser, h *query.Histogram, o *strictjson.Value) bool {
	switch o.Name {
	case "extended_bounds":
		h.Extended = parseBounds(p, o)
	case "hard_bounds":
		h.Hard = parseBounds(p, o)
	default:
		return false
	}
	return true
}

// dateInterval parses an interval, a calendar's or, in milliseconds, a fixed one; and an offset.
func parseDateInterval(p *parser, a *query.Agg, h *query.Histogram, o *strictjson.Value) bool {
	given := a.Interval != "" || h.Interval != 0
	switch o.Name {
	case "calendar_interval":
		if a.Interval = intervals[p.text(o)]; a.Interval == "" {
			p.wrongValue(o, "one of "+calendarIntervals)
		}
	case "fixed_interval":
		h.Interval = float64(parseFixedInterval(p, o, false))
	case "interval":
		if a.Interval = intervals[p.text(o)]; a.Interval == "" {
			h.Interval = float64(parseFixedInterval(p, o, true))
		}
	case "offset":
		h.Offset = float64(parseDateOffset(p, o))
		return true
	default:
		return false
	}
	if given {
		p.fail(o, problem.BadAggregation, "a histogram of dates has one interval: calendar_interval or fixed_interval")
	}
	return true
}

// units of a duration.
var units = map[string]time.Duration{
	"nanos": time.Nanosecond, "micros": time.Microsecond, "ms": time.Millisecond,
	"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
}

// parseFixedInterval parses a number with a unit, or a JSON number of milliseconds; it is at least one.
func parseFixedInterval(p *parser, v *strictjson.Value, numbers bool) int64 {
	ms, ok := parseDuration(parseDurationText(p, v))
	if !ok || ms <= 0 || v.Kind == strictjson.Number && !numbers {
		p.wrongValue(v, "a number and one of the units ms, s, m, h and d, like 30d, or a calendar_interval")
	}
	return ms
}

// dateOffset parses a signed duration, or a number of milliseconds.
func parseDateOffset(p *parser, v *strictjson.Value) int64 {
	rest, minus := strings.CutPrefix(parseDurationText(p, v), "-")
	ms, ok := parseDuration(strings.TrimPrefix(rest, "+"))
	if !ok {
		p.wrongValue(v, "a number and one of the units ms, s, m, h and d, like +6h")
	}
	if minus {
		return -ms
	}
	return ms
}

// durationText gives numbers the unit that they are in.
func parseDurationText(p *parser, v *strictjson.Value) string {
	if text := p.text(v); v.Kind != strictjson.Number {
		return text
	}
	return v.Text + "ms"
}

// maxDuration keeps sums of dates and durations within int64.
const maxDuration = 1 << 52

// parseDuration parses a number and its unit; only 0 needs none. Parts of a millisecond do not count.
func parseDuration(text string) (ms int64, ok bool) {
	text = strings.TrimSpace(text)
	if !strings.HasSuffix(text, "M") { // months have no fixed length
		text = strings.ToLower(text)
	}
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzM")
	n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
	per, known := units[text[len(digits):]]
	switch {
	case err != nil || n < 0 || !known:
		return 0, text == "0"
	case per < time.Millisecond:
		return n / int64(time.Millisecond/per), true
	}
	return n * per.Milliseconds(), n <= maxDuration/per.Milliseconds()
}
