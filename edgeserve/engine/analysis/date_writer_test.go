// These tests check how dates are written. The expectations are from Elasticsearch 7.10.2.

package analysis

import (
	"testing"
	"time"
)

func TestDateWriter(t *testing.T) {
	for _, c := range []struct{ format, want string }{
		{"yyyy-MM-dd", `2021-04-03`},
		{"yyyy-MM-dd||epoch_millis", `2021-04-03`},
		{"dd/MM/yy HH:mm:ss.SSS", `03/04/21 15:06:07.089`},
		{"d.M.uuuu h:mm a", `3.4.2021 3:06 PM`},
		{"EEE, d MMM yyyy", `Sat, 3 Apr 2021`},
		{"EEEE d MMMM", `Saturday 3 April`},
		{"yyyy'Q'Q 'o''clock' ''X", `2021Q2 o'clock 'Z`},
		{"DDD Z S", `093 +0000 0`},
		{"strict_date_optional_time||epoch_millis", `2021-04-03T15:06:07.089Z`},
		{"strict_date_time_no_millis", `2021-04-03T15:06:07Z`},
		{"year_month", `2021-04`},
		{"epoch_millis", `1617462367089`},
		{"epoch_second", `1617462367.089`},
		{"yyyy年", `2021年`},
		{"YYYY-'W'ww e c k kk K xx xxx xxxx", `2021-W13 6 6 15 15 3 +0000 +00:00 +0000`},
		{"iso8601", `2021-04-03T15:06:07.089Z`}, {"basic_date_time", `20210403T150607.089Z`}, {"week_date", `2021-W13-6`}, {"strict_weekyear_week", `2021-W13`},
		{"ordinal_date_time_no_millis", `2021-093T15:06:07Z`}, {"t_time", `T15:06:07.089Z`}, {"date_hour_minute_second_millis", `2021-04-03T15:06:07.089`},
		{"year", "2021"}, {"date_hour_minute_second_fraction", "2021-04-03T15:06:07.089"},
		{"", "2021-04-03T15:06:07.089Z"}, {"strict_strict_year", ""}, {"www", ""}, {"xxxxx", ""}, {"yyyy-MM-ddTHH", ""}, {"MMMMM", ""}, {"yyyy'T", ""}, {"yyyy[-MM]", ""}, {"||yyyy", ""},
	} {
		t.Run(c.format, func(t *testing.T) {
			write, err := NewDateWriter(c.format, time.UTC)
			if (err == nil) != (c.want != "") {
				t.Fatal(err)
			}
			if err != nil {
				return
			}
			if got := string(write(nil, 1617462367089)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// A writer writes the minutes of an offset only if they are not zero.
func TestDateWriterOffsets(t *testing.T) {
	for _, c := range []struct {
		minutes      int
		format, want string
	}{
		{330, "X XX XXX x", `+0530 +0530 +05:30 +0530`}, {120, "X x", `+02 +02`}, {0, "X x", `Z +00`}, {330, "basic_week_date_time_no_millis", `2021W136T203607+0530`},
	} {
		write, err := NewDateWriter(c.format, time.FixedZone("", 60*c.minutes))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(write(nil, 1617462367089)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.format, got, c.want)
		}
	}
}

// The expectations are in America/New_York.
func TestDateWriterYears(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		format string
		ms     int64
		want   string
	}{
		{"yyyy-MM-dd", -62322116638000, "0006-02-03"}, {"uuuu-MM-dd", -62322116638000, "-0005-02-03"}, {"uu", -62322116638000, "05"},
		{"uuuu", 327403400400000, "+12345"}, {"u", 327403400400000, "12345"}, {"year", -62322116638000, "-5"},
		{"date_time_no_millis", 1617462367089, "2021-04-03T11:06:07America/New_York"}, {"strict_date_time_no_millis", 1617462367089, "2021-04-03T11:06:07-04:00"},
		{"basic_date", -62161772276600, "00000304"}, {"epoch_second", -1750, "-2.25"}, {"", 1617462367089, "2021-04-03T11:06:07.089-04:00"},
	} {
		write, err := NewDateWriter(c.format, zone)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(write(nil, c.ms)); got != c.want {
			t.Errorf("%d by %q: %s, want %s", c.ms, c.format, got, c.want)
		}
	}
}
