// This file tests time zones, dates of options and formats. What Elasticsearch says of them is in the
// expectations.

package aggs

import (
	"testing"
	"time"

	"contentedge/edgeserve/query"
)

func zoned(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := zoneOf(&query.Agg{Kind: query.AggDateHistogram, TimeZone: name}, "a")
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

func TestUnknownZone(t *testing.T) {
	for _, name := range []string{"Nowhere/Land", "Local", "+2:x", "../etc/passwd"} {
		if _, err := zoneOf(&query.Agg{Kind: query.AggDateHistogram, TimeZone: name}, "a"); err == nil {
			t.Errorf("%s is a zone", name)
		}
	}
}

func TestParseDateBy(t *testing.T) {
	for _, c := range []struct{ format, text, want string }{
		{"MM-yyyy", "01-2025", "2025-01-01T00:00:00Z"},
		{"dd/MM/yyyy HH:mm:ss.SSS", "03/04/2021 15:06:07.089", "2021-04-03T15:06:07Z"},
		{"yyyyMMdd", "20210403", "2021-04-03T00:00:00Z"},
		{"d MMM yyyy", "3 Apr 2021", "2021-04-03T00:00:00Z"},
		{"yyyy-MM-dd'T'HH:mmXXX", "2021-04-03T10:00+02:00", "2021-04-03T08:00:00Z"},
		{"epoch_second", "1617462367", "2021-04-03T15:06:07Z"},
		{"strict_date", "2021-04-03", "2021-04-03T00:00:00Z"},
		{"MM-yyyy", "2025-01", ""}, {"dd-MM-yyyy", "31-02-2021", ""}, {"yyyy", "x", ""}, {"yyyy", "", ""}, {"yyyy-MM-dd", "2021-04-03T", ""}, {"jj", "1", ""},
	} {
		t.Run(c.format+" "+c.text, func(t *testing.T) {
			ms, _, ok := parseBy(c.format, c.text)
			if ok != (c.want != "") || ok && time.UnixMilli(ms).UTC().Format(time.RFC3339) != c.want {
				t.Errorf("got %v, %v", time.UnixMilli(ms).UTC(), ok)
			}
		})
	}
}

func TestEveryTypeIsComputed(t *testing.T) {
	for _, kind := range query.AggKinds() {
		if a := (query.Agg{Kind: kind}); (makers[kind] == nil) != a.IsPipeline() {
			t.Errorf("%s: made %v, pipeline %v", kind, makers[kind] != nil, a.IsPipeline())
		}
	}
}
