// This file cuts time in zones, as Elasticsearch's Rounding does. Where the offset of a zone changes, a local time may
// occur twice or not at all.

package aggs

import (
	"time"

	"contentedge/edgeserve/engine/analysis"
)

// rounding cuts time at the starts of intervals.
type rounding struct {
	zone     *time.Location
	interval string // of a calendar, or ""
	fixed    int64  // milliseconds, without an interval
	offset   int64
}

// units that begin at midnight, as opposed to shorter units.
func (r *rounding) midnight() bool {
	return r.interval != "" && r.interval != "second" && r.interval != "minute" && r.interval != "hour"
}

func (r *rounding) floor(ms int64) int64 { return r.start(ms-r.offset) + r.offset }

func (r *rounding) next(key int64) int64 { return r.after(key-r.offset) + r.offset }

func (r *rounding) local(ms int64) int64 { return ms + offsetAt(r.zone, ms) }

func offsetAt(zone *time.Location, ms int64) int64 {
	if zone == time.UTC {
		return 0
	}
	_, offset := time.UnixMilli(ms).In(zone).Zone()
	return 1000 * int64(offset)
}

func (r *rounding) floorLocal(ms int64) int64 {
	if r.interval == "" {
		return floorBy(ms, r.fixed)
	}
	return floorDate(r.interval, ms)
}

// start is the start of the interval of a time. A change of the offset ends an interval unless it begins again with the
// change. A fixed interval begins again where a change skips its start.
func (r *rounding) start(ms int64) int64 {
	switch {
	case r.zone == time.UTC:
		return r.floorLocal(ms)
	case r.midnight():
		return r.first(r.floorLocal(r.local(ms)))
	}
	for {
		offset := offsetAt(r.zone, ms)
		local := r.floorLocal(ms + offset)
		from, _ := time.UnixMilli(ms).In(r.zone).ZoneBounds()
		change := from.UnixMilli()
		switch {
		case from.IsZero() || local-offset >= change:
			return local - offset
		case r.interval == "" && local >= r.local(change-1)+1:
			return change
		}
		ms = change - 1
		if ms > local+twoDays && ms < local+r.fixed-twoDays {
			ms = local + twoDays // changes in between only lead to the changes before them
		}
	}
}

const (
	dayMillis = 24 * 60 * 60 * 1000
	twoDays   = 2 * dayMillis // more than offsets differ
)

// first is the first time with a local time, or the time of the change that skips the local time.
func (r *rounding) first(local int64) int64 {
	before, after := offsetAt(r.zone, local-dayMillis), offsetAt(r.zone, local+dayMillis)
	first, last := local-max(before, after), local-min(before, after)
	switch {
	case r.local(first) == local:
		return first
	case r.local(last) == local:
		return last
	}
	from, _ := time.UnixMilli(last).In(r.zone).ZoneBounds()
	if from.IsZero() {
		return last
	}
	return from.UnixMilli()
}

// after is the start of the interval after the interval of a time.
func (r *rounding) after(ms int64) int64 {
	switch {
	case r.zone == time.UTC && r.interval == "":
		return ms + r.fixed
	case r.zone == time.UTC:
		return nextDate(r.interval, ms)
	case r.interval == "":
		return r.afterFixed(r.start(ms))
	case r.midnight():
		return r.first(nextDate(r.interval, r.floorLocal(r.local(ms))))
	}
	unit := fixedInterval(r.interval)
	if next := r.start(ms + unit); next > ms {
		return next
	}
	return r.start(ms + 2*unit) // an hour that occurs twice
}

// afterFixed searches for the start of the interval after the interval that begins at ms. Changes of the offset make
// intervals shorter or longer.
func (r *rounding) afterFixed(ms int64) int64 {
	at, step := ms, r.fixed
	for range maxSearch {
		at += step
		switch next := r.start(at); {
		case next <= ms:
			if step < 0 {
				step = -step / 2
			}
		case r.start(next-1) > ms:
			if step > 0 {
				step = -step / 2
			}
		default:
			return next
		}
	}
	return r.start(at)
}

// maxSearch limits the steps of afterFixed, as in Elasticsearch.
const maxSearch = 99

func floorBy(ms, n int64) int64 {
	rest := ms % n
	if rest < 0 {
		rest += n
	}
	return ms - rest
}

// fixedInterval returns the milliseconds of an interval of constant length, 0 for others.
func fixedInterval(name string) int64 {
	switch name {
	case "second":
		return time.Second.Milliseconds()
	case "minute":
		return time.Minute.Milliseconds()
	case "hour":
		return time.Hour.Milliseconds()
	case "day":
		return dayMillis
	case "week":
		return 7 * dayMillis
	}
	return 0
}

// firstMonday is the first Monday after the epoch, in milliseconds.
const firstMonday = 4 * dayMillis

// floorDate returns the start of the interval that contains a time.
func floorDate(interval string, ms int64) int64 {
	switch n := fixedInterval(interval); {
	case interval == "week":
		return floorBy(ms-firstMonday, n) + firstMonday
	case n > 0:
		return floorBy(ms, n)
	}
	year, month, _ := time.UnixMilli(ms).UTC().Date()
	switch interval {
	case "quarter":
		month -= (month - 1) % 3
	case "year":
		month = time.January
	}
	return time.Date(year, month, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
}

// nextDate returns the start of the interval after the one that contains a time.
func nextDate(interval string, ms int64) int64 {
	if n := fixedInterval(interval); n > 0 {
		return floorDate(interval, ms) + n
	}
	year, month, day := time.UnixMilli(ms).UTC().Date()
	switch interval {
	case "month":
		return floorBy(ms, dayMillis) + int64(analysis.DaysIn(year, month)-day+1)*dayMillis
	case "quarter":
		month += 3 - (month-1)%3
	default:
		year, month = year+1, time.January
	}
	return time.Date(year, month, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
}
