// This file parses date histograms.

package body

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
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

func dateHistogramOptions() []option[query.Agg] {
	return slices.Concat([]option[query.Agg]{aggField.must()}, dateIntervals, []option[query.Agg]{
		aggFormat, aggOrder, aggMinDocCount, aggMissing, aggKeyed, aggTimeZone, dateOffset, extendedBounds, hardBounds,
	})
}

func finishDateHistogram(p *parser, a *query.Agg, v *strictjson.Value) {
	if !hasInterval(a) {
		p.require(v, "calendar_interval")
	}
}

// dateIntervals are the options of an interval. A histogram of dates has exactly one.
var dateIntervals = []option[query.Agg]{
	dateInterval("calendar_interval", func(p *parser, a *query.Agg, v *strictjson.Value) {
		if a.Buckets.Interval = intervals[p.text(v)]; a.Buckets.Interval == "" {
			p.wrongValue(v, "one of "+calendarIntervals)
		}
	}),
	dateInterval("fixed_interval", func(p *parser, a *query.Agg, v *strictjson.Value) {
		a.Options.(*query.Histogram).Interval = float64(p.fixedInterval(v, false))
	}),
	dateInterval("interval", func(p *parser, a *query.Agg, v *strictjson.Value) {
		if a.Buckets.Interval = intervals[p.text(v)]; a.Buckets.Interval == "" {
			a.Options.(*query.Histogram).Interval = float64(p.fixedInterval(v, true))
		}
	}),
}

var dateOffset = of("offset", optional, func(p *parser, h *query.Histogram, v *strictjson.Value) { h.Offset = float64(p.dateOffset(v)) })

func dateInterval(name string, parse func(p *parser, a *query.Agg, v *strictjson.Value)) option[query.Agg] {
	return option[query.Agg]{name, optional, func(p *parser, a *query.Agg, v *strictjson.Value) {
		given := hasInterval(a)
		if parse(p, a, v); given {
			p.fail(v, problem.BadAggregation, "a histogram of dates has one interval: calendar_interval or fixed_interval")
		}
	}}
}

func hasInterval(a *query.Agg) bool {
	return a.Buckets.Interval != "" || a.Options.(*query.Histogram).Interval != 0
}

// units are the units of a duration.
var units = map[string]time.Duration{
	"nanos": time.Nanosecond, "micros": time.Microsecond, "ms": time.Millisecond,
	"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
}

// fixedInterval parses a number with a unit or, with numbers, a JSON number of milliseconds. It refuses less than one
// millisecond.
func (p *parser) fixedInterval(v *strictjson.Value, numbers bool) int64 {
	ms, ok := parseDuration(p.durationText(v))
	if !ok || ms <= 0 || v.Kind == strictjson.Number && !numbers {
		p.wrongValue(v, "a number and one of the units ms, s, m, h and d, like 30d, or a calendar_interval")
	}
	return ms
}

// dateOffset parses a signed duration, or a number of milliseconds.
func (p *parser) dateOffset(v *strictjson.Value) int64 {
	rest, minus := strings.CutPrefix(p.durationText(v), "-")
	ms, ok := parseDuration(strings.TrimPrefix(rest, "+"))
	if !ok {
		p.wrongValue(v, "a number and one of the units ms, s, m, h and d, like +6h")
	}
	if minus {
		return -ms
	}
	return ms
}

// durationText returns the text of a duration. It adds ms to a JSON number.
func (p *parser) durationText(v *strictjson.Value) string {
	if text := p.text(v); v.Kind != strictjson.Number {
		return text
	}
	return v.Text + "ms"
}

// maxDuration keeps sums of dates and durations within int64.
const maxDuration = 1 << 52

// parseDuration parses a number and its unit, which only 0 may lack. It drops fractions of a millisecond.
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
