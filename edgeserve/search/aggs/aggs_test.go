// This file tests what aggregations write and how they cut time; what they count is
// tested where snapshots are built from items.

package aggs

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"contentedge/edgeserve/search/iter"
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

func TestDateFormat(t *testing.T) {
	for _, c := range []struct{ format, want string }{
		{"yyyy-MM-dd", `"2021-04-03"`},
		{"yyyy-MM-dd||epoch_millis", `"2021-04-03"`},
		{"dd/MM/yy HH:mm:ss.SSS", `"03/04/21 15:06:07.089"`},
		{"d.M.uuuu h:mm a", `"3.4.2021 3:06 PM"`},
		{"EEE, d MMM yyyy", `"Sat, 3 Apr 2021"`},
		{"EEEE d MMMM", `"Saturday 3 April"`},
		{"yyyy'Q'Q 'o''clock' ''X", `"2021Q2 o'clock 'Z"`},
		{"DDD Z S", `"093 +0000 0"`},
		{"strict_date_optional_time||epoch_millis", `"2021-04-03T15:06:07.089Z"`},
		{"strict_date_time_no_millis", `"2021-04-03T15:06:07Z"`},
		{"year_month", `"2021-04"`},
		{"epoch_millis", `"1617462367089"`},
		{"epoch_second", `"1617462367"`},
		{"yyyy年", `"2021年"`},
		{"YYYY-'W'ww e c k kk K xx xxx", `"2021-W13 6 6 15 15 3 +0000 +00:00"`},
		{"iso8601", `"2021-04-03T15:06:07.089Z"`}, {"basic_date_time", `"20210403T150607.089Z"`}, {"week_date", `"2021-W13-6"`}, {"strict_weekyear_week", `"2021-W13"`},
		{"ordinal_date_time_no_millis", `"2021-093T15:06:07Z"`}, {"t_time", `"T15:06:07.089Z"`}, {"date_hour_minute_second_millis", `"2021-04-03T15:06:07.089"`},
		{"", ""}, {"www", ""}, {"xxxxx", ""}, {"yyyy-MM-ddTHH", ""}, {"MMMMM", ""}, {"yyyy'T", ""}, {"yyyy[-MM]", ""}, {"||yyyy", ""},
	} {
		t.Run(c.format, func(t *testing.T) {
			write, ok := dateFormat(c.format, time.UTC)
			if ok != (c.want != "") {
				t.Fatalf("known: %v", ok)
			}
			if !ok {
				return
			}
			if got := string(write(nil, 1617462367089)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// Minutes of an offset are written where it has some.
func TestDateFormatFarYears(t *testing.T) {
	at := time.Date(145282, 9, 27, 0, 0, 0, 0, time.UTC).UnixMilli()
	for format, want := range map[string]string{
		"yyyy-MM": `"+145282-09"`, "uuuuu": `"+145282"`, "yyy": `"145282"`, "yyyyyyy": `"0145282"`, "yy": `"82"`, "year": `"145282"`, "date": `"+145282-09-27"`,
	} {
		write, ok := dateFormat(format, time.UTC)
		if !ok {
			t.Fatalf("%s is no format", format)
		}
		if got := string(write(nil, at)); got != want {
			t.Errorf("%s: %s, want %s", format, got, want)
		}
	}
}

func TestDateFormatOffsets(t *testing.T) {
	for _, c := range []struct {
		minutes      int
		format, want string
	}{
		{330, "X XX XXX x", `"+0530 +0530 +05:30 +0530"`}, {120, "X x", `"+02 +02"`}, {0, "X x", `"Z +00"`}, {330, "basic_week_date_time_no_millis", `"2021W136T203607+0530"`},
	} {
		write, ok := dateFormat(c.format, time.FixedZone("", 60*c.minutes))
		if !ok {
			t.Fatal(c.format)
		}
		if got := string(write(nil, 1617462367089)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.format, got, c.want)
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
	a := &aggregator{counter: counter{Request: &iter.Request{WorkLimit: iter.NewWorkLimit(t.Context())}}}
	if err := a.spend(maxBuckets); err != nil {
		t.Error(err)
	}
	a.bytes = maxAnswer - 1
	if err := a.wrote(0, 1); err != nil {
		t.Error(err)
	}
	if err := a.wrote(0, 2); err == nil {
		t.Error("one byte too many was allowed")
	}
	a.WorkLimit = iter.NewWorkLimit(t.Context())
	if err := a.spend(1); err == nil {
		t.Error("one bucket too many was allowed")
	}
}
