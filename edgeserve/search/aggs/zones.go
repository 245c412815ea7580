// This file cuts time in zones, as Elasticsearch's Rounding does. Offsets change: a local time may be
// there twice, or not at all.

package aggs

import "time"

// rounding cuts time at the starts of intervals.
type rounding struct {
	zone     *time.Location
	interval string // of a calendar, or ""
	fixed    int64  // milliseconds, if there is no interval
	offset   int64
}

// units that begin at midnight, against those below.
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

// start is the start of the interval of a time.
func (r *rounding) start(ms int64) int64 {
	if r.zone == time.UTC {
		return r.floorLocal(ms)
	}
	local := r.floorLocal(r.local(ms))
	if r.midnight() {
		return r.first(local)
	}
	// The greatest time with this local time that is not later.
	before, after := offsetAt(r.zone, local-dayMillis), offsetAt(r.zone, local+dayMillis)
	first, last := local-max(before, after), local-min(before, after)
	switch {
	case last <= ms && r.local(last) == local:
		return last
	case r.local(first) == local:
		return first
	}
	return r.first(local)
}

const dayMillis = 24 * 60 * 60 * 1000

// first is the first time with a local time, or that of the change that skipped it.
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

// after is the start of the interval that follows one.
func (r *rounding) after(ms int64) int64 {
	switch {
	case r.zone == time.UTC && r.interval == "":
		return ms + r.fixed
	case r.zone == time.UTC:
		return nextDate(r.interval, ms)
	case r.interval == "":
		return r.first(r.local(ms) + r.fixed)
	case !r.midnight():
		return nextDate(r.interval, ms)
	}
	return r.first(nextDate(r.interval, r.floorLocal(r.local(ms))))
}

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

func nextDate(interval string, ms int64) int64 {
	if n := fixedInterval(interval); n > 0 {
		return ms + n
	}
	year, month, _ := time.UnixMilli(ms).UTC().Date()
	switch interval {
	case "month":
		month++
	case "quarter":
		month += 3
	default:
		year++
	}
	return time.Date(year, month, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
}
