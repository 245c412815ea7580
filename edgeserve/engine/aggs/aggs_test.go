// This file tests what aggregations write and how they cut time; tables in other files test what they count.

package aggs

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

func TestAppendDouble(t *testing.T) {
	for _, c := range []struct {
		in   float64
		want string
	}{
		{0, "0.0"}, {math.Copysign(0, -1), "-0.0"}, {1, "1.0"}, {-2.5, "-2.5"}, {0.1, "0.1"}, {0.001, "0.001"}, {0.00099, "9.9E-4"},
		{9999999, "9999999.0"}, {9999999.5, "9999999.5"}, {1e7, "1.0E7"}, {12345678, "1.2345678E7"}, {-1e10, "-1.0E10"}, {1.6094592e12, "1.6094592E12"},
		{math.MaxFloat64, "1.7976931348623157E308"}, {1e-10, "1.0E-10"}, {float64(float32(1.1)), "1.100000023841858"},
		{math.Inf(1), `"Infinity"`}, {math.Inf(-1), `"-Infinity"`}, {math.NaN(), `"NaN"`},
	} {
		if got := string(appendDouble([]byte("."), c.in)); got != "."+c.want {
			t.Errorf("%v: got %s, want %s", c.in, got[1:], c.want)
		}
	}
}

func TestAppendJSONString(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "añ東👍", `"añ東👍"`},
		{"empty", "", `""`},
		{"short escapes", "\"\\\b\f\n\r\t/", `"\"\\\b\f\n\r\t/"`},
		{"control", "a\x00b\x1f\x7f", "\"a\\u0000b\\u001F\x7f\""},
		{"not UTF-8", "a\xffb", "\"a\ufffdb\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := appendJSONString(nil, c.in)
			if string(got) != c.want || !json.Valid(got) {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestCalendar(t *testing.T) {
	at := func(s string) int64 {
		d, err := time.Parse("2006-01-02T15:04:05.000", s)
		if err != nil {
			t.Fatal(err)
		}
		return d.UnixMilli()
	}
	for _, c := range []struct{ interval, time, start, next string }{
		{"minute", "2021-04-23T10:15:30.123", "2021-04-23T10:15:00.000", "2021-04-23T10:16:00.000"},
		{"hour", "1969-12-31T23:59:59.999", "1969-12-31T23:00:00.000", "1970-01-01T00:00:00.000"},
		{"day", "2020-02-29T00:00:00.000", "2020-02-29T00:00:00.000", "2020-03-01T00:00:00.000"},
		{"week", "2021-04-25T23:59:59.999", "2021-04-19T00:00:00.000", "2021-04-26T00:00:00.000"},
		{"week", "1969-12-28T12:00:00.000", "1969-12-22T00:00:00.000", "1969-12-29T00:00:00.000"},
		{"month", "2021-12-31T12:00:00.000", "2021-12-01T00:00:00.000", "2022-01-01T00:00:00.000"},
		{"month", "1969-02-28T12:00:00.000", "1969-02-01T00:00:00.000", "1969-03-01T00:00:00.000"},
		{"quarter", "2021-12-31T12:00:00.000", "2021-10-01T00:00:00.000", "2022-01-01T00:00:00.000"},
		{"quarter", "2021-03-31T12:00:00.000", "2021-01-01T00:00:00.000", "2021-04-01T00:00:00.000"},
		{"year", "2021-12-31T12:00:00.000", "2021-01-01T00:00:00.000", "2022-01-01T00:00:00.000"},
	} {
		t.Run(c.interval+" "+c.time, func(t *testing.T) {
			start := floorDate(c.interval, at(c.time))
			if start != at(c.start) {
				t.Errorf("start %v, want %s", time.UnixMilli(start).UTC(), c.start)
			}
			if next := nextDate(c.interval, start); next != at(c.next) {
				t.Errorf("next %v, want %s", time.UnixMilli(next).UTC(), c.next)
			}
		})
	}
}

func TestCalendarFarAway(t *testing.T) {
	for _, interval := range []string{"minute", "hour", "day", "week", "month", "quarter", "year"} {
		for _, ms := range []int64{toMillis(math.Inf(-1)), toMillis(math.Inf(1))} {
			start := floorDate(interval, ms)
			if next := nextDate(interval, start); start > ms || next <= ms {
				t.Errorf("%s of %d: from %d to %d", interval, ms, start, next)
			}
		}
	}
}

func TestCompensatedSum(t *testing.T) {
	var c compensated
	for _, v := range []float64{1e16, 1, 1, 1, 1, -1e16} {
		c.add(v)
	}
	if c.sum != 4 {
		t.Errorf("got %v, want 4", c.sum)
	}
	c.add(math.MaxFloat64)
	c.add(math.MaxFloat64)
	c.add(1)
	if !math.IsInf(c.sum, 1) {
		t.Errorf("got %v, want infinity", c.sum)
	}
}

func TestAnswersAreBounded(t *testing.T) {
	a := newAggregator(&scorer.Request{Work: scorer.NewWorkLimit(t.Context())}, nil)
	if err := a.spend(query.MaxBuckets); err != nil {
		t.Error(err)
	}
	a.bytes = MaxBytes - 1
	if err := a.wrote(0, 1); err != nil {
		t.Error(err)
	}
	if err := a.wrote(0, 2); err == nil {
		t.Error("one byte too many was allowed")
	}
	a.work = scorer.NewWorkLimit(t.Context())
	if err := a.spend(1); err == nil {
		t.Error("one bucket too many was allowed")
	}
}

func TestNextMonth(t *testing.T) {
	for year := -401; year < 2500; year++ {
		for month := time.January; month <= time.December; month++ {
			first, next := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC), time.Date(year, month+1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
			for _, ms := range []int64{first.UnixMilli(), first.AddDate(0, 0, 17).UnixMilli() + 5, next - 1} {
				if got := nextDate("month", ms); got != next {
					t.Fatalf("the month after %v begins at %v", first, time.UnixMilli(got).UTC())
				}
			}
		}
	}
}
