// This file tests time zones, dates of options and formats. What Elasticsearch says of them is in the
// expectations.

package aggs

import (
	"testing"
	"time"

	"contentedge/edgeserve/engine/query"
)

func zoned(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := zoneOf(&query.Agg{Kind: query.AggDateHistogram, Values: query.AggValues{TimeZone: name}}, "a")
	if err != nil {
		t.Skip(err)
	}
	return zone
}

func TestRoundingInZones(t *testing.T) {
	for _, c := range []struct {
		zone, interval string
		fixed          time.Duration
		at, start      string
		next           string
	}{
		{"Europe/Berlin", "day", 0, "2025-03-30T10:00:00Z", "2025-03-29T23:00:00Z", "2025-03-30T22:00:00Z"},
		{"Europe/Berlin", "hour", 0, "2025-10-26T00:30:00Z", "2025-10-26T00:00:00Z", "2025-10-26T01:00:00Z"},
		{"Europe/Berlin", "hour", 0, "2025-10-26T01:30:00Z", "2025-10-26T01:00:00Z", "2025-10-26T02:00:00Z"},
		{"Australia/Lord_Howe", "hour", 0, "2024-10-05T14:40:00Z", "2024-10-05T14:30:00Z", "2024-10-05T16:00:00Z"},
		{"America/Sao_Paulo", "day", 0, "2018-11-04T12:00:00Z", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"},
		{"America/New_York", "month", 0, "2025-03-20T00:00:00Z", "2025-03-01T05:00:00Z", "2025-04-01T04:00:00Z"},
		{"+05:30", "day", 0, "2025-01-01T20:00:00Z", "2025-01-01T18:30:00Z", "2025-01-02T18:30:00Z"},
		{"Europe/Berlin", "", time.Hour, "2025-10-26T01:30:00Z", "2025-10-26T01:00:00Z", "2025-10-26T02:00:00Z"},
		{"Europe/Berlin", "", 2 * time.Hour, "2025-03-30T01:10:00Z", "2025-03-30T01:00:00Z", "2025-03-30T02:00:00Z"},
		{"Europe/Berlin", "", 7 * time.Hour, "2025-10-26T03:00:00Z", "2025-10-25T20:00:00Z", "2025-10-26T04:00:00Z"},
		{"Europe/Berlin", "", 100 * time.Minute, "2021-03-28T01:10:00Z", "2021-03-28T01:00:00Z", "2021-03-28T02:00:00Z"}, // starts at 02:20, which clocks skip
		{"+01:00", "", 36 * time.Hour, "1970-01-02T00:00:00Z", "1969-12-31T23:00:00Z", "1970-01-02T11:00:00Z"},
		{"", "week", 0, "2025-01-01T20:00:00Z", "2024-12-30T00:00:00Z", "2025-01-06T00:00:00Z"},
	} {
		t.Run(c.zone+" "+c.interval+" "+c.at, func(t *testing.T) {
			r := &rounding{zone: zoned(t, c.zone), interval: c.interval, fixed: c.fixed.Milliseconds()}
			at, err := time.Parse(time.RFC3339, c.at)
			if err != nil {
				t.Fatal(err)
			}
			text := func(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }
			start := r.floor(at.UnixMilli())
			if text(start) != c.start || text(r.next(start)) != c.next {
				t.Errorf("from %s to %s, want %s to %s", text(start), text(r.next(start)), c.start, c.next)
			}
		})
	}
}

// TestLongIntervalsInZones has hundreds of thousands of changes between a time and the start of its interval.
func TestLongIntervalsInZones(t *testing.T) {
	r := &rounding{zone: zoned(t, "Europe/Berlin"), fixed: 50_000_000 * dayMillis}
	far, begin := time.Date(291_000_000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli(), time.Now()
	for range 100 {
		start := r.start(far)
		if local := r.local(start); local%r.fixed != 0 || start > far || far-start >= r.fixed {
			t.Fatalf("the interval of %d begins at %d", far, start)
		}
	}
	if took := time.Since(begin); took > time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestUnknownZone(t *testing.T) {
	for _, name := range []string{"Nowhere/Land", "Local", "+2:x", "../etc/passwd"} {
		if _, err := zoneOf(&query.Agg{Kind: query.AggDateHistogram, Values: query.AggValues{TimeZone: name}}, "a"); err == nil {
			t.Errorf("%s is a zone", name)
		}
	}
}

func TestEveryTypeIsComputed(t *testing.T) {
	for _, kind := range query.AggKinds() {
		if a := (query.Agg{Kind: kind}); (makers[kind] == nil) != a.IsPipeline() {
			t.Errorf("%s: made %v, pipeline %v", kind, makers[kind] != nil, a.IsPipeline())
		}
	}
}
